/**
 * The archive format, as JSON Lines: a header, one record per line, and an end record with the counts and a hash over all records.
 * Each record has a sum over itself and the previous sum, so that the first line that was changed, moved, added or removed can be
 * named. Two archives of the same memories differ only in their headers. docs/import-export.md describes every field.
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
  /** Null for all users. */
  readonly user: string | null
  /** As JSON text: the archive has only memories that pass it. */
  readonly filter?: string
}

export type Counts = Partial<Record<RecordKind, number>>

export interface ArchiveEnd {
  readonly record: 'end'
  readonly counts: Counts
  /** Versions whose content does not match its checksum: it was changed outside the service before the export. */
  readonly mismatches: number
  /** Hash over all lines between the header and this one, including line breaks. */
  readonly sha256: string
}

/** The file is invalid: which line, and why. */
class ArchiveBroken extends UsageError {
  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`)
  }
}

/** Accumulates counts, checksum mismatches and the final hash. */
class Tally {
  readonly #hash = createHash('sha256')
  readonly #counts: Counts = {}
  #mismatches = 0
  #sum = ''

  /** Returns the line of the record, without a line break. */
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

  /** Includes the line break, like all lines from this class. */
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

/** Passes each record to `take` in order. Throws `ArchiveBroken` if anything differs from what was written. */
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
    if (end) throw new ArchiveBroken(number, 'there is data after the end of the archive')
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
        'its sum does not match: this line was changed, or lines before it are missing or moved',
      )
    }
    await take(record)
  }
  if (!header) throw new ArchiveBroken(1, 'the file is empty')
  if (!end) throw new ArchiveBroken(number, 'the archive ends here without its end record: it was cut off')
  return { header, end }
}

function headerOf(line: string): ArchiveHeader {
  const value = jsonOf(line, 1)
  if (typeof value !== 'object' || value === null || !('keepsake_archive' in value)) {
    throw new ArchiveBroken(1, 'this is not a Keepsake archive')
  }
  if (value.keepsake_archive !== archiveVersion) {
    const version = JSON.stringify(value.keepsake_archive)
    throw new ArchiveBroken(1, `the archive has version ${version}, but this release supports only ${archiveVersion}`)
  }
  const { made_at, vectors, keys, user } = value as Partial<Record<keyof ArchiveHeader, unknown>>
  const isKnown = typeof vectors === 'boolean' && typeof keys === 'boolean' && typeof made_at === 'string'
  if (!isKnown || (user !== null && typeof user !== 'string')) throw new ArchiveBroken(1, 'the header is invalid')
  return { keepsake_archive: archiveVersion, made_at, vectors, keys, user }
}

function endOf(line: string, expected: ArchiveEnd, number: number): ArchiveEnd {
  if (line === JSON.stringify(expected)) return expected
  const value = jsonOf(line, number)
  const isHash = typeof value === 'object' && value !== null && 'sha256' in value && value.sha256 === expected.sha256
  throw new ArchiveBroken(
    number,
    isHash ? 'the counts do not match the archive' : 'the hash does not match the lines before it: some are missing',
  )
}

function recordOf(line: string, number: number, parse: (value: unknown) => PortableRecord) {
  const at = line.search(sumAtEnd)
  if (at < 0) throw new ArchiveBroken(number, line.endsWith('}') ? 'the line has no sum' : 'the line is cut off')
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
    // The parser's message is not used because it quotes its input, which may be somebody's memory.
    throw new ArchiveBroken(number, 'the line is not JSON')
  }
}

/** Longer than any record can be, and short enough to hold in memory. */
const longestLineBytes = 2 ** 28

/** Splits at line feeds only: texts may contain other characters that line readers treat as line breaks. */
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
      throw new ArchiveBroken(number, 'the line is not UTF-8')
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
    if (length > longestLineBytes) throw new ArchiveBroken(number + 1, 'the line is too long for an archive')
  }
  if (length > 0) yield whole()
}
