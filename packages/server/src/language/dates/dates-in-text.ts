/** Finds dates in a text: unambiguous ones, and words such as "May" that are a date only beside certain other words. */
import { months } from '../../core/partial-date.js'
import { monthFormsPattern } from './month-names.js'
import type { CalendarDate } from './time-span.js'

export interface FoundDate {
  readonly start: number
  readonly end: number
  readonly date: CalendarDate
}

const shortMonths = months.map((name) => name.slice(0, 3))
const month = `(${monthFormsPattern})`
const year = '((?:19|20)\\d\\d)'
const day = '(\\d{1,2})(?:st|nd|rd|th)?'
const seasonNames = ['winter', 'spring', 'summer', 'autumn', 'fall']

/** A text may have more dates, but no more are read. */
const mostDates = 8

type DateRule = readonly [RegExp, (groups: readonly string[]) => CalendarDate | null]

const dateRules: readonly DateRule[] = [
  [/\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b/g, ([y, m, d]) => numbered(y, m, d)],
  [/\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b/g, ([d, m, y]) => numbered(y, m, d)],
  // Day or month first if that is clear, otherwise the month.
  [/\b(\d{1,2})\/(\d{1,2})\/(\d{4})\b/g, ([a, b, y]) => numbered(y, a, b) ?? numbered(y, b, a)],
  [new RegExp(`\\b${day}(?: of)? ${month}\\b\\.?(?:,? ?${year}\\b)?`, 'gi'), ([d, m, y]) => dated(y, m, d)],
  [new RegExp(`\\b${month}\\.? ${day}(?!\\d|[.:/-]\\d)(?:,? ?${year}\\b)?`, 'gi'), ([m, d, y]) => dated(y, m, d)],
  [new RegExp(`\\b${month},?(?: of)? ${year}\\b`, 'gi'), ([m, y]) => dated(y, m, undefined)],
  [
    new RegExp(`\\b(${seasonNames.join('|')}),?(?: of| in)? ${year}\\b`, 'gi'),
    ([name, y]) => ({ season: seasonOf(name), year: Number(y) }),
  ],
]

function numbered(y: string | undefined, m: string | undefined, d: string | undefined): CalendarDate | null {
  const date = { year: Number(y), month: Number(m) - 1, day: Number(d) }
  return date.month >= 0 && date.month < 12 && date.day >= 1 && date.day <= 31 ? date : null
}

function dated(y: string | undefined, m: string | undefined, d: string | undefined): CalendarDate | null {
  const date: CalendarDate = { month: monthOf(m) }
  // "The top 10 may differ", "7 march on".
  if (y === undefined && (m === 'may' || m === 'march')) return null
  if (d !== undefined && (Number(d) < 1 || Number(d) > 31)) return null
  return { ...date, ...(d === undefined ? {} : { day: Number(d) }), ...(y === undefined ? {} : { year: Number(y) }) }
}

function monthOf(name: string | undefined): number {
  return shortMonths.indexOf(name?.slice(0, 3).toLowerCase() ?? '')
}

function seasonOf(name: string | undefined): number {
  return Math.min(3, seasonNames.indexOf(name?.toLowerCase() ?? ''))
}

/** Unambiguous dates, in order. Of two that overlap, the one that the earlier rule found. */
export function datesOf(text: string): FoundDate[] {
  const found: FoundDate[] = []
  for (const [pattern, read] of dateRules) {
    for (const match of text.matchAll(pattern)) {
      const start = match.index
      const end = start + match[0].length
      const date = found.some((other) => start < other.end && other.start < end) ? null : read(match.slice(1))
      if (date) found.push({ start, end, date })
      if (found.length === mostDates) break
    }
  }
  return found.sort((a, b) => a.start - b.start)
}

/* ------------------------------------------------------------------ dates that need a neighbour */

const beforeMonth =
  /(?:^|[\s(-])(?:in|last|this|since|until|till|by|before|after|during|from|through|throughout|early|late|mid|between|(?:month|beginning|start|middle|end|half|week) of)[\s-](?:the month of )?$/i
const beforeLowerCaseMay = /(?:^|\s)(?:in|last|since|until|till|during|of) $/
const beforeYear =
  /(?:^|[\s(])(?:in|since|until|till|before|after|during|from|between|by|throughout|the year|early|late|mid|end of|beginning of)[\s-]$/i
const beforeSeason =
  /(?:^|\s)(?:last|this|past|previous|(?:in|during|over|since|before|after|until|throughout)(?: the)?) $/i
/** "Spring break" and "the Spring Fling" are not seasons. */
const afterSeason =
  /^(?:$|[,.;:?!)]| (?:of|in|and|or|with|when|while|for|to|at|on|by|before|after|from|as|that|did|do|does|is|was|were|are|has|have)\b)/i
const future = /(?:^|\s)(?:next|coming|upcoming) $/i

/** The text between two dates that form a range. */
export const joins = /^ ?(?:to|until|till|through|and|-|–) ?(?:the )?(?:early|late|mid|beginning of|end of)?[ -]?$/i

/** Finds months, seasons and years on their own, such as "in May", "last summer", "since 2019". */
export function bareDates(text: string, known: readonly FoundDate[]): FoundDate[] {
  const found: FoundDate[] = []
  const pattern = new RegExp(`\\b(?:${month}|(${seasonNames.join('|')})|${year})\\b(?!['’]s|%|,\\d)`, 'gi')
  for (const match of text.matchAll(pattern)) {
    const [word, monthName, season, number] = match
    const start = match.index
    const before = text.slice(Math.max(0, start - 24), start)
    const previous = [...known, ...found].find(({ end }) => joins.test(text.slice(end, start)) && end <= start)
    if (known.some((other) => start < other.end && other.start < start + word.length) || future.test(before)) continue
    let date: CalendarDate | null = null
    if (monthName && (previous || beforeMonth.test(before)) && (word !== 'may' || beforeLowerCaseMay.test(before)))
      date = { month: monthOf(monthName) }
    else if (season && isSeason(season, before, text.slice(start + word.length, start + word.length + 8)))
      date = { season: seasonOf(season) }
    else if (number && (previous || beforeYear.test(before))) date = { year: Number(number) }
    if (date) found.push({ start, end: start + word.length, date })
    if (found.length === mostDates) break
  }
  return found
}

function isSeason(name: string, before: string, after: string): boolean {
  if (!beforeSeason.test(before) || !afterSeason.test(after)) return false
  return name.toLowerCase() !== 'fall' || /(?:last|this|the) $/i.test(before)
}
