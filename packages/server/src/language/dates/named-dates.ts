/** Every date that a text may name, in any notation: "26/11", "nov 26", "26 November", "in November". For comparing two texts. */
import { months } from '../../core/partial-date.js'
import { bareDates, datesOf, type FoundDate } from './dates-in-text.js'
import type { CalendarDate } from './time-span.js'

/** A day and a month without a year. What may be a fraction or "24/7" is none. */
const slashed = /(?<![\d/.,:£$€])(\d{1,2})\/(\d{1,2})(?:\/(\d\d))?(?![\d/%]|[.,]\d)/g
const amountFollows = /^ ?(?:cups?|tsp|tbsp|teaspoons?|inch|"|of|full|miles?|pints?|price|size)/i
const halves = new Set(['1/2', '1/3', '2/3', '1/4', '3/4', '1/8', '3/8', '5/8', '7/8', '24/7', '9/11'])
/** "12 may 3pm": in lower case, the word is a month only where nothing else follows. */
const ends = '(?=$|[,.;:!?)]| (?:at|from|for|with|noon|\\d{1,2}(?:[:.]\\d\\d)? ?[ap]m|\\d{1,2}[:.]\\d\\d))'
const lowerCase = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (may|march)\\b${ends}`, 'g')
const lowerCaseFirst = new RegExp(`\\b(may|march) (\\d{1,2})(?:st|nd|rd|th)?\\b${ends}`, 'g')
/** No other words or names. */
const unmistakable = /\b(january|february|july|september|october|november|december|sept|oct|nov|dec)\b/gi
const firstDay = /(?<![\d./:])(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)? ?(?:and|&|to|-|–) ?$/i
const mostBetween = 12
const mostDates = 12

/** In order. A date that can be read in two ways is there twice. */
export function namedDates(text: string): FoundDate[] {
  const known = datesOf(text)
  const found = [...known, ...bareDates(text, known)]
  const add = (match: RegExpMatchArray, dates: readonly (CalendarDate | null)[]) => {
    const [start, end] = [match.index ?? 0, (match.index ?? 0) + match[0].length]
    if (found.length >= mostDates || found.some((other) => start < other.end && other.start < end)) return
    for (const date of dates) if (date) found.push({ start, end, date })
  }
  // "28 and 29 November": the first day has no month of its own.
  for (const { start, date } of known) {
    const before = text.slice(Math.max(0, start - mostBetween), start)
    const first = date.day === undefined ? null : firstDay.exec(before)
    const place = start - before.length + (first?.index ?? 0)
    if (first) found.push({ start: place, end: start, date: { ...date, day: Number(first[1]) } })
  }
  for (const match of text.matchAll(slashed)) {
    const [whole, one, two, year] = match
    const isAmount = halves.has(whole) || amountFollows.test(text.slice(match.index + whole.length).slice(0, 12))
    if (!isAmount) add(match, readings(Number(one), Number(two), year))
  }
  for (const match of text.matchAll(lowerCase)) add(match, [dayIn(monthOf(match[2]), Number(match[1]))])
  for (const match of text.matchAll(lowerCaseFirst)) add(match, [dayIn(monthOf(match[1]), Number(match[2]))])
  for (const match of text.matchAll(unmistakable)) add(match, [{ month: monthOf(match[1]) }])
  return found.sort((a, b) => a.start - b.start)
}

/** Blanks take their place, so that positions stay. */
export function withoutDates(text: string, dates: readonly FoundDate[]): string {
  let rest = text
  for (const { start, end } of dates) rest = rest.slice(0, start) + ' '.repeat(end - start) + rest.slice(end)
  return rest
}

/** Day or month first: both if that is not clear. */
function readings(one: number, two: number, year: string | undefined): CalendarDate[] {
  const inYear = year === undefined ? {} : { year: 2000 + Number(year) }
  const dates = [dayIn(two - 1, one), one === two ? null : dayIn(one - 1, two)]
  return dates.flatMap((date) => (date ? [{ ...date, ...inYear }] : []))
}

function dayIn(month: number, day: number): CalendarDate | null {
  return month >= 0 && month < 12 && day >= 1 && day <= 31 ? { month, day } : null
}

function monthOf(name: string | undefined): number {
  const start = name?.slice(0, 3).toLowerCase() ?? ''
  return months.findIndex((known) => known.startsWith(start))
}

/** Whether one may be a part of the other: "November" and "26 November". */
export function mayBeSame(one: CalendarDate, two: CalendarDate): boolean {
  const agree = (a: number | undefined, b: number | undefined) => a === undefined || b === undefined || a === b
  if (one.season !== two.season) return false
  const shared =
    (one.month !== undefined && two.month !== undefined) || (one.year !== undefined && two.year !== undefined)
  return shared && agree(one.year, two.year) && agree(one.month, two.month) && agree(one.day, two.day)
}
