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
 *   cut (`torn_lines`) and the SHA-256 of their text joined by line feeds (`torn_sha256`).
 *
 * What a chain without a secret can't show: lines taken off the end, and a log whose every later line
 * was computed anew. Keep a copy of `hash` (or of the log) elsewhere against these.
 */
import { createHash } from 'node:crypto'

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
  let number = 0
  let lastHash = firstPrevHash
  let torn: { first: number; reason: string; texts: string[] } | undefined
  for (const text of lines) {
    number += 1
    const line = readLine(text)
    if (line.kind === 'damaged') {
      torn ??= { first: number, reason: line.reason, texts: [] }
      torn.texts.push(text)
      continue
    }
    if (torn && !(line.torn?.lines === torn.texts.length && line.torn.sha256 === tornHash(torn.texts))) {
      return { ok: false, line: torn.first, reason: torn.reason }
    }
    if (!torn && line.torn) return { ok: false, line: number, reason: 'it tells of cut lines that are not there' }
    if (line.prevHash !== lastHash) {
      return {
        ok: false,
        line: number,
        reason: 'it does not follow from the line before: one was removed, added or moved',
      }
    }
    torn = undefined
    lastHash = line.hash
  }
  if (!torn) return { ok: true, lines: number, lastHash }
  if (torn.first === number && torn.texts[0] === '') return { ok: true, lines: number - 1, lastHash }
  return { ok: false, line: torn.first, reason: torn.reason }
}

export function tornHash(texts: readonly string[]): string {
  return sha256(texts.join('\n'))
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
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
