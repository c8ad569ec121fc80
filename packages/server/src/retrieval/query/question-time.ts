/**
 * Finds the time that a question mentions: "in May 2023", "two weeks ago", "since March", "before we moved". Questions in other languages:
 * `foreign-dates.ts`. A word that may mean something else ("May", "march", "fall") counts only if its neighbours make it a time.
 * "Recently" is not a time, because decay prefers new memories anyway. Dates are in UTC: the preference is soft, and a few hours do not
 * matter.
 */
import { msPerDay } from '../../core/clock.js'
import { bareDates, datesOf, type FoundDate, joins } from '../../language/dates/dates-in-text.js'
import { foreignTimes } from '../../language/dates/foreign-dates.js'
import { spansOfMemory, spansOfQuestion } from '../../language/dates/spoken-time.js'
import {
  type CalendarDate,
  latestBefore,
  partOf,
  type TimeSpan,
  unitMs,
  weekdaySpans,
  wholeSpan,
} from '../../language/dates/time-span.js'

export interface AskedTime {
  /** A memory fits if it fits any of them. */
  readonly spans: readonly TimeSpan[]
  /** An event instead of a date: "after the wedding". Only the memories know its time. */
  readonly event: { readonly relation: 'before' | 'after'; readonly text: string } | null
}

/** No more is read, in case a hostile question is long. */
const mostCharacters = 2_000
const mostSpans = 8

/** Null if the question mentions no time. */
export function askedTime(question: string, now: number): AskedTime | null {
  const text = question.slice(0, mostCharacters).replace(/\s+/gu, ' ')
  const english = spansIn(text, now)
  const spans = english.length > 0 ? english : foreignSpans(text, now)
  const event = spans.length === 0 ? eventIn(text) : null
  return spans.length === 0 && event === null ? null : { spans, event }
}

/** Only the beginning of a memory is read, because there are dozens of memories. */
const mostOfMemory = 500

/** The dates that a memory mentions, unambiguous ones only. */
export function datesIn(content: string, saidAt: number): TimeSpan[] {
  const text = content.slice(0, mostOfMemory)
  // Every such date has a digit, and most memories have no digit.
  const known = /\d/.test(text) ? datesOf(text) : []
  const english = known
    .filter(({ date }) => date.day !== undefined || date.year !== undefined)
    .map(({ date }) => wholeSpan({ ...date, year: date.year ?? yearNear(date, saidAt) }))
  const foreign = foreignTimes(text)
    .filter(({ bare, start, end }) => !bare && !known.some((other) => start < other.end && other.start < end))
    .flatMap(({ time }) => spansOfMemory(time, saidAt))
  return [...english, ...foreign]
}

/** "Soll ich im Juli nach Polen fahren?" asks for advice, as in English. */
const foreignAdvice =
  /^(?:¿)?(?:soll(?:te|en|ten)? (?:ich|wir)|deber[ií]a|devo|dovrei|dois-je|devrais-je|zal ik|moet ik|стоит ли|мне стоит)(?!\p{L})|应该|應該|べき/iu

/** A date of another language: relations as in English. */
function foreignSpans(text: string, now: number): TimeSpan[] {
  if (foreignAdvice.test(text)) return []
  return foreignTimes(text)
    .flatMap(({ time, relation }) =>
      spansOfQuestion(time, now).map((span) => {
        if (relation === null || time.kind !== 'date') return span
        if (relation === 'earlier') return { from: -Infinity, to: span.from + msPerDay }
        if (relation === 'until') return { from: -Infinity, to: span.to }
        return relation === 'since' ? { from: span.from, to: Infinity } : { from: span.to - msPerDay, to: Infinity }
      }),
    )
    .slice(0, mostSpans)
}

/* ------------------------------------------------------------------ words */

const weekdayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const numberWords = 'one two three four five six seven eight nine ten eleven twelve'.split(' ')
const amount = `(an?|\\d{1,3}|${numberWords.join('|')}|(?:an? )?(?:couple(?: of)?|few)|several)`
const unit = '(day|week|weekend|month|year)'

function amountOf(word: string): number {
  if (/^an?$/i.test(word)) return 1
  if (/couple/i.test(word)) return 2
  if (/few|several/i.test(word)) return 3
  const number = numberWords.indexOf(word.toLowerCase())
  return number === -1 ? Number(word) : number + 1
}

