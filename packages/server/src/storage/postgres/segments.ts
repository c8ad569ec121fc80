/**
 * Stored pieces of the search index. PostgreSQL needs its own form: the driver reads `bytea` as text with two digits per byte, while
 * COPY sends the bytes themselves.
 */
import type { ChangeMark } from '../ports/index-feed.js'
import type { UserKey } from '../sql/session.js'
import { literalOf } from './literal.js'

/** `copyOut` returns the output of a COPY command in a transaction that has declared its user. */
export async function copiedSegments(
  copyOut: (sql: string) => Promise<Buffer>,
  user: UserKey,
  marks: readonly ChangeMark[],
): Promise<Uint8Array[]> {
  const pieces = fieldsOf(await copyOut(copyOf(user, marks)))
  if (pieces.length !== marks.length) throw new Error('PostgreSQL sent another number of segments than it has')
  return pieces
}

/** COPY takes no bound values: the user is a literal, and marks are whole numbers. */
function copyOf(user: UserKey, marks: readonly ChangeMark[]): string {
  const places = marks.map(({ revision, row }) => `(${wholeNumber(revision)}, ${wholeNumber(row)})`)
  return `COPY (SELECT bytes FROM index_segments
    WHERE user_id = ${literalOf(String(user))} AND (from_revision, from_row) IN (${places.join(', ')})
    ORDER BY from_revision, from_row) TO STDOUT (FORMAT binary)`
}

function wholeNumber(value: number): string {
  if (!Number.isSafeInteger(value)) throw new Error('a mark has a part that is not a whole number')
  return String(value)
}

const signatureBytes = 11

/** The only column of each row in the binary form of COPY, which is described in PostgreSQL's manual. */
function fieldsOf(copied: Buffer): Uint8Array[] {
  const fields: Uint8Array[] = []
  let at = signatureBytes + 8 + copied.readInt32BE(signatureBytes + 4)
  while (copied.readInt16BE(at) === 1) {
    const length = copied.readInt32BE(at + 2)
    fields.push(copied.subarray(at + 6, at + 6 + length))
    at += 6 + length
  }
  return fields
}
