/** Stretches of time, and how well a moment fits them. */
import { msPerDay } from '../../core/clock.js'

/** From (included) to (not included), in milliseconds; infinite where it is open. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

/** As much of a date as was said. */
export interface CalendarDate {
  readonly year?: number
  /** From 0. */
  readonly month?: number
  readonly day?: number
  /** From winter, 0. */
  readonly season?: number
}

export const unitMs = { day: msPerDay, week: 7 * msPerDay, month: 30 * msPerDay, year: 365 * msPerDay } as const

/** All of the day, month, season or year; a date without a year has none. */
export function wholeSpan({ year = 1970, month, day, season }: CalendarDate): TimeSpan {
  if (season !== undefined) {
    // Of the northern half of the world; the winter of a year begins in the December before it.
    const first = season * 3 - 1
    return { from: Date.UTC(year, first, 1), to: Date.UTC(year, first + 3, 1) }
  }
  if (month === undefined) return { from: Date.UTC(year, 0, 1), to: Date.UTC(year + 1, 0, 1) }
  if (day === undefined) return { from: Date.UTC(year, month, 1), to: Date.UTC(year, month + 1, 1) }
  return { from: Date.UTC(year, month, day), to: Date.UTC(year, month, day + 1) }
}

/** The latest of its kind that has begun, or that is over. */
export function latestBefore(date: CalendarDate, now: number, over: boolean): TimeSpan {
  const year = new Date(now).getUTCFullYear()
  for (const candidate of [year + 1, year]) {
    const span = wholeSpan({ ...date, year: candidate })
    if ((over ? span.to : span.from) <= now) return span
  }
  return wholeSpan({ ...date, year: year - 1 })
}

const ordinals = ['first', 'second', 'third', 'fourth']

/** "Early", "end of", "second week of" before a month take a part of it. */
export function partOf(span: TimeSpan, before: string): TimeSpan {
  const [, part] =
    /(early|beginning of|start of|late|end of|mid|middle of|first half of|second half of|(?:first|second|third|fourth|last) week of)[ -](?:the )?$/i.exec(
      before,
    ) ?? []
  if (part === undefined) return span
  const length = span.to - span.from
  const between = (from: number, to: number): TimeSpan => ({ from: span.from + from, to: span.from + to })
  const word = part.toLowerCase()
  if (word === 'first half of') return between(0, length / 2)
  if (word === 'second half of') return between(length / 2, length)
  if (word.endsWith('week of')) {
    const week = ordinals.findIndex((ordinal) => word.startsWith(ordinal))
    return week === -1 ? between(length - unitMs.week, length) : between(week * unitMs.week, (week + 1) * unitMs.week)
  }
  if (word === 'early' || word.startsWith('beginning') || word.startsWith('start')) return between(0, length / 3)
  return word.startsWith('mid') ? between(length / 3, (2 * length) / 3) : between((2 * length) / 3, length)
}

/** The last such day before today, and the one a week before it: "last Tuesday" may mean either. */
export function weekdaySpans(weekday: number, today: number): TimeSpan[] {
  const back = (new Date(today).getUTCDay() - weekday + 7) % 7 || 7
  const from = today - back * msPerDay
  return [
    { from, to: from + msPerDay },
    { from: from - 7 * msPerDay, to: from - 6 * msPerDay },
  ]
}

/** Just outside a stretch is nearly inside, by its length and at least by this. */
const leastEdgeMs = { before: 2 * msPerDay, after: 4 * msPerDay }
/** Of what is open to one side. */
const openEdgeMs = 30 * msPerDay

/** 1 inside one of the spans, and less the farther outside. What happened is often told later, so after is less far than before. */
export function timeFit(spans: readonly TimeSpan[], at: number): number {
  return spans.reduce((best, span) => Math.max(best, fitOf(span, at)), 0)
}

function fitOf({ from, to }: TimeSpan, at: number): number {
  if (at >= from && at < to) return 1
  const length = to - from
  const distance = at < from ? from - at : at - to
  if (length === Infinity) return Math.exp(-distance / openEdgeMs)
  const edge = at < from ? Math.max(leastEdgeMs.before, length / 4) : Math.max(leastEdgeMs.after, length / 2)
  return Math.exp(-distance / edge)
}

export function overlaps(a: TimeSpan, b: TimeSpan): boolean {
  return a.from < b.to && b.from < a.to
}

/** Wide enough that what is told a little later is in it; nothing of a span that is open: it leaves out too little. */
export function widened({ from, to }: TimeSpan): TimeSpan[] {
  if (to - from === Infinity) return []
  return [{ from: from - leastEdgeMs.before, to: to + leastEdgeMs.after }]
}
