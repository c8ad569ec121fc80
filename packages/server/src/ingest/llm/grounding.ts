/**
 * Checks whether a language model's output is supported by its input, and whether a sentence is fully covered by the
 * output. Neither is a proof: both reject output that is clearly invented or incomplete, and the local path then
 * handles the sentence.
 */
import { pattern } from '../../core/pattern.js'
import { monthNames } from '../../language/dates/month-names.js'
import { looseStem } from '../../language/words/stem.js'

/** Words and numbers of texts, in a form for comparison. */
export interface Evidence {
  readonly words: ReadonlySet<string>
  readonly numbers: ReadonlySet<string>
}

/** Minimum share of a memory's words that must come from the text, and of a sentence's words that must be covered. */
const leastOwn = 0.6
const leastKept = 0.5

const functionWords: ReadonlySet<string> = new Set(
  `a an the this that these those there here i me my mine myself you your yours yourself he him his himself she her hers
  herself it its itself we us our ours ourselves they them their theirs themselves who whom whose which what when where why
  how and or but nor so yet if then than as because while although though since until after before during about above
  across against along among around at below between by down for from in inside into like near of off on onto out outside
  over through to toward towards under up upon with within without is am are was were be been being do does did doing done
  have has had having will would shall should can could may might must not no yes also too very just only now still again
  both each every all any some other another such own same more most much many few user speaker said says say`.split(
    /\s+/,
  ),
)
const numberWords = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')

const token = /[\p{L}\p{M}]+(?:['’]\p{L}+)*|\p{N}+/gu
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

export function evidenceOf(texts: readonly string[]): Evidence {
  const words = new Set<string>()
  const numbers = new Set<string>()
  for (const text of texts) {
    for (const [word] of text.normalize('NFKC').matchAll(token)) {
      if (isNumber(word)) numbers.add(plainNumber(word))
      else for (const part of partsOf(word)) words.add(stem(part))
      for (const value of [numberWords.indexOf(word.toLowerCase()), monthNames.indexOf(word) + 1]) {
        if (value > 0) numbers.add(String(value))
      }
    }
  }
  return { words, numbers }
}

/** Contains no number and no name that the evidence lacks, and mostly its words. */
export function isGrounded(text: string, evidence: Evidence): boolean {
  const { numbers, names, content, all } = wordsOf(text)
  if (!numbers.every((number) => evidence.numbers.has(number))) return false
  const isOwn = (word: string) => evidence.words.has(stem(word)) || isNumberOf(word, evidence)
  if (![...names.first, ...names.later].every(isOwn)) return false
  return shareOf(content.length > 0 ? content : all, isOwn) >= leastOwn
}

/** Every word and number of the text is in the evidence. */
export function isQuoted(text: string, evidence: Evidence): boolean {
  const { numbers, all } = wordsOf(text)
  return numbers.every((number) => evidence.numbers.has(number)) && all.every((word) => evidence.words.has(stem(word)))
}

/** The texts contain all numbers and names of the sentence, most of its words, and its denial if it has one. */
export function isKept(sentence: string, texts: readonly string[], knownNames: readonly string[]): boolean {
  if (texts.length === 0) return false
  const kept = evidenceOf(texts)
  const known = evidenceOf(knownNames).words
  const { numbers, names, content } = wordsOf(sentence)
  const isThere = (word: string) => kept.words.has(stem(word)) || isNumberOf(word, kept)
  // The first word has a capital anyway: it is a name only if the local path knows it as one.
  const mustStay = [...names.later, ...names.first.filter((word) => known.has(stem(word)))]
  return (
    numbers.every((number) => kept.numbers.has(number)) &&
    mustStay.every(isThere) &&
    shareOf(content, isThere) >= leastKept &&
    (!isDenial(sentence) || texts.some((text) => isDenial(text) || ending.test(text)))
  )
}

/** Every content word is in the other text too, and both affirm or both deny it. */
export function saysNoMore(text: string, than: string): boolean {
  const evidence = evidenceOf([than])
  const { numbers, content } = wordsOf(text)
  return (
    content.length > 0 &&
    numbers.every((number) => evidence.numbers.has(number)) &&
    content.every((word) => evidence.words.has(stem(word))) &&
    isDenial(text) === isDenial(than)
  )
}

const denial =
  /(?:^|[^\p{L}])(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|nicht|nie|kein\p{L}*|pas|jamais|nunca|jamás|non|\p{L}+n['’]t)(?![\p{L}])/iu
/** Words that imply a denial: "quit smoking" is "no longer smokes". */
const ending = new RegExp(
  pattern`
    (?:^|[^\p{L}])(?:quit|stop\p{L}*|left|leav\p{L}+|former\p{L}*|ex|refus\p{L}+|fail\p{L}*|lack\p{L}*|unable
    |cancel\p{L}*|avoid\p{L}*|dislik\p{L}+|hat\p{L}+|gave up|give up|used to|instead|ended?)(?![\p{L}])
  `,
  'iu',
)

export function isDenial(text: string): boolean {
  return denial.test(text)
}

/** The text denies something that no source denies. */
export function deniesByItself(text: string, sources: readonly string[]): boolean {
  return isDenial(text) && !sources.some((source) => isDenial(source) || ending.test(source))
}

function wordsOf(text: string) {
  const numbers: string[] = []
  const names: { first: string[]; later: string[] } = { first: [], later: [] }
  const content: string[] = []
  const all: string[] = []
  for (const [index, [word]] of [...text.normalize('NFKC').matchAll(token)].entries()) {
    if (isNumber(word)) {
      numbers.push(plainNumber(word))
      continue
    }
    all.push(...partsOf(word))
    if (functionWords.has(bare(word))) continue
    content.push(...partsOf(word))
    if (/^\p{Lu}/u.test(word)) (index === 0 ? names.first : names.later).push(word)
  }
  return { numbers, names, content, all }
}

function shareOf(words: readonly string[], holds: (word: string) => boolean): number {
  return words.length === 0 ? 1 : words.filter(holds).length / words.length
}

function isNumber(word: string): boolean {
  return /^\p{N}/u.test(word)
}

function plainNumber(word: string): string {
  return word.replace(/^0+(?=.)/, '')
}

function isNumberOf(word: string, { numbers }: Evidence): boolean {
  const value = numberWords.indexOf(word.toLowerCase())
  return value !== -1 && numbers.has(String(value))
}

/** Scripts without spaces are compared by character. */
function partsOf(word: string): string[] {
  return unspaced.test(word) ? [...word] : [word]
}

function bare(word: string): string {
  return word.toLowerCase().replace(/['’](?:s|m|re|ve|ll|d)$/u, '')
}

function stem(word: string): string {
  return looseStem(bare(word))
}
