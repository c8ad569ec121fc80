/** Days of the reader's own zone, counted so that a slider can stand on them. */

export type Step = 'day' | 'week' | 'month'

/** The number of the day that a moment is on. */
export function dayOf(moment: Date): number {
  return Math.round(Date.UTC(moment.getFullYear(), moment.getMonth(), moment.getDate()) / 86_400_000)
}

/** The last millisecond of a day, so that all of it has happened. */
export function endOfDay(day: number): Date {
  const { year, month, date } = partsOf(day)
  return new Date(year, month, date, 23, 59, 59, 999)
}

/** A month earlier or later is the same date there, or its last one. */
export function stepped(day: number, step: Step, direction: 1 | -1): number {
  if (step === 'day') return day + direction
  if (step === 'week') return day + 7 * direction
  const { year, month, date } = partsOf(day)
  const longest = new Date(Date.UTC(year, month + direction + 1, 0)).getUTCDate()
  return Date.UTC(year, month + direction, Math.min(date, longest)) / 86_400_000
}

/** As `<input type="date">` writes it. */
export function isoDay(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10)
}

/** Undefined where the text is no date. */
export function readDay(text: string): number | undefined {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms / 86_400_000
}

function partsOf(day: number): { year: number; month: number; date: number } {
  const utc = new Date(day * 86_400_000)
  return { year: utc.getUTCFullYear(), month: utc.getUTCMonth(), date: utc.getUTCDate() }
}
