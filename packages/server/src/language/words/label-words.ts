/**
 * Words that stand before a colon without naming a speaker: headings of notes, fields of forms and profiles, parts of
 * software. All in lower case. Ordinary words, places, organisations and products are listed elsewhere.
 */
const notes = `
abstract act action actions advantage agenda alert amount answers appendix approach article aside assumption attachment attachments attention author
authors background balance benefit benefits breaking budget bullet caption category cause caution challenge chapter checklist choice choices citation
claim clarification comment comments concern concerns conclusion condition conditions confession contents context correction cost credits criteria
danger deadline decision decisions definition delivery desc description detail diagnosis diary dilemma disadvantage disclaimer discount discussion
draft duration edit effect entry episode estimate eta event evidence excerpt exercise expense expenses experiment explanation extra fact facts fee
feedback findings followup footnote forecast format fwd glossary guideline guidelines header heading headline highlight highlights hint history
hypothesis idea ideas image important info information input insight insights instruction instructions intro introduction invoice item items journal
keyword keywords label lead lesson lessons link links list location log logs lyrics meaning meeting memo message messages method metrics minutes moral
motto nb news notice objective objectives observation option options outcome outline output overview owner paragraph photo picture poll post
prediction preview price priority pro process product prompt proposal psa purpose quantity query quote rank rating reason reasons recap receipt recipe
recommendation record reference references rejected remark report reports request requests requirement requirements resolution resource resources
response retro review risk risks rule rules rumor rumour scene scope score secret sender severity sidenote signature size solution solutions source
sources speaker spoiler start status story subtotal suggestion suggestions summary survey synopsis takeaway takeaways tax template text theme thesis
thought thoughts tip title tldr todos transcript translation trivia type unknown update updates url usage value verdict verse video volume vote
warning warnings website who wishlist word words`
const profile = `
about account adhd age alias allergies allergy anniversary antibiotics anxiety apartment arthritis aspirin asthma autism bike bio birth birthdate
birthday birthplace bitcoin blood boss boyfriend breakfast brother budget car career carpool cat celery children city colleague color colour commute
company condition contact country cousin crypto cycling dad dairy daughter degree dentist department depression diabetes diet dinner dislike dislikes
dog dream dreams drink eczema education email emergency employer ethereum ethnicity exercise favorite favorites favourite favourites fear fears flight
food fridge gender gift girlfriend gluten groceries gym habit habits hayfever health height hobby holiday hometown hotel husband ibuprofen identity
income ingredients insulin insurance interest intolerance job kid kids lactose landlord language languages license likes lunch major manager marathon
married medication medications medicine metformin migraine migraines mission mobile mood mortgage mother movie movies music nationality neighbor
neighbour nickname nurse occupation office paracetamol parents partner passport patient peanut peanuts pension pet pets pharmacy phobia phone pilates
plans politics position preference preferences priorities profession profile pronouns psychologist religion rent residence role roommate routine
salary school shellfish shopping sibling siblings sister skill skills sleep snack son sport sports spouse strength strengths study supervisor symptom
symptoms taxes teacher team therapist tiramisu training travel triathlon trip university vacation vegan vegetarian volvo weakness weaknesses wedding
weight wife wifi work workout zip`
const software = `
admin alias app application apps architecture argument arguments assignee assistant auth author backend backlog backup body branch browser bug bugs
build bun cache celery changelog class cli client cloud cluster code codebase column command commands commit compiler component config configuration
constant constraint container convention conventions cookie crash cron css customer dashboard data database dataset debug default deno dependencies
dependency deploy deployment desktop dev development device docs domain editor endpoint engine env environment epic error errors eslint exception
feature features file files fix fixme folder formatter framework frontend function functions gateway grafana guest hack hardware headers heroku host
hostname html http incident index infra infrastructure ingress install installation integration interface issue issues jest kernel key keys kickoff
language laptop latency layout libraries library linear lint linter linux local logging login logout machine maintainer merge metadata middleware
migration milestone model module modules mongo monitoring monorepo mutex namespace netlify network nginx node npm object offsite onboarding operator
optional orm package packages param parameter parameters params parser password path pattern payload payroll performance pipeline platform plugin pnpm
policy port prerequisite prettier prisma production project prometheus property protocol proxy pull python queue rabbitmq rebase redirect refactor
regex region registry release repo reporter repository return returns reviewer roadmap route router routes runtime sandbox schema script scripts
secrets security sentry server service services session settings setup shell software spec sprint sql ssl stack staging standup state storage string
style subdomain submodule supabase syntax table tailwind task tech terminal terraform test testing tests throws ticket timeout token tool tools
topology traceback traffic trigger ui unit usage user username users util utility variable vendor vercel version versions vitest warn webhook widget
window windows wontfix worker workflow workspace yaml yarn zig`
const times = `
afternoon annually apr april aug august autumn daily dec december evening fall feb february fri friday jan january jul july jun june mar march may
midnight mon monday month monthly morning night noon nov november oct october quarter sat saturday sep sept september spring summer sun sunday thu
thur thurs thursday today tomorrow tonight tue tues tuesday wed wednesday week weekday weekdays weekend weekends weekly winter year yearly yesterday`

const listed = (text: string): string[] => text.trim().split(/\s+/)

export const timeWords: ReadonlySet<string> = new Set(listed(times))
export const labelWords: ReadonlySet<string> = new Set([...[notes, profile, software].flatMap(listed), ...timeWords])

/** Endings of nouns and adverbs that names rarely have. */
export const labelEnding =
  /(?:[ts]ions?|ments?|ness|ities|ity|ings?|[ae]nces?|ships?|isms?|olog(?:y|ies)|ware|ables?|ful|less|ally)$/u
