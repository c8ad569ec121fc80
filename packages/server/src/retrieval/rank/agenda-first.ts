/** What takes place in the time that a question about the calendar asks for comes first, the nearest before the others. */
import { remainingText } from '../../core/outdated.js'
import { dayOf } from '../../language/dates/calendar.js'
import { type Agenda, momentIn } from '../query/agenda.js'
import type { Ranked } from './candidate.js'

const relevanceOfFirst = 0.6
const relevanceOfLast = 0.2
/** More than decay changes a score. */
const perPlace = 0.88

export function agendaFirst(ranked: readonly Ranked[], agenda: Agenda, now: number): readonly Ranked[] {
  const today = dayOf(now)
  const found = ranked
    .flatMap((candidate) => {
      const moment = momentIn(agenda, textOf(candidate), candidate.memory.createdAt)
      return moment === null ? [] : [{ candidate, distance: moment >= today ? moment - today : Infinity, moment }]
    })
    .sort(
      (a, b) => compare(a.distance, b.distance) || b.moment - a.moment || b.candidate.relevance - a.candidate.relevance,
    )
  if (found.length === 0) return ranked
  const best = found.reduce((most, { candidate }) => Math.max(most, candidate.relevance), relevanceOfFirst)
  const first = found.map(({ candidate }, place) => ({
    ...candidate,
    relevance: Math.max(relevanceOfLast, best * perPlace ** place),
  }))
  const rows = new Set(first.map(({ row }) => row))
  return [...first, ...ranked.filter(({ row }) => !rows.has(row))].sort((a, b) => b.relevance - a.relevance)
}

function compare(one: number, two: number): number {
  return one === two ? 0 : one - two
}

function textOf({ memory }: Ranked): string {
  return remainingText(memory.content, memory.outdated)
}
