/**
 * The archive: JSON Lines. A header; then a record a line, each with a sum over itself and the sum before it, so that the
 * first line which was changed, moved, added or removed can be named; at the end the counts and a hash over all records.
 * Two archives of the same memories differ in their headers alone. docs/import-export.md describes every field.
 */
import { createHash } from 'node:crypto'
import { checksumOf, type PortableRecord, type RecordKind } from '@keepsake/server/portable'
import { UsageError } from '../command.js'

const archiveVersion = 1

export interface ArchiveHeader {
  readonly keepsake_archive: typeof archiveVersion
  /** ISO 8601. */
  readonly made_at: string
  readonly vectors: boolean
  readonly keys: boolean
  /** Null: everybody. */
  readonly user: string | null
}

export type Counts = Partial<Record<RecordKind, number>>

export interface ArchiveEnd {
  readonly record: 'end'
  readonly counts: Counts
  /** Versions whose content does not fit its checksum: changed behind the service's back before it was exported. */
  readonly mismatches: number
  /** Over all lines between the header and this one, with their line ends. */
  readonly sha256: string
}

/** Something is wrong with the file: where, and what. */
class ArchiveBroken extends UsageError {
  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`)
  }
}

/** What is said of records as they go by: counts, contents that don't fit, and the hash at the end. */
class Tally {
  readonly #hash = createHash('sha256')
  readonly #counts: Counts = {}
  #mismatches = 0
  #sum = ''

  /** The record's line, without its end. */
  take(body: string, record: PortableRecord): string {
    this.#sum = createHash('sha256').update(this.#sum).update(body).digest('hex').slice(0, 16)
    const line = `${body.slice(0, -1)},"sum":"${this.#sum}"}`
    this.#hash.update(line).update('\n')
    this.#counts[record.record] = (this.#counts[record.record] ?? 0) + 1
    if (record.record === 'version' && checksumOf(record.content) !== record.checksum) this.#mismatches += 1
    return line
  }

  get mismatches(): number {
    return this.#mismatches
  }

  end(): ArchiveEnd {
    return { record: 'end', counts: this.#counts, mismatches: this.#mismatches, sha256: this.#hash.digest('hex') }
  }
}

export class ArchiveLines {
  readonly #tally = new Tally()

  /** With its line end, as all that this class makes. */
  header(header: Omit<ArchiveHeader, 'keepsake_archive'>): string {
    return `${JSON.stringify({ keepsake_archive: archiveVersion, ...header })}\n`
  }

  record(record: PortableRecord): string {
    return `${this.#tally.take(JSON.stringify(record), record)}\n`
  }

  get mismatches(): number {
    return this.#tally.mismatches
  }

  end(): { readonly line: string; readonly end: ArchiveEnd } {
    const end = this.#tally.end()
    return { line: `${JSON.stringify(end)}\n`, end }
  }
}

const sumAtEnd = /,"sum":"[0-9a-f]{16}"\}$/

export interface CheckedArchive {
  readonly header: ArchiveHeader
  readonly end: ArchiveEnd
}

/** Tells of each record in turn, as the file has it and as JSON; throws `ArchiveBroken` for anything that is not as it was written. */
export async function checkArchive(
  bytes: AsyncIterable<Uint8Array>,
  parse: (value: unknown) => PortableRecord,
  take: (record: PortableRecord) => Promise<void> | void,
): Promise<CheckedArchive> {
  const tally = new Tally()
  let header: ArchiveHeader | undefined
  let end: ArchiveEnd | undefined
  let number = 0
  for await (const line of linesOf(bytes)) {
    number += 1
    if (end) throw new ArchiveBroken(number, 'something comes after the end of the archive')
    if (!header) {
      header = headerOf(line)
      continue
    }
    if (line.startsWith('{"record":"end"')) {
      end = endOf(line, tally.end(), number)
      continue
    }
    const { body, record } = recordOf(line, number, parse)
    if (tally.take(body, record) !== line) {
      throw new ArchiveBroken(
        number,
        'its sum does not fit: this line was changed, or lines before it are missing or moved',
      )
    }
    await take(record)
  }
  if (!header) throw new ArchiveBroken(1, 'the file is empty')
  if (!end) throw new ArchiveBroken(number, 'the archive ends here, without its last line: it was cut off')
  return { header, end }
}

function headerOf(line: string): ArchiveHeader {
  const value = jsonOf(line, 1)
  if (typeof value !== 'object' || value === null || !('keepsake_archive' in value)) {
    throw new ArchiveBroken(1, 'this is no archive of Keepsake')
  }
  if (value.keepsake_archive !== archiveVersion) {
    const version = JSON.stringify(value.keepsake_archive)
    throw new ArchiveBroken(1, `the archive has version ${version}, and this release knows ${archiveVersion}`)
  }
  const { made_at, vectors, keys, user } = value as Partial<Record<keyof ArchiveHeader, unknown>>
  const isKnown = typeof vectors === 'boolean' && typeof keys === 'boolean' && typeof made_at === 'string'
  if (!isKnown || (user !== null && typeof user !== 'string'))
    throw new ArchiveBroken(1, 'the header is not understood')
  return { keepsake_archive: archiveVersion, made_at, vectors, keys, user }
}

function endOf(line: string, expected: ArchiveEnd, number: number): ArchiveEnd {
  if (line === JSON.stringify(expected)) return expected
  const value = jsonOf(line, number)
  const isHash = typeof value === 'object' && value !== null && 'sha256' in value && value.sha256 === expected.sha256
  throw new ArchiveBroken(
    number,
    isHash ? 'the counts are not those of the archive' : 'the hash is not that of the lines before: some are missing',
  )
}

function recordOf(line: string, number: number, parse: (value: unknown) => PortableRecord) {
  const at = line.search(sumAtEnd)
  if (at < 0) throw new ArchiveBroken(number, line.endsWith('}') ? 'it has no sum' : 'it is cut off')
  const body = `${line.slice(0, at)}}`
  const value = jsonOf(body, number)
  try {
    return { body, record: parse(value) }
  } catch (error) {
    throw new ArchiveBroken(number, error instanceof Error ? error.message : String(error))
  }
}

function jsonOf(line: string, number: number): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // The parser's own words quote what it read, which may be somebody's memory.
    throw new ArchiveBroken(number, 'it is not JSON')
  }
}

/** Longer than any record can be, and short enough to hold. */
const longestLineBytes = 2 ** 28

/** At line feeds alone: texts may hold what other readers of lines take for an end. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let parts: Uint8Array[] = []
  let length = 0
  let number = 0
  const whole = (): string => {
    number += 1
    const line = Buffer.concat(parts, length)
    parts = []
    length = 0
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line)
    } catch {
      throw new ArchiveBroken(number, 'it is not UTF-8')
    }
  }
  for await (const chunk of bytes) {
    let from = 0
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, to))
      length += to - from
      from = to + 1
      yield whole()
    }
    if (from < chunk.length) {
      parts.push(chunk.subarray(from))
      length += chunk.length - from
    }
    if (length > longestLineBytes) throw new ArchiveBroken(number + 1, 'it is longer than any line of an archive')
  }
  if (length > 0) yield whole()
}
