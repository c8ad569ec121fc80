import type { EventTime } from '../../core/event-time.js'
import { datesIn } from '../../retrieval/query/question-time.js'

/** Null if the text mentions no date. */
export function eventTimeOf(content: string, saidAt: number): EventTime | null {
  const dates = datesIn(content, saidAt).filter(
    ({ from, to }) => Number.isSafeInteger(from) && Number.isSafeInteger(to),
  )
  if (dates.length === 0) return null
  return { from: Math.min(...dates.map(({ from }) => from)), to: Math.max(...dates.map(({ to }) => to)) }
}
