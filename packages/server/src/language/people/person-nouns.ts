/** Nouns for people, groups, places and organisations, and the gender that a noun implies. */
import type { Gender } from '../names/name-genders.js'

const words = (text: string): string[] => text.trim().split(/\s+/)

const women = words(`
sister mother mom mum mommy mummy daughter wife aunt auntie niece grandmother grandma granny granddaughter girlfriend stepmother stepmom stepdaughter stepsister
mother-in-law sister-in-law daughter-in-law godmother fiancée bride widow woman girl lady waitress actress princess queen nun hostess midwife`)
const men = words(`
brother father dad daddy son husband uncle nephew grandfather grandpa grandson boyfriend stepfather stepdad stepson stepbrother father-in-law
brother-in-law son-in-law godfather fiancé groom widower man boy guy gentleman waiter actor prince king monk bloke dude`)
const either = words(`
friend boss manager supervisor colleague co-worker coworker roommate flatmate housemate neighbour neighbor teacher doctor dentist therapist mentor cousin
partner spouse sibling twin child kid baby toddler teammate classmate buddy landlord landlady professor coach assistant lawyer accountant nurse student client customer
trainer tutor ex fiance parent grandchild grandparent pal crush date director ceo founder surgeon plumber electrician mechanic
engineer artist singer author writer painter driver guide pilot chef stranger person patient intern agent officer judge priest pastor
dog cat puppy kitten horse pony parrot rabbit hamster pet bird`)

const genders: ReadonlyMap<string, Gender> = new Map([
  ...women.map((noun) => [noun, 'f'] as const),
  ...men.map((noun) => [noun, 'm'] as const),
])

export const personNouns: ReadonlySet<string> = new Set(
  [...women, ...men, ...either].sort((a, b) => b.length - a.length),
)

export const groupNouns: ReadonlySet<string> = new Set(
  words(`
parents grandparents children kids sons daughters brothers sisters siblings twins friends neighbours neighbors colleagues co-workers coworkers
grandchildren cousins aunts uncles in-laws roommates flatmates teammates classmates students teachers dogs cats family girls boys`),
)

const organisationNouns: ReadonlySet<string> = new Set(
  words(
    'company startup start-up firm agency band bank charity club team school university college business employer corporation foundation choir orchestra',
  ),
)

const placeNouns: ReadonlySet<string> = new Set(
  words(`
restaurant café cafe bar pub hotel hostel gym park museum beach village town city island country shop store mall market library church
temple office campus school university college hospital clinic theatre theater cinema studio gallery zoo farm lake river mountain mountains forest
garden pool stadium station airport kitchen house flat apartment cottage cabin camp place club bakery bookshop bookstore resort spa`),
)

export function genderOfNoun(noun: string): Gender | null {
  return genders.get(noun) ?? null
}

export function isOrganisationNoun(noun: string): boolean {
  return organisationNouns.has(noun)
}

export function isPlaceNoun(noun: string): boolean {
  return placeNouns.has(noun)
}
