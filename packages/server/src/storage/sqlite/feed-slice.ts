/**
 * A slice of changes, as sent from a reader thread. It has columns instead of objects: receiving thousands of objects would take
 * the main thread several milliseconds, and it has requests to answer.
 */
import { remainingText } from '../../core/outdated.js'
import { componentsOf } from '../domain/quantize.js'
import type { ChangeSlice, IndexedVersion } from '../ports/index-feed.js'
import { type OutdatedColumn, outdatedOf } from '../sql/columns.js'

export interface PackedSlice extends Omit<ChangeSlice, 'changed'> {
  readonly contents: readonly string[]
  readonly projects: readonly (string | null)[]
  readonly modelIds: readonly string[]
  /** Six numbers per version: row, validFrom, validTo, expiresAt (NaN is null), flagged, scale. */
  readonly numbers: Float64Array<ArrayBuffer>
  /** All vectors, one after another; `ends` has the end of each one. */
  readonly quantized: Int8Array<ArrayBuffer>
  readonly ends: Uint32Array<ArrayBuffer>
}

/** row, content, project, validFrom, validTo, expiresAt, flagged, modelId, revision, scale, quantized, outdated */
export type FeedRow = readonly [
  row: number,
  content: string,
  project: string | null,
  validFrom: number,
  validTo: number | null,
  expiresAt: number | null,
  flagged: number,
  modelId: string,
  revision: number,
  scale: number,
  quantized: Uint8Array,
  outdated: OutdatedColumn,
]

const numbersEach = 6

export function pack(rows: readonly FeedRow[], rest: Omit<ChangeSlice, 'changed'>): PackedSlice {
  const numbers = new Float64Array(rows.length * numbersEach)
  const quantized = new Int8Array(rows.reduce((sum, row) => sum + row[10].length, 0))
  const ends = new Uint32Array(rows.length)
  let end = 0
  for (const [i, [row, , , validFrom, validTo, expiresAt, flagged, , , scale, bytes]] of rows.entries()) {
    numbers.set([row, validFrom, validTo ?? Number.NaN, expiresAt ?? Number.NaN, flagged, scale], i * numbersEach)
    quantized.set(componentsOf(bytes), end)
    end += bytes.length
    ends[i] = end
  }
  const contents = rows.map((row) => remainingText(row[1], outdatedOf(row[11])))
  const projects = rows.map((row) => row[2])
  const modelIds = rows.map((row) => row[7])
  return { ...rest, contents, projects, modelIds, numbers, quantized, ends }
}

export function unpack(slice: PackedSlice): ChangeSlice {
  const { mark, more, removedRows, contents, projects, modelIds, numbers, quantized, ends } = slice
  const number = (i: number, column: number) => numbers[i * numbersEach + column] ?? Number.NaN
  const moment = (i: number, column: number) => (Number.isNaN(number(i, column)) ? null : number(i, column))
  const changed = contents.map(
    (content, i): IndexedVersion => ({
      row: number(i, 0),
      content,
      project: projects[i] ?? null,
      validFrom: number(i, 1),
      validTo: moment(i, 2),
      expiresAt: moment(i, 3),
      flagged: number(i, 4) === 1,
      modelId: modelIds[i] ?? '',
      quantized: quantized.subarray(i === 0 ? 0 : ends[i - 1], ends[i]),
      scale: number(i, 5),
    }),
  )
  return { mark, more, changed, removedRows }
}
