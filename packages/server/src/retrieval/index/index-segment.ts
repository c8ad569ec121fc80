/**
 * A part of a user's index as bytes: a header of whole numbers, then columns, codes and words, each at a multiple of eight. A checksum
 * finds damage. Numbers are little-endian, as on every machine that Node.js runs on.
 */
import type { SegmentKind } from '../../storage/ports/index-segments.js'
import type { BlockCodes } from './dense-store.js'
import type { StoredWords } from './keyword-index.js'
import type { VersionFields } from './version-columns.js'

/**
 * Raise it whenever the bytes change their form, or texts and vectors become other words and codes than before. Segments of another
 * format are then ignored and replaced. `index-segment.test.ts` fails if this was forgotten.
 */
export const segmentFormat = 1

export function segmentKind(modelId: string): SegmentKind {
  return { modelId, format: segmentFormat }
}

export interface StoredVersions {
  readonly count: number
  readonly seed: number
  readonly fields: (place: number) => VersionFields
  /** As in `VersionColumns`. */
  readonly scales: Float32Array
  readonly contentHashes: Uint32Array
  readonly codes: BlockCodes
  readonly words: StoredWords
}

/** The same with the fields as columns, as they were stored. */
export interface ReadVersions extends StoredVersions {
  readonly columns: StoredColumns
}

export interface StoredColumns {
  readonly rows: Float64Array
  readonly validFrom: Float64Array
  /** Infinity for none, like `expiresAt`. */
  readonly validTo: Float64Array
  readonly expiresAt: Float64Array
  /** 0 for none, otherwise the place in `projects`, from 1. */
  readonly projectNumbers: Uint32Array
  readonly projects: readonly string[]
  /** 1: flagged. */
  readonly flagged: Uint8Array
}

const magic = 0x6b_73_65_67
const headerNumbers = 16
const noMoment = Infinity

type Column = Float64Array | Float32Array | Uint32Array | Uint16Array | Uint8Array

export function writeSegment(stored: StoredVersions, { modelId, format }: SegmentKind): Uint8Array<ArrayBuffer> {
  const { count, words, codes } = stored
  const fields = Array.from({ length: count }, (_, place) => stored.fields(place))
  const projects = [...new Set(fields.flatMap(({ project }) => (project === null ? [] : [project])))]
  const numberOf = new Map(projects.map((project, index) => [project, index + 1]))
  const about = new TextEncoder().encode(JSON.stringify({ modelId, projects }))
  const columns: Column[] = [
    Float64Array.from(fields, ({ row }) => row),
    Float64Array.from(fields, ({ validFrom }) => validFrom),
    Float64Array.from(fields, ({ validTo }) => validTo),
    Float64Array.from(fields, ({ expiresAt }) => expiresAt),
    Uint32Array.from(fields, ({ project }) => numberOf.get(project ?? '') ?? 0),
    stored.contentHashes.slice(0, count),
    stored.scales.slice(0, count),
    Uint8Array.from(fields, ({ flagged }) => (flagged ? 1 : 0)),
    words.lengths,
    words.hashes,
    words.counts,
    words.documents,
    words.frequencies,
    codes.coarse,
    codes.fine,
    about,
  ]
  const header = new Uint32Array(headerNumbers)
  header.set([magic, format, 0, 0, stored.seed, count, words.counts.length, words.documents.length])
  header.set([codes.coarse.length, codes.fine.length, about.length], 8)
  const bytes = new Uint8Array(columns.reduce((end, column) => end + aligned(column.byteLength), header.byteLength))
  bytes.set(new Uint8Array(header.buffer))
  let end = header.byteLength
  for (const column of columns) {
    bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), end)
    end += aligned(column.byteLength)
  }
  new Uint32Array(bytes.buffer).set(checksumOf(bytes), 2)
  return bytes
}

