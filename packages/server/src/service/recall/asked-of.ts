/** What a query asks. An application may send a whole dialogue as its query; then the last turn asks, and the others say what it is about. */
import { writtenTurns } from '../../ingest/dialogue.js'
import { isMachine } from '../../retrieval/query/speaker.js'

/** A longer text is a document. */
const mostCharacters = 20_000

/** The text itself, or the words of the last turn of a person. */
export function askedOf(text: string): string {
  if (!text.includes('\n') || text.length > mostCharacters) return text
  const turns = (writtenTurns(text) ?? []).filter(({ isSpeaker }) => isSpeaker)
  if (turns.length < 2) return text
  const last = turns.findLast(({ name }) => !isMachine(name)) ?? turns.at(-1)
  const said = last?.text.slice(last.lead).trim() ?? ''
  return said === '' ? text : said
}

/** Of the same direction as the sum of both, as long as one of them. */
export function between(one: Float32Array, two: Float32Array): Float32Array {
  const sum = one.map((value, at) => value + (two[at] ?? 0))
  const length = Math.hypot(...sum)
  return length === 0 ? one : sum.map((value) => value / length)
}
