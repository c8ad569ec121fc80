/** Words that hint at a topic. The model learns how much each list counts. */

import type { Topic } from '../../core/fact.js'
import { indexStem } from '../../language/words/stem.js'

const lists: Readonly<Record<Exclude<Topic, 'other'>, string>> = {
  identity: `name named called nickname surname spelled pronouns born birthday age old turned turning nationality native language
languages speak spanish french german english italian tamil polish dutch catholic christian muslim jewish hindu
buddhist atheist quaker religion religious introvert extrovert shy tall height hair eyes freckles left-handed male
female man woman girl boy trans gay lesbian queer twin raised grew hometown originally immigrant citizen timezone
degree graduated alumni veteran zodiac accent british american irish german canadian brazilian nigerian indian chinese
korean mexican username handle email dyslexic middle-aged teenager widow raised stage`,
  people: `wife husband mother mom mum mama father dad papa son daughter sister brother sibling siblings girlfriend boyfriend
fiance fiancee partner parents kid kids child children baby toddler grandma grandmother granny nan grandpa grandfather
grandparents grandson granddaughter grandkids grandchildren uncle aunt auntie cousin niece nephew roommate flatmate
housemate friend friends bestie family twins neighbour neighbor neighbours ex stepson stepdad stepmom in-laws
mother-in-law father-in-law godson married single divorced divorce engaged widowed relationship dating wedding
anniversary custody mate buddy teacher landlady widower spouse babysitter nanny`,
  home: `live lives living lived house apartment flat home condo garden kitchen backyard yard street neighbourhood neighborhood
city town village landlord rent renting tenant mortgage moved move reside bedroom bedrooms bathroom floor boiler
heating roof farm suburb suburbs countryside address balcony lease lift elevator basement attic sofa couch houseboat
cabin commute electricity electricians plumber keys alarm fridge smoke tank oil renovating renovation upstairs
downstairs wifi postcode zip country california texas london`,
  work: `work works working worked job jobs boss career company office coworker coworkers colleague salary business shift
shifts manager employer employed employee nurse teacher lawyer engineer doctor student chef accountant writer
programmer developer mechanic artist cashier waitress waiter bartender librarian dentist electrician scientist
musician designer salesman secretary firefighter photographer driver realtor retired retire retirement unemployed
teach taught freelance freelancer self-employed fired promoted promotion college university school studying study
major nursing intern internship clients customers payroll contract team lead hired resign resigned quit laid
profession trade meeting meetings holiday earn paid pay overtime warehouse factory hospital industry council chair
clean volunteer professor paramedic carpenter plumber barista`,
  health: `vegan vegetarian pescatarian allergic allergy allergies intolerant diabetes diabetic insulin asthma inhaler cancer
disease surgery doctor medication meds medicine pills anxiety depressed depression adhd autism autistic dyslexia diet
gluten dairy lactose keto exercise workout gym weight pounds kilos marathon yoga pilates running jog jogging smoke
smoking smoker drinking sober alcohol injury injured knee ankle acl surgery pain sick ill illness deaf blind glasses
lenses wheelchair insomnia sleep sleeping pregnant due healthy health overweight hospital therapist therapy arthritis
migraine migraines headache blood pressure cholesterol iron deficiency vitamin cold flu fever cough sneezing diagnosed
symptoms fasting calories protein nuts peanuts shellfish celiac coeliac hearing back physio rehab tooth teeth checkup
vaccine steps`,
  preferences: `like love likes loves enjoy enjoys hate hates dislike prefer prefers favorite favourite fan adore fond stand hobby
hobbies interested passion listen music band movie movies film films book books read reading watch watching play
playing sport sports food pizza coffee tea wine beer song songs genre jazz rock country hip-hop metal horror comedy
fantasy color colour rather over always never seat window aisle spicy sweet chocolate cook cooking bake baking paint
painting dance dancing sing hiking camping fishing travel traveling gardening games videogames chess soccer football
basketball baseball tennis hockey swimming please answers short style tone metric units nothing worst best boring
favorites delicious tasty olives surf`,
  possessions: `own owns car truck van bike bicycle motorcycle boat kayak jeep honda ford toyota bmw mustang skoda volvo tesla corolla
guitar piano cello violin drums laptop thinkpad macbook phone iphone pixel android computer pc camera tablet ipad
kindle tv playstation xbox switch console dog dogs cat cats puppy kitten bird parrot fish horse horses rabbit bunny
snake pet pets hamster turtle chickens goats beagle collie poodle shepherd collection collect router printer washing
machine account bank card subscription netflix spotify pass ticket insurance policy watch ring jewelry shoes size
jacket clothes savings license plate revolut paypal bought sold`,
  plans: `will plan plans planning going tomorrow tonight weekend next week month upcoming appointment appointments deadline
vacation trip flight flying booked booking reservation holiday goal goals someday hope hoping wish want wanna dream
saving save considering thinking exam interview monday tuesday wednesday thursday friday saturday sunday january
february march april june july august september october november december spring summer autumn fall winter schedule
scheduled rescheduled moved pushed remind reminder visit visiting party until starting start soon later coming ticket
tickets meet dentist vet hotel airport train conference`,
  projects: `repo repository deploy deploys deployed deployment codebase code coding typescript javascript python rust golang java
node npm pnpm yarn postgres postgresql mysql sqlite redis docker kubernetes k8s api apis endpoint backend frontend
server servers migration migrations stack sprint staging production prod database db ci build builds branch main
master release releases pr review reviews commit commits test tests testing vitest jest playwright framework react vue
svelte django rails library lib app website ticket tickets jira linear github gitlab flag flags feature features bug
bugs schema config env secrets vault token tokens logs logging monitoring grafana sla cron terraform aws azure gcp cdn
cors port proxy dev retry limit sdk cli tabs spaces lint eslint prettier monorepo package packages version client
budget launch roadmap spec decision agreed standup thesis novel podcast blog channel startup quilt chapter draft`,
}

const topicsOfStem = new Map<string, string[]>()
for (const [topic, words] of Object.entries(lists)) {
  for (const word of new Set(words.split(/\s+/u).map(indexStem)))
    topicsOfStem.set(word, [...(topicsOfStem.get(word) ?? []), topic])
}

/** Topics that the word hints at. */
export function topicsOf(word: string): readonly string[] {
  return topicsOfStem.get(indexStem(word)) ?? []
}
