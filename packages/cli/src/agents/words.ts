/** What a prompt says that is worth a memory, and whose memory it is. */
import { isAsked } from '@keepsake/client/learned'
import { ownWords } from './block.js'

export interface Learned {
  /** About the work in this project. */
  readonly project: readonly string[]
  /** About the user, whatever the project. */
  readonly own: readonly string[]
}

const maxSentences = 40
const maxSentenceCharacters = 1000

/**
 * Splits a prompt into sentences and leaves out questions, tasks, code and logs. The service judges each sentence: a long prompt sent in one
 * piece would be kept whole, task included.
 */
export function learnedFrom(prompt: string): Learned {
  const sentences = sentencesOf(prompt).filter(
    (sentence) => isProse(sentence) && !isAsked(sentence) && !isTask(sentence),
  )
  return {
    project: sentences.filter((sentence) => !isPersonal(sentence)),
    own: sentences.filter(isPersonal),
  }
}

/** What to search for: the beginning and the end of a long prompt. Undefined where there is nothing to search for. */
export function queryOf(prompt: string): string | undefined {
  const words = ownWords(prompt)
  if (isCommand(words) || !words.includes(' ')) return undefined
  return words.length <= 1000 ? words : `${words.slice(0, 700)} … ${words.slice(-300)}`
}

/** The user, in the languages that recall works best in. Words that programs and files are named after are left out. */
const speaker =
  /(?<![\p{L}\p{N}_.-])(?:i|me|my|mine|ich|mir|mich|meine?[rnms]?|je|moi|mon|mes|yo|mi|mis|mio|mia|miei|meu|minha|ik|mij|mijn|я|мне|меня|мой|моя)(?![\p{L}\p{N}_.-])|[我私僕俺]/iu

const question =
  /[?？]\s*$|^\W*(?:who|whom|whose|what|when|where|which|why|how|do|does|did|is|are|was|were|has|have|had)\b/iu

/** The lowest scores of memories that are worth showing: of the project, and of the user, which belong to no project. */
export interface Limits {
  readonly project: number
  readonly own: number
}

/**
 * A prompt that mentions the user is likely to mean something known about the user. A task that does not ("Make the button blue", "Migrate
 * our tests") matches it by chance. Chosen on the prompts of `bench/agents`.
 */
export function limitsFor(query: string): Limits {
  if (speaker.test(query)) return { project: 0.25, own: 0.25 }
  return question.test(query) && !isTask(query) ? { project: 0.3, own: 0.3 } : { project: 0.5, own: 0.75 }
}

function sentencesOf(prompt: string): string[] {
  const words = ownWords(prompt)
  if (isCommand(words)) return []
  return words
    .split(/[\r\n]+|(?<=[.!?;])\s+/)
    .map((sentence) => sentence.trim())
    .filter(({ length }) => length > 2 && length <= maxSentenceCharacters)
    .slice(0, maxSentences)
}

/** `/compact` and the like. A path such as `/etc/hosts is wrong` has a second slash. */
function isCommand(words: string): boolean {
  return /^\/[a-z][\w:-]*(?:\s|$)/i.test(words)
}

/** Most characters of prose are letters and spaces. Code, logs and tables have more signs and digits. */
function isProse(sentence: string): boolean {
  const letters = sentence.match(/[\p{L}\p{M} ]/gu)?.length ?? 0
  return letters / [...sentence].length >= 0.7
}

const lead = new Set([
  'please',
  'pls',
  'then',
  'also',
  'and',
  'now',
  'next',
  'finally',
  'first',
  'ok',
  'okay',
  'just',
  'so',
])

const tasks = new Set(
  `add adjust apply build bump change check clean commit compare complete configure continue convert copy create debug delete deploy describe
   document draft draw edit ensure examine explain extend extract find finish fix format generate give go implement improve include
   inspect install investigate keep let list look make merge migrate move open optimise optimize parse port prepare print profile prove push
   put read rebase refactor remove rename replace rerun review revert rewrite run search set show simplify solve sort split start stop
   summarise summarize switch tell test translate try undo update upgrade verify wire write`.split(/\s+/),
)

/** A task with one of these also states something that holds after it. */
const stating = new Set(
  `is are was were isn't aren't lives live runs called named uses needs belongs means must should always never don't do-not prefer instead because
   whenever from`.split(/\s+/),
)

function isTask(sentence: string): boolean {
  const words = sentence
    .toLowerCase()
    .replaceAll('’', "'")
    .split(/[\s,:]+/)
  const start = words.findIndex((word) => !lead.has(word))
  const isRequest = ['can', 'could', 'would', 'will'].includes(words[start] ?? '') && words[start + 1] === 'you'
  const verb = words[start + (isRequest ? 2 : 0)]?.replaceAll(/[^a-z]/g, '') ?? ''
  if (!tasks.has(verb)) return false
  return !words.some((word) => stating.has(word.replaceAll(/[.!?;]/g, '')))
}

const personal = [
  'i am',
  "i'm",
  'im',
  'i live',
  'i work',
  'i prefer',
  'i like',
  'i love',
  'i hate',
  'i dislike',
  'i always',
  'i never',
  'i usually',
  'i speak',
  'i have',
  'call me',
  'my name',
  'my favourite',
  'my favorite',
  'my preferred',
  'my wife',
  'my husband',
  'my partner',
  'my editor',
  'my timezone',
  'my time zone',
  'my pronouns',
]

/** Words that tie a sentence to the work at hand. */
const local = new Set(
  `this here we our us repo repository project branch codebase build deploy test tests file files folder module service server database
   endpoint looking working trying getting seeing`.split(/\s+/),
)

export function isPersonal(sentence: string): boolean {
  const lower = sentence.toLowerCase().replaceAll('’', "'")
  if (!personal.some((start) => lower.startsWith(`${start} `))) return false
  return !lower.split(/[^a-z']+/).some((word) => local.has(word))
}
