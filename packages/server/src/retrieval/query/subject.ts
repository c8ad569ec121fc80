/**
 * Whom a question is about, and whom a note of the user is about: "Where do I live?" is not answered by "My sister Ida lives in Malmö".
 * English only; a text that names nobody counts as the user's own ("moved to Leeds").
 */
import { nameKind } from '../../language/names/speaker-name.js'
import { groupNouns, personNouns } from '../../language/people/person-nouns.js'

/** No more of a text is read. */
const mostCharacters = 600

/** Things too ("my date of birth"), or people whose doings are the user's own affairs: "the landlord is selling the flat". */
const notCounted = new Set(
  `date guide agent person baby judge doctor dentist therapist landlord landlady professor teacher coach assistant lawyer accountant nurse
  client customer trainer tutor director ceo founder surgeon plumber electrician mechanic engineer driver pilot chef officer priest pastor
  patient student students teachers stranger`.split(/\s+/),
)
const colloquial = 'hubby missus mam nan gran gramps sis bro bf gf bestie mate in-law'.split(' ')
const relations: ReadonlySet<string> = new Set(
  [...personNouns, ...groupNouns, ...colloquial].filter((noun) => !notCounted.has(noun)),
)

/** Whom a question is about. */
export interface AskedSubject {
  /** "I", "my desk": the user, perhaps beside others. */
  readonly self: boolean
  /** "My sister": her, as the question calls her. */
  readonly relations: ReadonlySet<string>
  /** Every word of the question, to see whom else it names. */
  readonly words: ReadonlySet<string>
}

const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*/gu
const ownPronouns = new Set(
  "i i'm i've i'd i'll im ive me myself mine we we're we've we'll us ourselves ours".split(' '),
)
const owners = new Set(['my', 'our'])
/** "My older sister", "my other half" */
const mostBetween = 3
const othersPronouns = new Set("he she him her his hers he's she's he'd she'd he'll she'll himself herself".split(' '))

interface Said {
  readonly self: boolean
  readonly relations: ReadonlySet<string>
}

function wordsOf(text: string): string[] {
  return (text.slice(0, mostCharacters).match(word) ?? []).map((each) => each.toLowerCase().replaceAll('’', "'"))
}

function stemOf(each: string): string {
  return each.replace(/'s?$/, '')
}

/** "My sister's desk" is about the sister; "my desk" and "my new car" are about the user. */
function saidIn(words: readonly string[]): Said {
  const found = new Set<string>()
  let self = false
  for (const [at, each] of words.entries()) {
    if (ownPronouns.has(each)) self = true
    if (!owners.has(each)) continue
    const noun = relationAfter(words, at)
    if (noun === null) self = true
    else found.add(noun)
  }
  return { self, relations: found }
}

function relationAfter(words: readonly string[], at: number): string | null {
  for (let next = at + 1; next <= at + mostBetween && next < words.length; next++) {
    const noun = stemOf(words[next] ?? '')
    if (noun === 'half' && /^(?:other|better)$/.test(words[next - 1] ?? '')) return 'half'
    // "My mother in law", "my dog food", "my boss fight": the first noun of the phrase decides.
    if (relations.has(noun)) return noun
  }
  return null
}

/** Null if the question is not about the user or somebody whom the user knows. */
export function askedSubject(question: string): AskedSubject | null {
  const words = wordsOf(question)
  // "Who visits us?" asks for somebody else.
  if (words.some((each) => /^who/.test(each))) return null
  const { self, relations: asked } = saidIn(words)
  return self || asked.size > 0 ? { self, relations: asked, words: new Set(words.map(stemOf)) } : null
}

/** Verbs that say of an unknown name that it is a person's: programs and companies do not prefer, eat or teach. */
const done =
  /^\S+ (?:(?:never|always|still|now|also|only|just|really) )?(?:lives|prefers|plays|hates|loves|likes|wants|teaches|studies|eats|drinks|thinks|wears|speaks|drives|sings|works (?:as|for|at|part|nights|from)|is (?:allergic|vegan|vegetarian|married|engaged|pregnant|retired)|can['’]t (?:stand|eat)|got (?:married|engaged))\b/u

/**
 * 0 to 1: how well a note of the user fits whom the question is about. It is low only if the note is surely about somebody else.
 */
export function subjectFit(asked: AskedSubject, content: string): number {
  const words = wordsOf(content)
  const said = saidIn(words)
  const others = othersIn(content, words, said)
  if (others.size === 0) return asked.relations.size > 0 && !asked.self && said.self ? ownForAnother : 1
  // The question names the person whom the note is about.
  if ([...others].some((other) => asked.words.has(other))) return 1
  if (!asked.self) return 1
  if (ownPronouns.has(words[0] ?? '')) return accompanied
  return said.self || !opensWith(others, words) ? mixed : 0
}

/** "My older sister moved to York" does; "booked the flight, seat 9A, my mum turns 70" begins with what the user did. */
function opensWith(others: ReadonlySet<string>, words: readonly string[]): boolean {
  const [first = ''] = words
  if (owners.has(first)) return relationAfter(words, 0) !== null
  return others.has(stemOf(first)) || othersPronouns.has(first)
}

/** "Where does my sister work?" and "I work at Acme": the note may name the sister without saying so. */
const ownForAnother = 0.75
/** "Nora gets cramps from milk, we give her oat." */
const mixed = 0.7
/** "I took my niece to the museum": it begins with the user, and somebody else is only there. */
const accompanied = 0.9

/** The people whom the note opens with or is about: names, relations, or an empty name for "she". */
function othersIn(content: string, words: readonly string[], said: Said): Set<string> {
  const others = new Set(said.relations)
  const [opening = ''] = words
  const first = stemOf(opening)
  if (relations.has(first)) others.add(first)
  const hasPronoun = words.some((each) => othersPronouns.has(each))
  const [written = ''] = content.match(word) ?? []
  const kind = nameKind(stemOf(capitalized(written.replaceAll('’', "'"))))
  if (kind === 'person' || (kind === 'name' && (hasPronoun || done.test(content)))) others.add(first)
  else if (hasPronoun && others.size === 0 && !said.self) others.add('')
  return others
}

/** People who type everything in lower case type names that way too. */
function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
