/**
 * "Yesterday", "next Friday", "two weeks ago": a relative date gets the calendar date in brackets after it, so that it
 * is still correct when it is read later. English only. Left alone: recurring days ("on Mondays"), days relative to
 * another day than today ("the next day"), durations ("for two weeks"), text that already has a date, quotations and
 * titles, and anything ambiguous. What a note without a verb means: `single-events.ts`.
 */

import type { Edit } from '../sentences/edits.js'
import { masked } from '../sentences/mask.js'
import { isPlannedAt, type Tense, tenseAt } from '../words/tense.js'
import {
  addDays,
  dayOf,
  dayOfWeek,
  dayText,
  mondayOf,
  monthText,
  weekdayNames,
  weekendText,
  weekText,
} from './calendar.js'
import { monthNames } from './month-names.js'
import { ordinalDay, ordinalDayMeant } from './ordinal-days.js'
import { isOpeningTime, isSingleEventAt } from './single-events.js'

interface Found {
  readonly groups: readonly (string | undefined)[]
  readonly before: string
  readonly after: string
  /** Computed only where it matters. */
  tense(): Tense
  /** A plan, not just a timetable: "we are moving", "I will". */
  isPlanned(): boolean
  /** A note without a verb about something that will take place once. */
  isEvent(): boolean
  readonly sentence: string
}

type Rule = readonly [RegExp, (found: Found, today: number) => string | null]

const numbers = 'one two three four five six seven eight nine ten eleven twelve'.split(' ')
const amount = `(an?|\\d{1,3}|${numbers.join('|')}|(?:a )?couple(?: of)?)`
const unit = '(day|week|fortnight|month|year)'
const shortDays = 'mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun'
const weekday = `(${weekdayNames.join('|')}|${shortDays})`
const month = `(${monthNames.join('|')})`
const season = '(spring|summer|autumn|fall|winter)'
const partOfDay = '(?: (?:morning|afternoon|evening|night))?'
/** Holidays with a fixed month. */
const feasts: Readonly<Record<string, number>> = { christmas: 11, halloween: 9, thanksgiving: 10 }

const rules: readonly Rule[] = [
  [/\bthe day before yesterday\b/gi, (_, today) => dayText(addDays(today, -2))],
  [/\bthe day after tomorrow\b/gi, (_, today) => dayText(addDays(today, 2))],
  [
    new RegExp(`\\byesterday${partOfDay}\\b`, 'gi'),
    ({ before }, today) =>
      /\b(?:like|as if)(?: it was)?(?: just| only)? $/i.test(before) ? null : dayText(addDays(today, -1)),
  ],
  [
    new RegExp(`\\btomorrow${partOfDay}\\b`, 'gi'),
    (found, today) => (isSaying(found) ? null : dayText(addDays(today, 1))),
  ],
  [/\blast night\b/gi, (_, today) => dayText(addDays(today, -1))],
  [
    /\b(?:today|tonight|this (?:morning|afternoon|evening))\b/gi,
    (found, today) => (isAge(found) ? null : dayText(today)),
  ],
  [new RegExp(`\\b${amount} ${unit}s? ago\\b`, 'gi'), ago],
  [new RegExp(`\\bin ${amount} ${unit}s?(?:['’]s?)?( time)?\\b`, 'gi'), ahead],
  [new RegExp(`\\b${amount} ${unit}s? from (?:now|today)\\b`, 'gi'), ({ groups }, today) => moved(groups, today, 1)],
  [new RegExp(`\\b(last|next|this|this past|this coming) ${weekday}${partOfDay}\\b`, 'gi'), namedDay],
  [new RegExp(`\\b(on|since|until|till|by) ${weekday}${partOfDay}\\b`, 'gi'), plainDay],
  [new RegExp(`\\b${weekday}${partOfDay}\\b`, 'gi'), bareDay],
  [ordinalDay, dayOfMonth],
  [/\b(last|next|this|this past|this coming) (week|weekend|month|year)\b/gi, calendarUnit],
  [/\b(?:over|at|on) the weekend\b/gi, (found, today) => weekendNear(today, found.tense())],
  [new RegExp(`\\b(last|next|this|this past|this coming) ${month}\\b`, 'gi'), namedMonth],
  [new RegExp(`\\b([Ii]n|[Ss]ince|[Uu]ntil|[Tt]ill|[Bb]y|[Ee]arly|[Ll]ate) ${month}\\b`, 'g'), plainMonth],
  [new RegExp(`\\b(last|next|this|this past|this coming) ${season}\\b`, 'gi'), namedSeason],
  [/\b(last|next) (Christmas|Halloween|Thanksgiving)\b/gi, namedFeast],
]

