/** Sentences through the model: rows of tokens, the graph, the best labels, and the relations between what was found. */
import type { EncoderSession } from './encoder-session.js'
import { labelCount, spansFrom } from './tag-decode.js'
import type { Reading } from './tag-reading.js'
import type { RelationHead } from './tag-relation-head.js'
import type { TagRow, TextKind, WordCutter } from './tag-words.js'

export interface SentenceReader {
  rowOf(text: string): TagRow
  read(texts: readonly string[]): Promise<Reading[]>
}

/** Being no name gets this on top: chosen on the development parts of the measured sets. */
const reluctance = 0

/** Posts and chat name people and places otherwise than papers do. */
function kindOf(text: string): TextKind {
  return /(?:^|\s)[@#]\w|https?:|\bRT\b|[☀-➿\u{1F300}-\u{1FAFF}]/u.test(text) ? 'web' : 'news'
}

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
      return rows.map((row, at) =>
        readRow(row, values.subarray(at * length * width, (at + 1) * length * width), width, head),
      )
    },
  }
}

/** `values`: for each token its labels' scores, then its vector. */
function readRow(row: TagRow, values: Float32Array, width: number, head: RelationHead): Reading {
  const scores = new Float32Array(row.words.length * labelCount)
  for (const [word, token] of row.begins.entries())
    scores.set(values.subarray(token * width, token * width + labelCount), word * labelCount)
  const found = spansFrom(scores, row.words.length, reluctance)
  const spans = found.map(({ first, last, type, score }) => {
    return { start: row.words[first]?.start ?? 0, end: row.words[last]?.end ?? 0, type, score }
  })
  if (found.length < 2) return { spans, relations: [] }
  const size = width - labelCount
  const vectors = new Float32Array(row.tokens.length * size)
  for (let token = 0; token < row.tokens.length; token += 1)
    vectors.set(values.subarray(token * width + labelCount, (token + 1) * width), token * size)
  return { spans, relations: head.relations(row, found, vectors) }
}
