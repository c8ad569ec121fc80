/** What a question names: "Middlemarch", "MOT", "INV-20931". A memory without it is hardly about it. */
import { weekdayNames } from '../dates/calendar.js'
import { monthNames } from '../dates/month-names.js'
import { isForeign } from '../words/is-foreign.js'

const word = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu
const genitive = /['’]s$/u
/** After these, and in a new line, a word may have a capital for no other reason. */
const opening = /[.!?:…"'“”‘’(]/u
const leastDigits = 3
/** A year is a date, and dates are compared as such. */
const year = /^(?:19|20)\d\d$/u
const days = weekdayNames.flatMap((day) => [day, `${day}s`])
const months = monthNames.flatMap((month) => [month, month.slice(0, 3)])
const noNames: ReadonlySet<string> = new Set(
  [...days, ...months, 'Sept', 'Christmas', 'Easter', 'I', 'OK'].map((word) => word.toLowerCase()),
)

/** Words with several digits, in small letters. */
export function codesIn(text: string): Set<string> {
  return new Set(
    wordsOf(text)
      .filter((said) => (said.match(/\d/gu)?.length ?? 0) >= leastDigits && !year.test(said))
      .map((said) => said.toLowerCase()),
  )
}

/** Words with a capital amid a sentence, in small letters. People type names in small letters too, so a text that has such a word tells as well. */
export function namesIn(question: string, text: string): Set<string> {
  const asked = lowerWords(question)
  const found = [...capitalsIn(question), ...capitalsIn(text)]
  return new Set(found.filter((name) => asked.has(name)))
}

/** Whether one text has one of these words, and the other lacks it. */
export function onlyFirstHas(named: ReadonlySet<string>, one: string, other: string): boolean {
  if (named.size === 0) return false
  const [known, missing] = [lowerWords(one), lowerWords(other)]
  return [...named].some((name) => known.has(name) && !missing.has(name))
}

/** In other languages, many words have a capital, or none has. */
function capitalsIn(text: string): string[] {
  if (isForeign(text)) return []
  return [...text.matchAll(word)].flatMap(({ 0: match, index }) => {
    const said = match.replace(genitive, '')
    const isName = /^\p{Lu}/u.test(said) && !noNames.has(said.toLowerCase()) && !beginsSentence(text, index)
    return isName ? [said.toLowerCase()] : []
  })
}

function beginsSentence(text: string, index: number): boolean {
  const before = text.slice(0, index)
  const words = before.trimEnd()
  return words === '' || opening.test(words.slice(-1)) || before.slice(words.length).includes('\n')
}

function wordsOf(text: string): string[] {
  return [...text.matchAll(word)].map(([match]) => match.replace(genitive, ''))
}

function lowerWords(text: string): Set<string> {
  return new Set(wordsOf(text).map((said) => said.toLowerCase()))
}