/** Undefined: the bytes are damaged, or of another kind or seed. The result views the bytes. */
export function readSegment(
  given: Uint8Array,
  seed: number,
  { modelId, format }: SegmentKind,
): ReadVersions | undefined {
  const bytes = given.byteOffset % 8 === 0 ? given : given.slice()
  if (bytes.length < headerNumbers * 4 || bytes.length % 8 !== 0) return undefined
  const header = new Uint32Array(bytes.buffer, bytes.byteOffset, headerNumbers)
  const [sign, madeAs, first, second, madeWith, count = 0, terms = 0, postings = 0, coarse = 0, fine = 0, text = 0] =
    header
  if (sign !== magic || madeAs !== format || madeWith !== seed) return undefined
  const sum = checksumOf(bytes)
  if (first !== sum[0] || second !== sum[1]) return undefined
  let end = bytes.byteOffset + header.byteLength
  const next = <T extends Column>(
    type: new (buffer: ArrayBufferLike, at: number, length: number) => T,
    length: number,
  ): T => {
    const column = new type(bytes.buffer, end, length)
    end += aligned(column.byteLength)
    return column
  }
  const rows = next(Float64Array, count)
  const validFrom = next(Float64Array, count)
  const validTo = next(Float64Array, count)
  const expiresAt = next(Float64Array, count)
  const projectNumbers = next(Uint32Array, count)
  const contentHashes = next(Uint32Array, count)
  const scales = next(Float32Array, count)
  const flagged = next(Uint8Array, count)
  const words: StoredWords = {
    lengths: next(Uint16Array, count),
    hashes: next(Uint32Array, 2 * terms),
    counts: next(Uint32Array, terms),
    documents: next(Uint16Array, postings),
    frequencies: next(Uint8Array, postings),
  }
  const codes = { coarse: next(Uint8Array, coarse), fine: next(Uint8Array, fine) }
  // `writeSegment` wrote it, as the checksum shows.
  const about = JSON.parse(new TextDecoder().decode(next(Uint8Array, text))) as { modelId: string; projects: string[] }
  if (about.modelId !== modelId) return undefined
  const columns = { rows, validFrom, validTo, expiresAt, projectNumbers, projects: about.projects, flagged }
  return { count, seed, columns, fields: (place) => fieldsAt(columns, place), scales, contentHashes, codes, words }
}

function fieldsAt(columns: StoredColumns, place: number): VersionFields {
  return {
    row: columns.rows[place] ?? 0,
    project: columns.projects[(columns.projectNumbers[place] ?? 0) - 1] ?? null,
    validFrom: columns.validFrom[place] ?? 0,
    validTo: columns.validTo[place] ?? noMoment,
    expiresAt: columns.expiresAt[place] ?? noMoment,
    flagged: columns.flagged[place] === 1,
  }
}

function aligned(length: number): number {
  return Math.ceil(length / 8) * 8
}

/** Over all numbers but the sums themselves. In four lanes, because each step of a lane waits for the one before it. */
function checksumOf(bytes: Uint8Array): readonly [number, number] {
  const numbers = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  let a = bytes.length
  let b = (numbers[0] ?? 0) ^ 0x9e3779b9
  let c = (numbers[1] ?? 0) ^ 0x7f4a7c15
  let d = 0x811c9dc5
  // The length is a multiple of eight, so at most two numbers are left over.
  const end = numbers.length - (numbers.length % 4)
  for (let at = 4; at < end; at += 4) {
    a = mixed(a, numbers[at] ?? 0)
    b = mixed(b, numbers[at + 1] ?? 0)
    c = mixed(c, numbers[at + 2] ?? 0)
    d = mixed(d, numbers[at + 3] ?? 0)
  }
  for (let at = end; at < numbers.length; at++) a = mixed(a, numbers[at] ?? 0)
  return [mixed(mixed(a, b), mixed(c, d)) >>> 0, mixed(mixed(d, a), mixed(b, c)) >>> 0]
}

/** For each `sum` another result for each `value`. */
function mixed(sum: number, value: number): number {
  const product = Math.imul(sum ^ value, 0x85ebca6b)
  return product ^ (product >>> 13)
}
