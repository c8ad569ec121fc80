/** "On the 28th": the day of a month that is not named. English only. */
import type { Tense } from '../words/tense.js'
import { dayOfWeek, weekdayNames } from './calendar.js'
import { monthFormsPattern } from './month-names.js'
import { mayBeHabit } from './single-events.js'

export const ordinalDay = /\b(?:(on|by|until|till|from|since|for) )?the (\d{1,2})(?:st|nd|rd|th)\b/gi

/** "The 28th floor", "the 3rd time". */
const ends = /^(?:$|[,.;:!?)]| (?:at|from|with|for|\d{1,2}[:.ap ]|(?:in the )?(?:morning|afternoon|evening)\b|noon))/i
const someMonth = new RegExp(`\\b(?:${monthFormsPattern}|month|century)\\b`, 'i')
const weekdayBefore = new RegExp(`\\b(${weekdayNames.join('|')}),? $`, 'i')
const mostMonths = 12
const mostLooked = 2_000

export interface OrdinalDay {
  readonly word: string | undefined
  readonly number: number
  readonly sentence: string
  readonly before: string
  readonly after: string
  readonly tense: Tense
  readonly isEvent: boolean
}

/** Null if it is not clear which month is meant. */
export function ordinalDayMeant(found: OrdinalDay, today: number): number | null {
  const { number, before, after, tense } = found
  const near = found.sentence
  if (near.length > mostLooked) return null
  const [, weekday] = weekdayBefore.exec(before) ?? []
  const word = weekday === undefined ? found.word?.toLowerCase() : 'on'
  if (!ends.test(after) || someMonth.test(near) || mayBeHabit(near)) return null
  if ((word === undefined || word === 'from') && !found.isEvent) return null
  const isPast = word === 'since' || (tense === 'past' && word === 'on')
  if (!isPast && tense !== 'future' && !(tense === null && found.isEvent)) return null
  const day = nearestDay(number, today, isPast ? -1 : 1)
  if (day === null || weekday === undefined) return day
  const named = weekdayNames.findIndex((name) => name.toLowerCase() === weekday.toLowerCase())
  return (named + 6) % 7 === dayOfWeek(day) ? day : null
}

/** Today's own number may mean today or another month. */
function nearestDay(number: number, today: number, sign: 1 | -1): number | null {
  const date = new Date(today)
  if (number < 1 || number > 31 || number === date.getUTCDate()) return null
  for (let step = 0; step < mostMonths; step++) {
    const day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + sign * step, number)
    if (new Date(day).getUTCDate() === number && (day - today) * sign > 0) return day
  }
  return null
}
