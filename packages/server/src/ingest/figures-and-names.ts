import { digits } from '../language/words/words.js'

/** Whether a text has every number and every name of another one. A name at the beginning of a sentence looks like any word. */
export function hasFiguresAndNamesOf(content: string, other: string): boolean {
  const known = `${content.toLowerCase()} ${inDigits(content)}`
  const figures = other.match(/\d+(?:[.,:]\d+)*/gu) ?? []
  const names = other.match(/(?<=[\p{L}\p{N},;:)] )\p{Lu}[\p{L}\p{N}'’-]+/gu) ?? []
  const isKnown = (word: string) => known.includes(word) || known.includes(word.replace('.', ':'))
  return hasLabelsOf(content, other) && [...figures, ...names].every((word) => isKnown(word.toLowerCase()))
}

const ordinals = 'third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'.split(' ')
const firstOrdinal = 3
const clock = /\b(half|quarter) (past|to) ([a-z]{3,6}|\d{1,2})\b/gu
const shortYear = /(?<![\p{L}\p{N}])['’](\d\d)(?!\p{N})/gu

/** The numbers that a text has in words or in short, in digits: "quarter past three" is 3:15, "ninth" 9, "'78" 1978 or 2078. */
function inDigits(text: string): string {
  const said = text.toLowerCase()
  const times = [...said.matchAll(clock)].map(([, part = '', way = '', hour = '']) => {
    const at = Number(digits(hour))
    if (way === 'past') return `${at}:${part === 'half' ? 30 : 15}`
    return part === 'quarter' ? `${at === 1 ? 12 : at - 1}:45` : ''
  })
  const years = [...said.matchAll(shortYear)].map(([, year]) => `19${year} 20${year}`)
  // "One" is rarely a number.
  const numbers = (said.match(/\p{L}+/gu) ?? []).flatMap((word) => {
    const place = ordinals.indexOf(word)
    const number = place >= 0 ? String(place + firstOrdinal) : digits(word)
    return number === word || number === '1' ? [] : [number]
  })
  return [...times, ...years, ...numbers].join(' ')
}

/** "exp A", "ward C": one capital tells a thing from another of its kind. */
const label = /(?<=\p{Ll} )(?!I(?!\p{L}))\p{Lu}(?![\p{L}\p{N}'’.+#&-])/gu

function hasLabelsOf(content: string, other: string): boolean {
  const words = new Set(content.toLowerCase().match(/[\p{L}\p{N}]+/gu))
  return (other.match(label) ?? []).every((letter) => words.has(letter.toLowerCase()))
}
