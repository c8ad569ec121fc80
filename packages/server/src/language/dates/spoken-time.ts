/** What a time word of another language says, and the spans that it means in a memory and in a question. */
import { msPerDay } from '../../core/clock.js'
import { addDays, dayOf, dayOfWeek, mondayOf } from './calendar.js'
import { type CalendarDate, latestBefore, type TimeSpan, unitMs, weekdaySpans, wholeSpan } from './time-span.js'

export type Unit = 'day' | 'week' | 'weekend' | 'month' | 'year'

/**
 * `last` is the nearest before today and `coming` the nearest after it. People use the words for `previous` and `next` for either the nearest or the
 * one of the neighbouring week.
 */
export type Which = 'last' | 'previous' | 'this' | 'coming' | 'next'

export type SpokenTime =
  | { readonly kind: 'day'; readonly offset: number }
  /** Monday is 0. `weeks`: it is the one of a week that is named too. */
  | { readonly kind: 'weekday'; readonly weekday: number; readonly which: Which | null; readonly weeks?: number }
  | { readonly kind: 'unit'; readonly unit: Unit; readonly which: Which }
  | { readonly kind: 'amount'; readonly count: number; readonly unit: Unit; readonly sign: 1 | -1 }
  /** `years`: the year is named relative to this one. */
  | { readonly kind: 'date'; readonly date: CalendarDate; readonly which: Which | null; readonly years?: number }

const stepOf = { last: -1, previous: -1, this: 0, coming: 1, next: 1 } as const

/** Empty where the words alone do not say which day or month it was: "on Monday", "in May". */
export function spansOfMemory(time: SpokenTime, saidAt: number): TimeSpan[] {
  const today = dayOf(saidAt)
  switch (time.kind) {
    case 'day':
      return [dayAt(addDays(today, time.offset))]
    case 'weekday':
      if (time.weeks !== undefined) return [dayAt(addDays(mondayOf(today), 7 * time.weeks + time.weekday))]
      return time.which === null ? [] : weekdaysMeant(time.weekday, time.which, today).map(dayAt)
    case 'unit':
      return [unitAt(time.unit, stepOf[time.which], today)]
    case 'amount':
      return [amountAt(time, today)]
    case 'date':
      return dateMeant(time, saidAt)
  }
}

/** As the English questions are read: generous around "last week" and "two weeks ago". */
export function spansOfQuestion(time: SpokenTime, now: number): TimeSpan[] {
  const today = dayOf(now)
  switch (time.kind) {
    case 'weekday':
      if (time.weeks !== undefined || time.which === 'coming' || time.which === 'next') return spansOfMemory(time, now)
      return weekdaySpans((time.weekday + 1) % 7, today)
    case 'unit': {
      const step = stepOf[time.which]
      if (time.unit === 'week' && step === -1) return [{ from: now - 2 * unitMs.week, to: now }]
      if (time.unit === 'week' && step === 0) return [{ from: now - unitMs.week, to: now + msPerDay }]
      const span = unitAt(time.unit, step, today)
      return [step === 0 ? { ...span, to: Math.max(span.from + msPerDay, now + msPerDay) } : span]
    }
    case 'amount': {
      const size = time.unit === 'weekend' ? unitMs.week : unitMs[time.unit]
      const middle = now + time.sign * time.count * size
      return [{ from: middle - size / 2, to: middle + size / 2 }]
    }
    case 'date': {
      const { date, which } = time
      const isOpen = date.year === undefined && time.years === undefined
      if (isOpen && (which === null || stepOf[which] < 0)) return [latestBefore(date, now, which !== null)]
      return dateMeant(time, now)
    }
    default:
      return spansOfMemory(time, now)
  }
}

function dayAt(day: number): TimeSpan {
  return { from: day, to: addDays(day, 1) }
}

function weekdaysMeant(weekday: number, which: Which, today: number): number[] {
  const thisWeek = addDays(mondayOf(today), weekday)
  const before = addDays(today, -((dayOfWeek(today) - weekday + 7) % 7 || 7))
  const after = addDays(today, (weekday - dayOfWeek(today) + 7) % 7 || 7)
  switch (which) {
    case 'last':
      return [before]
    case 'previous':
      return [before, addDays(thisWeek, -7)]
    case 'coming':
      return [after]
    case 'next':
      return [after, addDays(thisWeek, 7)]
    default:
      return thisWeek < today ? [thisWeek, addDays(thisWeek, 7)] : [thisWeek]
  }
}

function unitAt(unit: Unit, step: number, today: number): TimeSpan {
  const date = new Date(today)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const monday = addDays(mondayOf(today), 7 * step)
  switch (unit) {
    case 'day':
      return dayAt(addDays(today, step))
    case 'week':
      return { from: monday, to: addDays(monday, 7) }
    case 'weekend':
      return { from: addDays(monday, 5), to: addDays(monday, 7) }
    case 'month':
      return { from: Date.UTC(year, month + step, 1), to: Date.UTC(year, month + step + 1, 1) }
    default:
      return wholeSpan({ year: year + step })
  }
}

function amountAt({ count, unit, sign }: Extract<SpokenTime, { kind: 'amount' }>, today: number): TimeSpan {
  if (unit === 'day') return dayAt(addDays(today, sign * count))
  if (unit === 'week') return dayAt(addDays(today, sign * 7 * count))
  return unitAt(unit, sign * count, today)
}

function dateMeant({ date, which, years }: Extract<SpokenTime, { kind: 'date' }>, saidAt: number): TimeSpan[] {
  const year = new Date(saidAt).getUTCFullYear()
  if (date.year !== undefined) return [wholeSpan(date)]
  if (years !== undefined) return [wholeSpan({ ...date, year: year + years })]
  if (which === null) return date.day === undefined ? [] : [nearestTo({ ...date }, saidAt)]
  const step = stepOf[which]
  if (step < 0) return [latestBefore(date, saidAt, true)]
  const candidates = [year, year + 1].map((candidate) => wholeSpan({ ...date, year: candidate }))
  const found = candidates.find(({ from, to }) => (step === 0 ? to > saidAt : from > saidAt))
  return found ? [found] : []
}

/** A day without a year: the one nearest to when it was mentioned. */
function nearestTo(date: CalendarDate, at: number): TimeSpan {
  const year = new Date(at).getUTCFullYear()
  const spans = [year - 1, year, year + 1].map((candidate) => wholeSpan({ ...date, year: candidate }))
  const distance = ({ from }: TimeSpan) => Math.abs(from - at)
  return spans.reduce((best, span) => (distance(span) < distance(best) ? span : best))
}
