/** The times ahead that a question about the calendar names: "tomorrow", "next week", "on Friday", "in December". English only. */
import { msPerDay } from '../../core/clock.js'
import { addDays, dayOf, dayOfWeek, mondayOf } from '../../language/dates/calendar.js'
import { namedDates, withoutDates } from '../../language/dates/named-dates.js'
import { type CalendarDate, type TimeSpan, unitMs, wholeSpan } from '../../language/dates/time-span.js'

type Groups = readonly (string | undefined)[]
type TimeRule = readonly [RegExp, (groups: Groups, today: number) => TimeSpan[]]

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const weekday = '(mon(?:day)?|tue(?:s|sday)?|wed(?:s|nesday)?|thu(?:rs?|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)'
const partOfDay = '(?: (?:morning|afternoon|evening|night))?'
const numbers = 'one two three four five six seven eight nine ten eleven twelve'.split(' ')
const amount = `(an?|\\d{1,2}|${numbers.join('|')}|(?:a )?couple(?: of)?|(?:a )?few)`

const rules: readonly TimeRule[] = [
  [/\b(?:the )?day after tomorrow\b/i, (_, today) => [days(addDays(today, 2), 1)]],
  [new RegExp(`\\btomorrow${partOfDay}\\b`, 'i'), (_, today) => [days(addDays(today, 1), 1)]],
  [/\b(?:later )?(?:today|tonight)\b|\bthis (?:morning|afternoon|evening)\b/i, (_, today) => [days(today, 1)]],
  [/\bthe week after next\b/i, (_, today) => [days(addDays(mondayOf(today), 14), 7)]],
  [
    /\b(?:the )?(?:rest of (?:the|this)|this|the coming|later this) (week|weekend|month|year)\b|\b(?:the )?(weekend)\b(?<!next weekend)/i,
    ([unit, other], today) => [restOf(unit ?? other, today)],
  ],
  [/\b(?:the )?next (week|weekend|month|year)\b/i, ([unit], today) => [nextOf(unit, today)]],
  [
    new RegExp(`\\b(?:the )?(?:next|coming|following) (?:${amount} )?(day|week|fortnight|month)s?\\b`, 'i'),
    ([many, unit], today) => [{ from: today, to: today + amountOf(many ?? 'few') * lengthOf(unit) + msPerDay }],
  ],
  [
    new RegExp(`\\bin ${amount} (day|week|fortnight|month)s?(?:['’]? time)?\\b`, 'i'),
    ([many, unit], today) => [around(today + amountOf(many) * lengthOf(unit), lengthOf(unit))],
  ],
  [
    new RegExp(`\\b(?:(this|this coming|next|coming) )?${weekday}${partOfDay}\\b`, 'i'),
    ([which, name], today) => daysNamed(which, name, today),
  ],
  [/\b(?:the )?(\d{1,2})(?:st|nd|rd|th)\b/i, ([number], today) => dayOfMonth(Number(number), today)],
]

/** The times, and the text without them. */
export function comingTimes(question: string, now: number): { readonly spans: TimeSpan[]; readonly rest: string } {
  const today = dayOf(now)
  const dates = namedDates(question)
  const spans = dates.flatMap(({ date }) => coming(date, today))
  let rest = withoutDates(question, dates)
  for (const [pattern, read] of rules) {
    const match = pattern.exec(rest)
    if (!match) continue
    const found = read(match.slice(1), today)
    spans.push(...found)
    if (found.length > 0) rest = rest.replace(match[0], ' ')
  }
  return { spans, rest }
}

/** Without a year, the one that is not over. */
function coming(date: CalendarDate, today: number): TimeSpan[] {
  if (date.season !== undefined || date.month === undefined) return []
  const year = new Date(today).getUTCFullYear()
  const all = (date.year === undefined ? [year, year + 1] : [date.year]).map((each) =>
    wholeSpan({ ...date, year: each }),
  )
  const span = all.find(({ to }) => to > today) ?? all[0]
  if (!span) return []
  // Of the current month, what is left of it.
  return [span.to > today && span.from < today ? { from: today, to: span.to } : span]
}

function days(from: number, count: number): TimeSpan {
  return { from, to: addDays(from, count) }
}

function around(at: number, length: number): TimeSpan {
  const tolerance = length === msPerDay ? 0 : Math.floor(length / msPerDay / 2) * msPerDay
  return { from: at - tolerance, to: at + tolerance + msPerDay }
}

function restOf(unit: string | undefined, today: number): TimeSpan {
  const date = new Date(today)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const monday = mondayOf(today)
  switch (unit?.toLowerCase()) {
    case 'month':
      return { from: today, to: Date.UTC(year, month + 1, 1) }
    case 'year':
      return { from: today, to: Date.UTC(year + 1, 0, 1) }
    case 'weekend':
      return { from: Math.max(today, addDays(monday, 5)), to: addDays(monday, 7) }
    default:
      return { from: today, to: addDays(monday, 7) }
  }
}

function nextOf(unit: string | undefined, today: number): TimeSpan {
  const date = new Date(today)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const monday = addDays(mondayOf(today), 7)
  switch (unit?.toLowerCase()) {
    case 'month':
      return { from: Date.UTC(year, month + 1, 1), to: Date.UTC(year, month + 2, 1) }
    case 'year':
      return wholeSpan({ year: year + 1 })
    case 'weekend':
      return days(addDays(monday, 5), 2)
    default:
      return days(monday, 7)
  }
}

/** "Next Friday" may mean the nearest or the one of next week. */
function daysNamed(which: string | undefined, name: string | undefined, today: number): TimeSpan[] {
  const wanted = weekdays.indexOf(name?.slice(0, 3).toLowerCase() ?? '')
  const nearest = addDays(today, (wanted - dayOfWeek(today) + 7) % 7)
  if (which?.toLowerCase() !== 'next') return [days(nearest, 1)]
  const ofNextWeek = addDays(mondayOf(today), 7 + wanted)
  return nearest === ofNextWeek || nearest === today ? [days(ofNextWeek, 1)] : [days(nearest, 1), days(ofNextWeek, 1)]
}

function dayOfMonth(number: number, today: number): TimeSpan[] {
  const date = new Date(today)
  const steps = number >= 1 && number <= 31 ? [0, 1, 2] : []
  const found = steps
    .map((step) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + step, number))
    .find((day) => day >= today && new Date(day).getUTCDate() === number)
  return found === undefined ? [] : [days(found, 1)]
}

function amountOf(word: string | undefined): number {
  const said = word?.toLowerCase() ?? 'a'
  if (/^an?$/.test(said)) return 1
  if (said.includes('couple')) return 2
  if (said.includes('few')) return 3
  const number = numbers.indexOf(said)
  return number === -1 ? Number(said) : number + 1
}

function lengthOf(unit: string | undefined): number {
  const name = unit?.toLowerCase()
  if (name === 'fortnight') return 2 * unitMs.week
  return name === 'week' || name === 'month' ? unitMs[name] : unitMs.day
}
