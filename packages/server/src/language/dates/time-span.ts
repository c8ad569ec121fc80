/** Spans of time, and how well a moment fits them. */
import { msPerDay } from '../../core/clock.js'

/** From (inclusive) to (exclusive), in milliseconds. Infinite where it is open. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

/** The parts of a date that were given. */
export interface CalendarDate {
  readonly year?: number
  /** From 0. */
  readonly month?: number
  readonly day?: number
  /** From 0, which is winter. */
  readonly season?: number
}

export const unitMs = { day: msPerDay, week: 7 * msPerDay, month: 30 * msPerDay, year: 365 * msPerDay } as const

/** The whole day, month, season or year. */
export function wholeSpan({ year = 1970, month, day, season }: CalendarDate): TimeSpan {
  if (season !== undefined) {
    // Of the northern hemisphere. The winter of a year begins in the December before it.
    const first = season * 3 - 1
    return { from: Date.UTC(year, first, 1), to: Date.UTC(year, first + 3, 1) }
  }
  if (month === undefined) return { from: Date.UTC(year, 0, 1), to: Date.UTC(year + 1, 0, 1) }
  if (day === undefined) return { from: Date.UTC(year, month, 1), to: Date.UTC(year, month + 1, 1) }
  return { from: Date.UTC(year, month, day), to: Date.UTC(year, month, day + 1) }
}

/** The latest such date that has begun, or with `over` the latest that has ended. */
export function latestBefore(date: CalendarDate, now: number, over: boolean): TimeSpan {
  const year = new Date(now).getUTCFullYear()
  for (const candidate of [year + 1, year]) {
    const span = wholeSpan({ ...date, year: candidate })
    if ((over ? span.to : span.from) <= now) return span
  }
  return wholeSpan({ ...date, year: year - 1 })
}

const ordinals = ['first', 'second', 'third', 'fourth']

/** "Early", "end of" or "second week of" before a month select a part of it. */
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

/** The last such weekday before today, and the one a week earlier: "last Tuesday" may mean either. */
export function weekdaySpans(weekday: number, today: number): TimeSpan[] {
  const back = (new Date(today).getUTCDay() - weekday + 7) % 7 || 7
  const from = today - back * msPerDay
  return [
    { from, to: from + msPerDay },
    { from: from - 7 * msPerDay, to: from - 6 * msPerDay },
  ]
}

/** The tolerance outside a span grows with its length, and is at least this. */
const leastEdgeMs = { before: 2 * msPerDay, after: 4 * msPerDay }
/** The tolerance of a span that is open on one side. */
const openEdgeMs = 30 * msPerDay

/** 1 inside one of the spans, and lower the farther outside. Events are often mentioned later, so after counts as nearer than before. */
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

/** Widens a span so that it includes what is said a little later. Empty for an open span, which would exclude too little. */
export function widened({ from, to }: TimeSpan): TimeSpan[] {
  if (to - from === Infinity) return []
  return [{ from: from - leastEdgeMs.before, to: to + leastEdgeMs.after }]
}
