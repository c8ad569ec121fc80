/** Checks a log of any size. The files of a rotated log are one chain, in the given order. */
import { chainCheck, type Fault } from './audit-chain.js'

export interface AuditSource {
  readonly name: string
  readonly bytes: AsyncIterable<Uint8Array>
}

export interface VerifyOptions {
  /** The hash that the first line must follow from, if earlier files are not available. */
  readonly after?: string
  /** A hash noted earlier. If it is not in the log, lines were removed from the end. */
  readonly expect?: string
}

export type AuditReport =
  | { readonly ok: true; readonly files: number; readonly lines: number; readonly last_hash: string }
  /** `line` counts from 1 in its file; null if the fault concerns the whole file, or, without a file, the whole log. */
  | { readonly ok: false; readonly file: string | null; readonly line: number | null; readonly reason: string }

/** A file that lost all its lines has no line that could be wrong. A new file of a rotated log begins with a line. */
const emptyFile = 'the file is empty: its lines were removed, or none was written yet'

interface Place {
  readonly file: string
  readonly line: number
}

export async function verifyAuditLog(
  sources: Iterable<AuditSource>,
  { after, expect }: VerifyOptions = {},
): Promise<AuditReport> {
  const check = chainCheck<Place>(after)
  let files = 0
  let isFound = expect === undefined || expect === after
  for (const { name: file, bytes } of sources) {
    files += 1
    let line = 0
    for await (const text of linesOf(bytes)) {
      line += 1
      const fault = text === undefined ? tooLong({ file, line }) : check.take(text, { file, line })
      if (fault) return broken(fault)
      isFound ||= check.lastHash() === expect
    }
    if (line === 0) return { ok: false, file, line: null, reason: emptyFile }
  }
  const fault = check.end()
  if (fault) return broken(fault)
  if (isFound) return { ok: true, files, lines: check.lines(), last_hash: check.lastHash() }
  const reason = 'the expected hash is not in the log: lines were cut off the end, or the log was rewritten'
  return { ok: false, file: null, line: null, reason }
}

function broken({ place, reason }: Fault<Place>): AuditReport {
  return { ok: false, file: place.file, line: place.line, reason }
}

function tooLong(place: Place): Fault<Place> {
  return { place, reason: 'it is longer than any audit line' }
}

/** The line of a purge names every memory: this is enough for two million. */
const maxLineBytes = 64 * 1024 * 1024

/** Lines without their line feeds, one character per byte; undefined for a line that is too long, then nothing more. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string | undefined> {
  let pieces: string[] = []
  let length = 0
  for await (const chunk of bytes) {
    const [first = '', ...rest] = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      .toString('latin1')
      .split('\n')
    pieces.push(first)
    length += first.length
    for (const piece of rest) {
      yield pieces.join('')
      pieces = [piece]
      length = piece.length
    }
    if (length <= maxLineBytes) continue
    yield undefined
    return
  }
  if (length > 0) yield pieces.join('')
}
