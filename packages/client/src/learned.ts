/** What a message states, without what it asks: questions are not memories. English; other languages are left to the service. */

const leads = new Set('so and but ok okay hey hi well then also hmm um please now'.split(' '))
const questionWords = new Set('who whom whose what which where when why how'.split(' '))
const auxiliaries = new Set(
  'is are was were am do does did can could will would shall should has have had may might isn’t aren’t doesn’t don’t didn’t'
    .replaceAll('’', "'")
    .split(' '),
)
const firstPerson = new Set("i i'm i've i'd i'll my mine we we're we've our ours".split(' '))
/** Requests for something that is known, with or without a question mark. */
const requests = [
  'i wonder',
  'remind me',
  'tell me',
  'show me',
  'let me know',
  "i'd like to know",
  'i want to know',
  'do you know',
  'do you remember',
  'any idea',
]
/** Words at the start of a sentence that need the sentence before. */
const references = new Set('he she it they his her its their him them that this these those there'.split(' '))

/** The sentences that state something, and questions that these refer to. Empty if there are none. */
export function learned(text: string): string {
  const sentences = text.split(/(?<=[.!?])\s+|[\r\n]+/).filter((sentence) => sentence.trim() !== '')
  const kept = sentences.filter((sentence, at) => {
    if (!isAsked(sentence)) return true
    const next = sentences[at + 1]
    return next !== undefined && !isAsked(next) && references.has(wordsOf(next)[0] ?? '')
  })
  // Unchanged where nothing is left out, so that lists and paragraphs stay as they are.
  return kept.length === sentences.length ? text : kept.join(' ')
}

export function isAsked(sentence: string): boolean {
  const words = wordsOf(sentence)
  const start = words.join(' ')
  if (start.startsWith('did you know')) return false
  if (requests.some((request) => start === request || start.startsWith(`${request} `))) return true
  const isQuestion = /\?["'”’)\]]*\s*$/.test(sentence)
  // "any vegan places near my new office?" tells about the user. The service decides.
  if (!isQuestion || words.some((word) => firstPerson.has(word))) return false
  return auxiliaries.has(words[0] ?? '') || words.some((word) => questionWords.has(word))
}

function wordsOf(sentence: string): string[] {
  const words = sentence
    .toLowerCase()
    .replaceAll('’', "'")
    .split(/[^\p{L}\p{N}']+/u)
    .filter((word) => word !== '')
  const first = words.findIndex((word) => !leads.has(word))
  return first === -1 ? [] : words.slice(first)
}
