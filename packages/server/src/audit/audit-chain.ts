/**
 * The exact format of the audit log's hash chain, so that anyone can check it without this code:
 *
 * - A line is one JSON object in ASCII (other characters are written as \uXXXX), without spaces between
 *   its members, ended by one line feed. Its last two members are `prev_hash` and `hash`.
 * - `hash` is the SHA-256, in lower-case hex, of the line's own text with the member `hash` taken out:
 *   `sed -E 's/,"hash":"[0-9a-f]{64}"\}$/}/'`, without the line feed.
 * - `prev_hash` is the `hash` of the previous line, and 64 zeros on the first line of a chain. `hash` covers it, so every
 *   line vouches for all lines before it.
 * - If a crash cut the end of the log, the next start leaves the cut text unchanged and appends `audit.resumed`. That line follows from
 *   the last complete line, and records how many lines before it are cut (`torn_lines`) and the SHA-256 of their bytes joined by
 *   line feeds (`torn_sha256`).
 * - A rotated log continues in the next file. The first line of that file, `audit.rotated`, follows from the last line of the previous
 *   file. All files in order are one chain.
 *
 * A chain without a secret cannot reveal that lines were removed from the end, or that all lines after an edit were recomputed. To
 * detect that, keep a copy of `hash` (or of the log) elsewhere.
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
  if (hash === undefined) return { kind: 'damaged', reason: 'it is cut or is not an audit line' }
  const body = text.replace(hashMember, '}')
  if (sha256(body) !== hash) return { kind: 'damaged', reason: 'it was changed: its hash does not match its text' }
  const entry = parseObject(body)
  if (typeof entry?.prev_hash !== 'string') return { kind: 'damaged', reason: 'it is not an audit line' }
  const torn =
    entry.event === 'audit.resumed' && typeof entry.torn_lines === 'number' && typeof entry.torn_sha256 === 'string'
      ? { lines: entry.torn_lines, sha256: entry.torn_sha256 }
      : undefined
  return { kind: 'whole', hash, prevHash: entry.prev_hash, torn }
}

export type AuditVerdict =
  | { readonly ok: true; readonly lines: number; readonly lastHash: string }
  | { readonly ok: false; readonly line: number; readonly reason: string }

/** Checks lines without their line feeds, and ignores an empty last one. `line` counts from 1. */
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
  // Nothing after the last line feed: no line.
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
  /** Takes the next line, one character per byte, and its place. Returns the first fault once it is known. */
  take(text: string, place: Place): Fault<Place> | undefined
  /** At the end, cut lines that no later line accounts for are a fault. */
  end(): Fault<Place> | undefined
  lines(): number
  lastHash(): string
}

/**
 * Checks a chain line by line. Cut lines are hashed but not kept, so a file of any size can be checked. `follows` is the hash that
 * the first line must follow from.
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
      if (!torn && line.torn) return { place, reason: 'it accounts for cut lines that are not there' }
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
    return 'it continues from a line that is not here: the first lines were removed, or are in an earlier file'
  if (linesBefore > 0 && prevHash === firstPrevHash)
    return 'it begins a new chain: lines before it were removed, or the log was started again'
  return 'it does not follow from the previous line: a line was removed, added or moved'
}

/** The hash of lines that were read one character per byte. */
export function tornHash(texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\n'), 'latin1').digest('hex')
}

function sha256(text: string): string {
  return hashOf('sha256', text, 'hex')
}

/** In ASCII a cut never splits a character, and no line can send control sequences to a terminal. */
function ascii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    // Any object is fine here: each member is checked where it is used.
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
