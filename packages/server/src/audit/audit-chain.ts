/**
 * The chain of the audit log, exactly, so that anyone can check it without this code:
 *
 * - A line is one JSON object in ASCII (other characters are written as \uXXXX), without spaces between
 *   its members, ended by one line feed. Its last two members are `prev_hash` and `hash`.
 * - `hash` is the SHA-256, in lower-case hex, of the line's own text with the member `hash` taken out:
 *   `sed -E 's/,"hash":"[0-9a-f]{64}"\}$/}/'`, without the line feed.
 * - `prev_hash` is the `hash` of the line before, and 64 zeros on the first line of a chain. It is part
 *   of what `hash` covers, so every line vouches for all lines before it.
 * - Where a crash cut the end of the log, the next start leaves the cut text as it is and appends
 *   `audit.resumed`, which follows from the last whole line, and tells how many lines before it are
 *   cut (`torn_lines`) and the SHA-256 of their bytes joined by line feeds (`torn_sha256`).
 * - A log that was rotated goes on in the next file: its first line, `audit.rotated`, follows from the last line of the file
 *   before. The files in their order are one chain.
 *
 * What a chain without a secret can't show: lines taken off the end, and a log whose every later line
 * was computed anew. Keep a copy of `hash` (or of the log) elsewhere against these.
 */
import { createHash, type Hash, hash as hashOf } from 'node:crypto'

export const firstPrevHash = '0'.repeat(64)

export interface ChainedLine {
  /** Without the line feed. */
  readonly text: string
  readonly hash: string
}

export function chainLine(entry: Readonly<Record<string, unknown>>, prevHash: string): ChainedLine {
  const body = ascii(JSON.stringify({ ...entry, prev_hash: prevHash }))
  const hash = sha256(body)
  return { text: `${body.slice(0, -1)},"hash":"${hash}"}`, hash }
}

export type ReadLine =
  | {
      readonly kind: 'whole'
      readonly hash: string
      readonly prevHash: string
      readonly torn: { readonly lines: number; readonly sha256: string } | undefined
    }
  | { readonly kind: 'damaged'; readonly reason: string }

const hashMember = /,"hash":"([0-9a-f]{64})"\}$/

export function readLine(text: string): ReadLine {
  const hash = hashMember.exec(text)?.[1]
  if (hash === undefined) return { kind: 'damaged', reason: 'it is cut or is no audit line' }
  const body = text.replace(hashMember, '}')
  if (sha256(body) !== hash) return { kind: 'damaged', reason: 'it was changed: its hash is not that of its text' }
  const entry = parseObject(body)
  if (typeof entry?.prev_hash !== 'string') return { kind: 'damaged', reason: 'it is no audit line' }
  const torn =
    entry.event === 'audit.resumed' && typeof entry.torn_lines === 'number' && typeof entry.torn_sha256 === 'string'
      ? { lines: entry.torn_lines, sha256: entry.torn_sha256 }
      : undefined
  return { kind: 'whole', hash, prevHash: entry.prev_hash, torn }
}

export type AuditVerdict =
  | { readonly ok: true; readonly lines: number; readonly lastHash: string }
  | { readonly ok: false; readonly line: number; readonly reason: string }

/** Checks lines (without their line feeds; an empty last one is passed over); `line` counts from 1. */
export function verifyAuditLines(lines: Iterable<string>): AuditVerdict {
  const check = chainCheck<number>()
  let number = 0
  let held: string | undefined
  let fault: Fault<number> | undefined
  for (const text of lines) {
    if (held !== undefined) fault = check.take(held, number)
    if (fault) break
    held = text
    number += 1
  }
  // What stands behind the last line feed is no line.
  if (held !== undefined && held !== '') fault ??= check.take(held, number)
  fault ??= check.end()
  if (fault) return { ok: false, line: fault.place, reason: fault.reason }
  return { ok: true, lines: check.lines(), lastHash: check.lastHash() }
}

export interface Fault<Place> {
  readonly place: Place
  readonly reason: string
}

export interface ChainCheck<Place> {
  /** The next line, one character a byte, and where it stands; the first fault, if it shows now. */
  take(text: string, place: Place): Fault<Place> | undefined
  /** Lines that nothing accounted for are a fault at the end. */
  end(): Fault<Place> | undefined
  lines(): number
  lastHash(): string
}

/**
 * Checks a chain line by line. Cut lines are only hashed, not kept, so that a file of any size can be checked. `follows` is the
 * hash that the first line must follow from.
 */
export function chainCheck<Place>(follows = firstPrevHash): ChainCheck<Place> {
  let lines = 0
  let lastHash = follows
  let torn: (Fault<Place> & { count: number; readonly hash: Hash }) | undefined

  function takeDamaged(text: string, place: Place, reason: string): void {
    lines += 1
    if (torn) torn.hash.update('\n')
    else torn = { place, reason, count: 0, hash: createHash('sha256') }
    torn.hash.update(text, 'latin1')
    torn.count += 1
  }

  function fault(): Fault<Place> | undefined {
    return torn && { place: torn.place, reason: torn.reason }
  }

  return {
    take(text, place) {
      const line = readLine(text)
      if (line.kind === 'damaged') {
        takeDamaged(text, place, line.reason)
        return undefined
      }
      if (torn && !(line.torn?.lines === torn.count && line.torn.sha256 === torn.hash.digest('hex'))) return fault()
      if (!torn && line.torn) return { place, reason: 'it tells of cut lines that are not there' }
      if (line.prevHash !== lastHash) return { place, reason: notFollowing(lines, line.prevHash) }
      torn = undefined
      lines += 1
      lastHash = line.hash
      return undefined
    },
    end: fault,
    lines: () => lines,
    lastHash: () => lastHash,
  }
}

function notFollowing(linesBefore: number, prevHash: string): string {
  if (linesBefore === 0 && prevHash !== firstPrevHash)
    return 'it goes on from a line that is not here: the first lines were removed, or are in an earlier file'
  if (linesBefore > 0 && prevHash === firstPrevHash)
    return 'it begins a new chain: lines before it were removed, or the log was started anew'
  return 'it does not follow from the line before: one was removed, added or moved'
}

/** Of lines that were read one character a byte. */
export function tornHash(texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\n'), 'latin1').digest('hex')
}

function sha256(text: string): string {
  return hashOf('sha256', text, 'hex')
}

/** In ASCII a cut never falls inside a character, and nothing in a line can play tricks with a terminal. */
function ascii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    // Any object will do: each member is checked where it is used.
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