/* ------------------------------------------------------------------ spans */

const rangeOpens = /(?:^|\s)(?:between|from) (?:the )?(?:early|late|mid|beginning of|end of)?[ -]?$/i

/** "Should I travel to Poland in July?" asks for advice about that time, not for what was said then. */
const advice =
  /^(?:(?:what|where|which|when|how)(?: \p{L}+){0,2} )?(?:should|shall|could|would|can) (?:i|we)\b|^(?:please |help |plan |recommend |suggest )/iu

function spansIn(text: string, now: number): TimeSpan[] {
  const known = datesOf(text)
  const dates = [...known, ...bareDates(text, known)].sort((a, b) => a.start - b.start)
  if (advice.test(text)) return []
  const spans: TimeSpan[] = []
  for (let index = 0; index < dates.length && spans.length < mostSpans; index++) {
    const first = inNamedYear(dates[index], text, now)
    const second = inNamedYear(dates[index + 1], text, now)
    if (!first) break
    const before = text.slice(Math.max(0, first.start - 40), first.start)
    if (second && rangeOpens.test(before) && joins.test(text.slice(first.end, second.start))) {
      const to = resolved(second.date, now, text.slice(first.end, second.start))
      spans.push({ from: startBefore(first.date, to), to: to.to })
      index += 1
    } else spans.push(related(resolved(first.date, now, before), before))
  }
  return spans.length > 0 ? spans : relativeSpans(text, now)
}

const yearAfter = /^,? (?:of )?(last|this|next) year\b/i
const yearBefore = /\b(last|this|next) year,? (?:in |on )?(?:the )?$/i

/** "8 April last year", "last year in March" */
function inNamedYear(found: FoundDate | undefined, text: string, now: number): FoundDate | undefined {
  if (found === undefined || found.date.year !== undefined) return found
  const after = text.slice(found.end, found.end + 20)
  const [, which] =
    yearAfter.exec(after) ?? yearBefore.exec(text.slice(Math.max(0, found.start - 24), found.start)) ?? []
  if (which === undefined) return found
  const years = { last: -1, this: 0, next: 1 }[which.toLowerCase()] ?? 0
  return { ...found, date: { ...found.date, year: new Date(now).getUTCFullYear() + years } }
}

/** If the start of a range has no year, it is in the year of the end, or in the year before if it would be after the end. */
function startBefore(date: CalendarDate, end: TimeSpan): number {
  const yearOfEnd = new Date(end.from).getUTCFullYear()
  const { from } = wholeSpan({ year: yearOfEnd, ...date })
  return from <= end.from ? from : wholeSpan({ ...date, year: yearOfEnd - 1 }).from
}

/** Without a year, the latest that has begun. "Last May" must be over. */
function resolved(date: CalendarDate, now: number, before: string): TimeSpan {
  const whole = date.year === undefined ? latestBefore(date, now, /\blast $/i.test(before)) : wholeSpan(date)
  return partOf(whole, before)
}

const shifted = new RegExp(`(?:^|\\s)(?:${amount} )?${unit}s? (before|after) $`, 'i')
const shortlyBefore =
  /(?:^|\s)(?:shortly|just|right|night|evening|(?:mon|tues|wednes|thurs|fri|satur|sun)day) before $/i

/** "Before", "since" and the like turn a date into everything on one side of it. */
function related(span: TimeSpan, textBefore: string): TimeSpan {
  const before = textBefore.replace(/(?:the )?(?:month of |year |early |late |mid[ -]?|beginning of |end of )$/i, '')
  const shift = shifted.exec(before)
  if (shift) {
    const [, many, name, side] = shift
    const ms = amountOf(many ?? 'a') * unitMs[unitOf(name)]
    return side === 'before' ? { from: span.from - ms, to: span.to } : { from: span.from, to: span.to + ms }
  }
  if (shortlyBefore.test(before)) return { from: span.from - unitMs.week, to: span.to }
  // It may have been said on the day itself.
  if (/(?:^|\s)(?:before|prior to) $/i.test(before)) return { from: -Infinity, to: span.from + msPerDay }
  if (/(?:^|\s)(?:until|till|up to|by|through) $/i.test(before)) return { from: -Infinity, to: span.to }
  if (/(?:^|\s)since $/i.test(before)) return { from: span.from, to: Infinity }
  if (/(?:^|\s)after $/i.test(before)) return { from: span.to - msPerDay, to: Infinity }
  return span
}

