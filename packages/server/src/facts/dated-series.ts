/**
 * Values of different days: "weighed 71kg on 1 September", "weighed 69kg on 1 November". Both stay true, so neither changes the other.
 * "The dentist is on 3 December" and "the dentist moved to 10 December" are a change.
 */

import { pattern } from '../core/pattern.js'
import type { FoundDate } from '../language/dates/dates-in-text.js'
import { mayBeSame, namedDates, withoutDates } from '../language/dates/named-dates.js'
import { saysThatItChanged } from '../language/words/change-words.js'
import { isPast } from '../language/words/tense.js'
import { areOfDifferentThings } from './attribute-of.js'
import { areNumberedApart } from './same-words.js'

const mostCharacters = 300
/** A value that holds from a date on, or a plan. */
const lasting = new RegExp(
  pattern`
    (?<![\p{L}])(?:is|are|am|['’]s|has|have|will|from|since|starting|starts?|until|till|as of|effective|due|by|costs|moved|planned
    |scheduled|booked|set for|supposed|meant|originally|actually|correction|not|no|rent|salary|price|rate|fee|hotel|flight)(?![\p{L}])
  `,
  'iu',
)
/** Measured or paid. A time of day is neither. */
const measured = new RegExp(
  pattern`
    [£$€¥]\s?\d|\d{2,3}\/\d{2,3}|\bread(?:ing)? \d|\d\s?(?:kgs?|kilos?|lbs?|stone|pounds?|quid|euros?|dollars?|%|percent
    |km|miles?|cm|steps|bpm|kwh|units|litres?|ml|points|hours|hrs|mins?|minutes|seconds|calories|kcal|mmol|degrees
    |°c?)(?![\p{L}\p{N}])
  `,
  'iu',
)

export function areDatedApart(fresh: string, old: string): boolean {
  // "We sold 120 units in July" changes nothing.
  if (saysThatItChanged(fresh.slice(0, mostCharacters).replace(/\bsold\b/giu, ''))) return false
  const [mine, theirs] = [datesOfValue(fresh), datesOfValue(old)]
  if (mine === null || theirs === null) return false
  // The same value on another day: the day has moved.
  if (numbersIn(fresh, mine) === numbersIn(old, theirs)) return false
  return mine.every(({ date }) => theirs.every((other) => !mayBeSame(date, other.date)))
}

function numbersIn(text: string, dates: readonly FoundDate[]): string {
  return (withoutDates(text, dates).match(/\d[\d.,:/]*/gu) ?? []).join(' ')
}

/** Whether two texts are about different things or days, so that neither changes nor repeats the other. */
export function areApart(fresh: string, old: string): boolean {
  return areNumberedApart(fresh, old) || areDatedApart(fresh, old) || areOfDifferentThings(fresh, old)
}

/** The words that all values of a series have, without the values and the dates. Null if the text is no such value. */
export function seriesOf(text: string): string | null {
  const dates = datesOfValue(text)
  if (dates === null) return null
  const words =
    withoutDates(text, dates)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  return words.length === 0 ? null : words.join(' ')
}

/** Null if the text is not a value of a day or month. */
function datesOfValue(text: string): readonly FoundDate[] | null {
  if (text.length > mostCharacters) return null
  const dates = namedDates(text)
  if (dates.length === 0 || lasting.test(text)) return null
  const rest = withoutDates(text, dates)
  if (!/\d/u.test(rest)) return null
  return measured.test(rest) || (isPast(rest) && !/\d(?::\d\d|\s?[ap]m\b)/iu.test(rest)) ? dates : null
}