const looked = 40
const mostAround = 400
const mostDates = 60
const dateFollows = new RegExp(
  `^,? ?(?:the )?(?:\\(|\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${month}|${month} \\d|\\d{1,2}[./-]\\d|\\d{4}\\b)`,
  'i',
)
const possessive = /^['’]s\b/

/** The brackets to insert into a sentence that was said at `at`. */
export function dateEdits(sentence: string, at: number): Edit[] {
  if (!mayHaveDate.test(sentence)) return []
  const text = masked(sentence)
  const today = dayOf(at)
  const found: Edit[] = []
  const taken: { start: number; end: number }[] = []
  for (const [pattern, read] of rules) {
    for (const match of text.matchAll(pattern)) {
      const start = match.index
      const end = start + match[0].length
      if (taken.length >= mostDates) return found
      if (taken.some((other) => start < other.end && other.start < end)) continue
      const before = text.slice(Math.max(0, start - looked), start)
      const after = text.slice(end, end + looked)
      if (isTitle(match[0], before) || /^[\p{L}\p{N}_-]/u.test(after) || dateFollows.test(after)) continue
      // Without the date: "sat" is a verb too. Of a long sentence, only what is near.
      const from = Math.max(0, start - mostAround)
      const rest = () => text.slice(from, start) + ' '.repeat(end - start) + text.slice(end, end + mostAround)
      const asked = {
        tense: () => tenseAt(rest(), start - from),
        isPlanned: () => isPlannedAt(rest(), start - from),
        isEvent: () => isSingleEventAt(rest(), start - from),
      }
      const date = read({ groups: match.slice(1), before, after, sentence: text, ...asked }, today)
      taken.push({ start, end })
      if (date === null) continue
      const place = end + (possessive.exec(after)?.[0].length ?? 0)
      found.push({ start: place, end: place, text: ` (${date})` })
    }
  }
  return found
}

/** For a quick check: most sentences mention no day. */
const dayWords = 'yesterday|today|tonight|tomorrow|last|next|this|ago|from now|weekend|the \\d'
const mayHaveDate = new RegExp(
  `\\b(?:${dayWords}|in (?:an?|\\d|${numbers.join('|')}|couple)|${weekdayNames.join('|')}|(?:${shortDays})\\b|${monthNames.join('|')})`,
  'i',
)

/** "Yesterday" with a capital inside a sentence is a song, "USA Today" a newspaper. */
function isTitle(words: string, before: string): boolean {
  if (!/^(?:Yesterday|Today|Tonight|Tomorrow|Last|Next|This)/.test(words)) return false
  return /[\p{L}\p{N}'’,;&]\s*$/u.test(before)
}

function isSaying({ before, after }: Found): boolean {
  return /^ (?:is another day|never comes|never dies)/i.test(after) || /\b(?:no|like there['’]s no) $/i.test(before)
}

/** "Today's world" is not a day. */
function isAge({ after }: Found): boolean {
  return /^['’]s (?:world|society|youth|age|standards|economy|markets?|climate|kids|children|generation|times|music|technology|culture|modern)\b/i.test(
    after,
  )
}

/* ------------------------------------------------------------------ amounts */

function amountOf(word: string | undefined): number {
  const known = word?.toLowerCase() ?? ''
  if (/^an?$/.test(known)) return 1
  if (known.includes('couple')) return 2
  const number = numbers.indexOf(known)
  return number === -1 ? Number(known) : number + 1
}

function moved([many, name]: readonly (string | undefined)[], today: number, sign: 1 | -1): string | null {
  const count = sign * amountOf(many)
  const about = many?.toLowerCase().includes('couple') ? 'about ' : ''
  const date = new Date(today)
  switch (name?.toLowerCase()) {
    case 'day':
      return about + dayText(addDays(today, count))
    case 'week':
      return about + dayText(addDays(today, 7 * count))
    case 'fortnight':
      return about + dayText(addDays(today, 14 * count))
    case 'month':
      return about + monthText(date.getUTCFullYear(), date.getUTCMonth() + count)
    default:
      return about + String(date.getUTCFullYear() + count)
  }
}

function ago({ groups, before }: Found, today: number): string | null {
  if (/\b(?:more than|less than|over|at least|under|not|up to|or|to|between|half|and) $|[-–\d] ?$/i.test(before))
    return null
  const date = moved(groups, today, -1)
  return /\b(?:about|around|almost|nearly|roughly|approximately|like) $/i.test(before) && !date?.startsWith('about')
    ? `about ${date}`
    : date
}

/** "In three days" may be the duration of something. */
function ahead(found: Found, today: number): string | null {
  const { groups, before, after } = found
  if (/^ (?:of|or|and a half|ago|straight|each|every|flat)\b/i.test(after)) return null
  const isSaid = groups[2] !== undefined
  if (
    !isSaid &&
    /\b(?:once|twice|times|first|only|done|all|nights?|days?|hours?|late|long|back|early|least|record) $/i.test(before)
  )
    return null
  if (/\bcan(?:not|['’]t)?\b/i.test(before)) return null
  const tense = found.tense()
  const isAhead = tense === 'future' || (tense === null && (isSaid || found.isEvent()))
  return isAhead ? moved(groups, today, 1) : null
}

/* ------------------------------------------------------------------ days of the week */

/** The nearest such day before or after today. */
function nearest(today: number, name: string | undefined, sign: 1 | -1): number {
  const distance = ((weekdayOf(name) - dayOfWeek(today)) * sign + 7) % 7 || 7
  return addDays(today, sign * distance)
}

/** Monday is 0. */
function weekdayOf(name: string | undefined): number {
  const start = name?.slice(0, 3).toLowerCase() ?? ''
  return (weekdayNames.findIndex((known) => known.toLowerCase().startsWith(start)) + 6) % 7
}

const mostOfShortDay = 5
const nothingOrTime = /^(?:$|[,.;!?)]| (?:at|from|with|for) | (?:at )?(?:\d{1,2}(?:[:.]\d\d)?(?: ?[ap]m)?|noon)\b)/i

/** "Friday Night Lights", "the Sunday Times", "Friday the 13th". */
function namesSomethingElse(found: Found): boolean {
  const { groups, before, after } = found
  // "The sun", "she sat".
  if ((groups.at(-1)?.length ?? 0) <= mostOfShortDay && !nothingOrTime.test(after)) return true
  return (
    /^ (?:the \d|\p{Lu}(?!['’\s]))/u.test(after) || /\b(?:every|each|any|most|some|alternate|the|one|a) $/i.test(before)
  )
}

function namedDay(found: Found, today: number): string | null {
  const [which = '', name] = found.groups
  if (namesSomethingElse(found)) return null
  switch (which.toLowerCase()) {
    case 'last':
    case 'this past':
      return dayText(nearest(today, name, -1))
    case 'this coming':
      return dayText(nearest(today, name, 1))
    case 'next':
      // In the week that starts next Monday.
      return dayText(addDays(mondayOf(today), 7 + weekdayOf(name)))
    default: {
      const day = addDays(mondayOf(today), weekdayOf(name))
      // On a Sunday, "this Friday" is the coming one, unless the sentence is in the past tense.
      return dayText(day < today && found.tense() !== 'past' ? addDays(day, 7) : day)
    }
  }
}

function plainDay(found: Found, today: number): string | null {
  const [word = '', name] = found.groups
  // On the same weekday it may mean today, the last or the next.
  if (namesSomethingElse(found) || weekdayOf(name) === dayOfWeek(today) || /^s\b/.test(found.after)) return null
  if (word.toLowerCase() === 'since') return dayText(nearest(today, name, -1))
  const isOn = word.toLowerCase() === 'on'
  if (isOn && isOpeningTime(found.before)) return null
  const tense = found.tense() ?? (isOn && found.isEvent() ? 'future' : null)
  if (tense === null || (tense === 'past' && !isOn)) return null
  return dayText(nearest(today, name, tense === 'past' ? -1 : 1))
}

/** Days with a name of their own, and days among others. */
const ownDay =
  /\b(?:good|black|easter|ash|shrove|palm|pancake|cyber|whit|bank holiday|late|and|or|to|till|until|through|thru|by|than|not|from|before|after) $|[-–/&+] ?$/i
const amongOthers = new RegExp(`^ ?(?:,|and|or|to|till|through|[-–/&+]) ?${weekday}`, 'i')

/** Verbs and nouns too: "Dad sat with me", "winter sun". */
const alsoWord = /^(?:sat|sun|wed|mon)$/i
const clockOrEnd = /^(?:[.!]?$| (?:at )?\d)/i
const otherWordBefore = /\b(?:with|some|of|the|in|for|full|winter|summer|morning|evening) $/i

/** "Dentist friday 3pm". */
function bareDay(found: Found, today: number): string | null {
  const [name = ''] = found.groups
  if (alsoWord.test(name) && (!clockOrEnd.test(found.after) || otherWordBefore.test(found.before))) return null
  if (namesSomethingElse(found) || weekdayOf(name) === dayOfWeek(today) || !nothingOrTime.test(found.after)) return null
  if (ownDay.test(found.before) || amongOthers.test(found.after) || !found.isEvent()) return null
  return found.tense() === 'past' ? null : dayText(nearest(today, name, 1))
}

function dayOfMonth(found: Found, today: number): string | null {
  const { groups, sentence, before, after } = found
  const [word, number] = groups
  const asked = { word, number: Number(number), sentence, before, after }
  const day = ordinalDayMeant({ ...asked, tense: found.tense(), isEvent: found.isEvent() }, today)
  return day === null ? null : dayText(day)
}

/* ------------------------------------------------------------------ weeks, months, years */

function calendarUnit(found: Found, today: number): string | null {
  const [which = '', name = ''] = found.groups
  const { before, after } = found
  if (/\b(?:the|every|each|my|our|his|her|their|your|its) (?:very )?$/i.test(before) || /^ of\b/i.test(after))
    return null
  const step = { last: -1, 'this past': -1, next: 1, 'this coming': 1, this: 0 }[which.toLowerCase()] ?? 0
  const date = new Date(today)
  switch (name.toLowerCase()) {
    case 'week':
      return weekText(addDays(mondayOf(today), 7 * step))
    case 'weekend':
      return weekendOf(found, today, which.toLowerCase())
    case 'month':
      return monthText(date.getUTCFullYear(), date.getUTCMonth() + step)
    default:
      return String(date.getUTCFullYear() + step)
  }
}

function weekendOf(found: Found, today: number, which: string): string | null {
  const saturday = addDays(mondayOf(today), 5)
  if (which === 'this past') return weekendText(dayOfWeek(today) === 6 ? saturday : addDays(saturday, -7))
  if (which === 'last') return weekendText(addDays(saturday, -7))
  if (which === 'next') return weekendText(addDays(saturday, 7))
  return weekendNear(today, found.tense() ?? 'future')
}

/** The last weekend until the middle of the week, if the sentence is in the past tense. */
function weekendNear(today: number, tense: Tense): string | null {
  const saturday = addDays(mondayOf(today), 5)
  if (tense === null) return null
  return weekendText(tense === 'past' && dayOfWeek(today) < 5 ? addDays(saturday, -7) : saturday)
}

function monthOf(name: string | undefined): number {
  return monthNames.findIndex((known) => known.toLowerCase() === name?.toLowerCase())
}

function namedMonth({ groups: [which = '', name], after }: Found, today: number): string | null {
  // "This may be wrong", "last March 5".
  if (name === name?.toLowerCase() && /^(?:may|march)$/.test(name ?? '') && !/^last|^next/i.test(which)) return null
  if (/^ \d/.test(after)) return null
  return monthText(yearOfMonth(which.toLowerCase(), monthOf(name), today), monthOf(name))
}

function yearOfMonth(which: string, wanted: number, today: number): number {
  const date = new Date(today)
  const year = date.getUTCFullYear()
  if (which === 'last' || which === 'this past') return wanted < date.getUTCMonth() ? year : year - 1
  if (which === 'next' || which === 'this coming') return wanted > date.getUTCMonth() ? year : year + 1
  return year
}

/** "I signed up for the race in September": a month counts as past only if it is recent. */
const mostMonthsBack = 6

function plainMonth(found: Found, today: number): string | null {
  const [word = '', name] = found.groups
  if (/^,? (?:\d|of\b)|^['’]/.test(found.after) || /\b(?:every|each|always|usually|often) /i.test(found.before))
    return null
  const tense = /since/i.test(word) ? 'past' : found.tense()
  // "The passport expires in November" needs no resolution.
  if (tense === null || (tense === 'future' && !found.isPlanned())) return null
  const date = new Date(today)
  const [wanted, year] = [monthOf(name), date.getUTCFullYear()]
  if (wanted === date.getUTCMonth()) return monthText(year, wanted)
  const back = (date.getUTCMonth() - wanted + 12) % 12
  if (tense === 'past' && back > mostMonthsBack && !/since/i.test(word)) return null
  return monthText(yearOfMonth(tense === 'past' ? 'last' : 'next', wanted, today), wanted)
}

const firstMonthOfSeason: Readonly<Record<string, number>> = { spring: 2, summer: 5, autumn: 8, fall: 8, winter: 11 }

/** Of the northern hemisphere; a winter is named by both its years. */
function namedSeason({ groups: [which = '', name = ''] }: Found, today: number): string | null {
  const word = name.toLowerCase()
  const first = firstMonthOfSeason[word] ?? 0
  const date = new Date(today)
  const year = date.getUTCFullYear()
  const start = (candidate: number) => Date.UTC(candidate, first, 1)
  const end = (candidate: number) => Date.UTC(candidate, first + 3, 1)
  const years = [year - 2, year - 1, year, year + 1]
  const chosen = /^last|past$/i.test(which)
    ? years.filter((candidate) => end(candidate) <= today).at(-1)
    : /^next|coming$/i.test(which)
      ? years.find((candidate) => start(candidate) > today)
      : years.find((candidate) => end(candidate) > today)
  if (chosen === undefined) return null
  return word === 'winter' ? `winter of ${chosen} to ${chosen + 1}` : `${word} ${chosen}`
}

function namedFeast({ groups: [which = '', name = ''] }: Found, today: number): string | null {
  const wanted = feasts[name.toLowerCase()]
  if (wanted === undefined) return null
  return monthText(yearOfMonth(which.toLowerCase(), wanted, today), wanted)
}