function unitOf(name: string | undefined): keyof typeof unitMs {
  const known = name?.toLowerCase()
  return known === 'day' || known === 'month' || known === 'year' ? known : 'week'
}

const ago = new RegExp(`\\b${amount} ${unit}s? ago\\b`, 'i')
const lastUnits = new RegExp(`\\b(?:last|past|previous) (?:${amount} )?${unit}(s?)\\b`, 'i')
const thisUnit = /\b(?:this|earlier this) (week|month|year)\b/i
const weekday = new RegExp(
  `\\b(?:on|last|this past|this) (${weekdayNames.join('|')})\\b(?! (?:morning|evening|night|afternoon)s)`,
  'i',
)

/** Times relative to now. */
function relativeSpans(text: string, now: number): TimeSpan[] {
  const today = Math.floor(now / msPerDay) * msPerDay
  const since = (ms: number): TimeSpan => ({ from: now - ms, to: now + msPerDay })
  if (/\b(?:the day before yesterday)\b/i.test(text)) return [{ from: today - 2 * msPerDay, to: today - msPerDay }]
  if (/\b(?:yesterday|last night)\b/i.test(text)) return [{ from: today - msPerDay, to: today }]
  if (/\b(?:today|this morning|this afternoon)\b/i.test(text)) return [{ from: today, to: today + msPerDay }]
  const [, many, agoUnit] = ago.exec(text) ?? []
  if (many !== undefined) {
    const size = unitMs[unitOf(agoUnit)]
    const middle = now - amountOf(many) * size
    return [{ from: middle - size / 2, to: middle + size / 2 }]
  }
  const [, dayName] = weekday.exec(text) ?? []
  if (dayName !== undefined) return weekdaySpans(weekdayNames.indexOf(dayName.toLowerCase()), today)
  const [, count, lastUnit, plural] = lastUnits.exec(text) ?? []
  // "The last day of school" is not a time.
  if (lastUnit !== undefined && (count !== undefined || plural === 's' || lastUnit.toLowerCase() !== 'day')) {
    const size = unitMs[unitOf(lastUnit)]
    if (count !== undefined) return [since(amountOf(count) * size)]
    return plural === 's' ? [since(3 * size)] : [lastOne(lastUnit.toLowerCase(), now)]
  }
  const [, current] = thisUnit.exec(text) ?? []
  if (current === undefined) return []
  return [current.toLowerCase() === 'week' ? since(unitMs.week) : { ...calendarUnit(current, now), to: now + msPerDay }]
}

/** "Last month" is the month before this one. "Last week" is about seven days that ended up to a week ago. */
function lastOne(name: string, now: number): TimeSpan {
  if (name === 'month' || name === 'year') {
    const current = calendarUnit(name, now)
    return { from: calendarUnit(name, current.from - 1).from, to: current.from }
  }
  return { from: now - 2 * unitMs.week, to: now }
}

function calendarUnit(name: string, at: number): TimeSpan {
  const date = new Date(at)
  const y = date.getUTCFullYear()
  return wholeSpan(name.toLowerCase() === 'year' ? { year: y } : { year: y, month: date.getUTCMonth() })
}

/** The year that puts the date nearest to when it was mentioned. */
function yearNear(date: CalendarDate, at: number): number {
  const y = new Date(at).getUTCFullYear()
  const distance = (candidate: number) => Math.abs(wholeSpan({ ...date, year: candidate }).from - at)
  return [y - 1, y, y + 1].reduce((best, candidate) => (distance(candidate) < distance(best) ? candidate : best))
}

/* ------------------------------------------------------------------ events */

const eventPattern = /\b(before|after|since) ([^,.;:?!()]{3,120})/i
const noEvent = /^(?:that|this|then|it|all|now|long|and|how|what)\b/i

function eventIn(text: string): AskedTime['event'] {
  const [, word, clause] = eventPattern.exec(text) ?? []
  const event = clause?.trim()
  if (!word || !event || noEvent.test(event)) return null
  return { relation: word.toLowerCase() === 'before' ? 'before' : 'after', text: event }
}
