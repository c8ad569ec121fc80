/** Days in the local time zone, as numbers that a slider can use. */

export type Step = 'day' | 'week' | 'month'

/** The number of the day that contains the given time. */
export function dayOf(moment: Date): number {
  return Math.round(Date.UTC(moment.getFullYear(), moment.getMonth(), moment.getDate()) / 86_400_000)
}

/** The last millisecond of a day, so that the whole day is included. */
export function endOfDay(day: number): Date {
  const { year, month, date } = partsOf(day)
  return new Date(year, month, date, 23, 59, 59, 999)
}

/** A step of one month keeps the day of the month, or uses the last day if the month is shorter. */
export function stepped(day: number, step: Step, direction: 1 | -1): number {
  if (step === 'day') return day + direction
  if (step === 'week') return day + 7 * direction
  const { year, month, date } = partsOf(day)
  const longest = new Date(Date.UTC(year, month + direction + 1, 0)).getUTCDate()
  return Date.UTC(year, month + direction, Math.min(date, longest)) / 86_400_000
}

/** In the format of `<input type="date">`. */
export function isoDay(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10)
}

/** Undefined if the text is not a date. */
export function readDay(text: string): number | undefined {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms / 86_400_000
}

function partsOf(day: number): { year: number; month: number; date: number } {
  const utc = new Date(day * 86_400_000)
  return { year: utc.getUTCFullYear(), month: utc.getUTCMonth(), date: utc.getUTCDate() }
}
