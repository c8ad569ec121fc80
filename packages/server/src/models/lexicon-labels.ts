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
about account age alias allergies allergy anniversary apartment bike bio birth birthdate birthday birthplace blood boss boyfriend breakfast brother
budget car career cat children city colleague color colour commute company condition contact country cousin dad daughter degree dentist department
diet dinner dislike dislikes dog dream dreams drink education email emergency employer ethnicity exercise favorite favorites favourite favourites fear
fears flight food fridge gender gift girlfriend groceries gym habit habits health height hobby holiday hometown hotel husband identity income
insurance interest intolerance job kid kids language languages license likes lunch major married medication medications medicine mission mobile mood
mortgage mother movie movies music nationality neighbor neighbour nickname nurse occupation office parents partner passport patient pet pets pharmacy
phobia phone plans politics position preference preferences priorities profession profile pronouns psychologist religion rent residence role roommate
routine salary school shopping sibling siblings sister skill skills sleep snack son sport sports spouse strength strengths study supervisor symptom
symptoms teacher team therapist training travel trip university vacation vegan vegetarian weakness weaknesses wedding weight wife wifi work workout
zip`
const software = `
admin alias app application apps architecture argument arguments assignee assistant auth author backend backlog backup body branch browser bug bugs
build cache changelog class cli client cloud cluster code codebase column command commands commit compiler component config configuration constant
constraint container convention conventions cookie crash cron css customer dashboard data database dataset debug default dependencies dependency
deploy deployment desktop dev development device docs domain editor endpoint engine env environment epic error errors exception feature features file
files fix fixme folder formatter framework frontend function functions gateway guest hack hardware headers host hostname html http incident index
infra infrastructure ingress install installation integration interface issue issues kernel key keys language laptop latency layout libraries library
lint linter linux local logging login logout machine maintainer merge metadata middleware migration milestone model module modules monitoring monorepo
mutex namespace network node object operator optional orm package packages param parameter parameters params parser password path pattern payload
performance pipeline platform plugin policy port prerequisite production project property protocol proxy pull python queue rebase redirect refactor
regex region registry release repo reporter repository return returns reviewer roadmap route router routes runtime sandbox schema script scripts
secrets security server service services session settings setup shell software spec sprint sql ssl stack staging standup state storage string style
subdomain submodule syntax table task tech terminal test testing tests throws ticket timeout token tool tools topology traffic trigger ui unit usage
user username users util utility variable vendor version versions warn webhook widget window windows wontfix worker workflow workspace yaml`
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
