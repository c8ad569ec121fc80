/**
 * Runs sentences through the model: token rows, the graph, the best labels, and the relations between the spans found.
 */
import { isForeign } from '../../language/words/is-foreign.js'
import type { EncoderSession } from '../runtime/encoder-session.js'
import { labelCount, spansFrom, type WordSpan } from './tag-decode.js'
import { type Handle, handleSpans, handlesIn } from './tag-handles.js'
import type { Reading } from './tag-reading.js'
import type { RelationHead } from './tag-relation-head.js'
import type { TagRow, TextKind, WordCutter } from './tag-words.js'

export interface SentenceReader {
  rowOf(text: string): TagRow
  read(texts: readonly string[]): Promise<Reading[]>
}

/** Added to the score of "no name"; chosen on the development parts of the measured sets. */
const reluctance = 0.5

/** The kind of text whose labelling habits fit all of the English development parts best, and that of other languages. */
const kindOf = (text: string): TextKind => (isForeign(text) ? 'notes' : 'facts')

export function sentenceReader(
  cutter: WordCutter,
  head: RelationHead,
  session: EncoderSession,
  maxTokens: number,
): SentenceReader {
  const rowOf = (text: string) => cutter.row(text, kindOf(text), maxTokens)
  return {
    rowOf,
    async read(texts) {
      const rows = texts.map(rowOf)
      const length = Math.max(...rows.map(({ tokens }) => tokens.length))
      const values = await session.run(rows)
      const width = values.length / (rows.length * length)
      return rows.map((row, at) => {
        const own = values.subarray(at * length * width, (at + 1) * length * width)
        return readRow(texts[at] ?? '', row, own, width, head)
      })
    },
  }
}

/** `values`: per token the scores of its labels, then its vector. */
function readRow(text: string, row: TagRow, values: Float32Array, width: number, head: RelationHead): Reading {
  const scores = new Float32Array(row.words.length * labelCount)
  for (const [word, token] of row.begins.entries())
    scores.set(values.subarray(token * width, token * width + labelCount), word * labelCount)
  const handles = handlesIn(text)
  const found = spansFrom(scores, row.words.length, reluctance).filter((span) => !touches(row, span, handles))
  const spans = found.map(({ first, last, type, score }) => {
    return { start: row.words[first]?.start ?? 0, end: row.words[last]?.end ?? 0, type, score }
  })
  // Appended at the end, because relations refer to positions.
  const all = [...spans, ...handleSpans(text, handles)]
  if (found.length < 2) return { spans: all, relations: [] }
  const size = width - labelCount
  const vectors = new Float32Array(row.tokens.length * size)
  for (let token = 0; token < row.tokens.length; token += 1)
    vectors.set(values.subarray(token * width + labelCount, (token + 1) * width), token * size)
  return { spans: all, relations: head.relations(row, found, vectors) }
}

function touches(row: TagRow, { first, last }: WordSpan, handles: readonly Handle[]): boolean {
  const [start, end] = [row.words[first]?.start ?? 0, row.words[last]?.end ?? 0]
  return handles.some((handle) => handle.start < end && handle.end > start)
}
