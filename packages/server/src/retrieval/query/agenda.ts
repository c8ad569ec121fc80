/**
 * A question that asks what takes place at a time and names nothing else: "what have I got on in December", "am I free on 25/11?",
 * "any appointments this week?", "what's coming up". It shares no meaning with "optician 25 nov 3pm", so the memories that mention
 * a date in that time answer it. English only. A question with a topic of its own is none: "what did I weigh in September".
 */
import { msPerDay } from '../../core/clock.js'
import { addDays, dayOf } from '../../language/dates/calendar.js'
import { monthNames } from '../../language/dates/month-names.js'
import { namedDates } from '../../language/dates/named-dates.js'
import { type CalendarDate, overlaps, type TimeSpan, wholeSpan } from '../../language/dates/time-span.js'
import { isPast } from '../../language/words/tense.js'
import { comingTimes } from './coming-times.js'

export interface Agenda {
  readonly spans: readonly TimeSpan[]
  /** Words of dates in these spans, to search for. */
  readonly words: string
}

const mostCharacters = 120
/** Words that name nothing. */
const light = new Set(
  (
    'what whats which when is are am do does there be will have has had got get i we me us my our ive weve im any anything something ' +
    'else on in for at the a an of to with and or please tell show list give see check so ok hey hi up coming next upcoming soon ' +
    'planned plan plans planning happening going free busy available appointment appointments event events diary calendar schedule ' +
    'scheduled agenda booked doing everything all s ve m re'
  ).split(' '),
)
const asksWhatIsOn = [
  /\b(?:free|busy|available|appointments?|events?|plan(?:s|ned)?|happening|going on|schedule[d]?|diary|calendar|agenda|booked)\b/,
  /\b(?:anything|something|coming up|upcoming)\b/,
  /\bwhat(?:['’]?s| is| am| are) (?:i |we )?(?:doing|on|up|next)\b/,
  /\bwhat (?:do (?:i|we) have|have (?:i|we)(?: got)?|(?:i|we)['’]?ve got)\b/,
]
/** What asks for the time from now on without naming it. */
const asksWhatComes =
  /\b(?:coming up|upcoming|soon|next (?:appointment|event)s?|(?:my|our|the) (?:diary|calendar|agenda))\b/
const daysAhead = 92

/** Null if the question is none. */
export function agendaIn(question: string, now: number): Agenda | null {
  if (question.length > mostCharacters) return null
  const text = question.trim().replace(/\s+/gu, ' ')
  const said = text.toLowerCase()
  if (!asksWhatIsOn.some((pattern) => pattern.test(said))) return null
  const { spans, rest } = comingTimes(text, now)
  const words = rest.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  if (!words.every((word) => light.has(word))) return null
  if (spans.length > 0) return { spans, words: wordsOf(spans) }
  if (!asksWhatComes.test(said)) return null
  const ahead = [{ from: dayOf(now), to: addDays(dayOf(now), daysAhead) }]
  return { spans: ahead, words: wordsOf(ahead) }
}

const mostDays = 14
const mostMonths = 4

function wordsOf(spans: readonly TimeSpan[]): string {
  const words = new Set<string>()
  for (const { from, to } of spans) {
    const length = (to - from) / msPerDay
    const first = new Date(from)
    for (let month = 0; month < mostMonths; month++) {
      const start = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + month, 1)
      const name = monthNames[new Date(start).getUTCMonth()] ?? ''
      if (start < to) for (const form of [name, name.slice(0, 3)]) words.add(form.toLowerCase())
    }
    for (let day = from; length <= mostDays && day < to; day = addDays(day, 1)) {
      const date = new Date(day)
      words.add(`${date.getUTCDate()}`)
      words.add(`${date.getUTCMonth() + 1}`)
    }
  }
  return [...words].join(' ')
}

/** Only the beginning of a memory is read. */
const mostOfMemory = 500
/** A day without a year that is not longer ago than this is the past one. */
const longestPast = 60 * msPerDay

/** The first moment in the asked time that a text mentions; null if it mentions none. */
export function momentIn({ spans }: Agenda, content: string, saidAt: number): number | null {
  const text = content.slice(0, mostOfMemory)
  const dates = namedDates(text)
    .filter(({ date }) => date.month !== undefined && date.season === undefined)
    .map(({ date }) => meantBy(date, saidAt, isPast(text)))
  const moments = dates.flatMap((date) =>
    spans.some(
      (span) => overlaps(date, span) && date.to - date.from <= Math.max(msPerDay, span.to - span.from + 3 * msPerDay),
    )
      ? [date.from]
      : [],
  )
  return moments.length === 0 ? null : Math.min(...moments)
}

function meantBy(date: CalendarDate, saidAt: number, isOver: boolean): TimeSpan {
  if (date.year !== undefined) return wholeSpan(date)
  const year = new Date(saidAt).getUTCFullYear()
  const spans = [year - 1, year, year + 1].map((candidate) => wholeSpan({ ...date, year: candidate }))
  const found = isOver
    ? spans.findLast(({ from }) => from <= saidAt + msPerDay)
    : spans.find(({ to }) => to > saidAt - longestPast)
  return found ?? wholeSpan({ ...date, year })
}
