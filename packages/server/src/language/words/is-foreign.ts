import { foreignness } from './foreign-words.js'
import { isEnglish } from './is-english.js'
import { indexStem } from './stem.js'

const mostWords = 200
/** Names of any script may stand in an English text. */
const leastOtherScript = 0.3
/** Of the words with a small letter, which are no names, in a text without a function word. */
const leastEnglish = 0.3
const fewestWords = 2

/** Links, paths and addresses have no language: ".io" is not Italian for "I". */
const addresses = /(?<!\S)\S*(?:[/@]|\.(?=\p{Ll}))\S*/gu

/**
 * Whether a text is in another language than English, by its script and its function words: rules for English must not read
 * it. A text that gives no hint counts as English.
 */
export function isForeign(given: string): boolean {
  const text = /[/@.]/u.test(given) ? given.replace(addresses, ' ') : given
  const letters = lengthOf(text, /\p{L}+/gu)
  if (letters === 0) return false
  const other = letters - lengthOf(text, /(?:(?=\p{L})\p{Script=Latin})+/gu)
  if (other >= leastOtherScript * letters) return true
  const words = firstWords(text)
  let sum = 0
  for (const word of words) {
    // "l'hôpital", "don't"
    const [first = '', second = ''] = plain(word).split(/['’]/u)
    sum += foreignness(
      indexStem(second === '' ? first : word.length > 6 && first.length <= 2 ? second : first + second),
    )
  }
  if (sum !== 0) return sum > 0
  const small = words.filter((word) => /^\p{Ll}/u.test(word))
  return small.length >= fewestWords && !isEnglish(small.join(' '), leastEnglish)
}

/** Of all matches together. One per run of letters: one per letter takes three times as long. */
function lengthOf(text: string, runs: RegExp): number {
  return (text.match(runs) ?? []).reduce((sum, run) => sum + run.length, 0)
}

function firstWords(text: string): string[] {
  const words: string[] = []
  for (const [word] of text.matchAll(/[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu)) {
    if (words.push(word) === mostWords) break
  }
  return words
}

function plain(word: string): string {
  return word
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
}
