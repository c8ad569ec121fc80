/** Days, weeks and months around a moment, in UTC, and their written form. */
import { msPerDay } from '../../core/clock.js'
import { monthNames } from './month-names.js'

export const weekdayNames = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

export function dayOf(ms: number): number {
  return Math.floor(ms / msPerDay) * msPerDay
}

export function addDays(day: number, count: number): number {
  return day + count * msPerDay
}

/** Monday is 0. */
export function dayOfWeek(day: number): number {
  return (new Date(day).getUTCDay() + 6) % 7
}

export function mondayOf(day: number): number {
  return addDays(day, -dayOfWeek(day))
}

/** Written out, as readers and the search expect it: `14 November 2026`. */
export function dayText(day: number): string {
  const date = new Date(day)
  return `${date.getUTCDate()} ${monthNames[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

export function monthText(year: number, month: number): string {
  const date = new Date(Date.UTC(year, month, 1))
  return `${monthNames[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

export function weekText(monday: number): string {
  return `week of ${dayText(monday)}`
}

/** `12 and 13 July 2025`, `31 August and 1 September 2025`. */
export function weekendText(saturday: number): string {
  const sunday = addDays(saturday, 1)
  const [first, last] = [new Date(saturday), new Date(sunday)]
  if (first.getUTCFullYear() !== last.getUTCFullYear()) return `${dayText(saturday)} and ${dayText(sunday)}`
  const month = first.getUTCMonth() === last.getUTCMonth() ? '' : ` ${monthNames[first.getUTCMonth()]}`
  return `${first.getUTCDate()}${month} and ${dayText(sunday)}`
}
