/**
 * Versions whose vector another model made. Their order is that of the index `versions_by_model`: current ones, then
 * history; in each by model, then by row. So every slice is found at once, and one user's are a range of rows.
 */
import type { Scope } from '../../core/scope.js'
import { turnBreak } from '../ports/storage.js'
import type { OutdatedMark, OutdatedSlice, OutdatedVersion, TurnBefore } from '../ports/vector-upkeep.js'
import type { Database } from './database.js'
import { findUser, rowsOf } from './user-rows.js'

interface Place {
  readonly past: 0 | 1
  readonly modelId: string
  /** All rows up to it have been read. */
  readonly row: number
}

type Rows = readonly [first: number, last: number]

export function countOutdated(db: Database, scope: Scope, modelId: string): number {
  const rows = rowsIn(db, scope)
  if (!rows) return 0
  return groupsOf(db, modelId).reduce((sum, group) => {
    const counted = db.get<{ total: number }>(
      `SELECT count(*) AS total FROM versions INDEXED BY versions_by_model
       WHERE model_id = ? AND (valid_to IS NOT NULL) = ? AND row BETWEEN ? AND ?`,
      group.modelId,
      group.past,
      ...rows,
    )
    return sum + (counted?.total ?? 0)
  }, 0)
}

export function outdated(
  db: Database,
  scope: Scope,
  modelId: string,
  after: OutdatedMark | null,
  limit: number,
): OutdatedSlice {
  const rows = rowsIn(db, scope)
  const from = after === null ? null : placeOf(after)
  if (!rows) return { versions: [], mark: after }
  const found: FoundRow[] = []
  for (const group of groupsOf(db, modelId)) {
    if (found.length >= limit) break
    if (from && isBefore(group, from)) continue
    const first =
      from?.past === group.past && from.modelId === group.modelId ? Math.max(from.row + 1, rows[0]) : rows[0]
    found.push(...readGroup(db, group, [first, rows[1]], limit - found.length))
  }
  const last = found.at(-1)
  return {
    versions: found.map((version) => versionOf(db, version)),
    mark: last ? markOf({ past: last.past, modelId: last.model_id, row: last.row }) : after,
  }
}

/** Null: the scope holds nothing. */
function rowsIn(db: Database, scope: Scope): Rows | null {
  if (scope.kind === 'nobody') return null
  if (scope.kind === 'everyone') return [0, Number.MAX_SAFE_INTEGER]
  const user = findUser(db, scope.userId)
  return user ? rowsOf(user) : null
}

type Group = Omit<Place, 'row'>

/** There are few models; the recursion leaps from one to the next. */
function groupsOf(db: Database, modelId: string): Group[] {
  const models = db.all<{ id: string }>(
    `WITH RECURSIVE models (id) AS (
       SELECT min(model_id) FROM versions
       UNION ALL SELECT (SELECT min(model_id) FROM versions WHERE model_id > models.id) FROM models WHERE id IS NOT NULL
     ) SELECT id FROM models WHERE id <> ?`,
    modelId,
  )
  return ([0, 1] as const).flatMap((past) => models.map(({ id }) => ({ past, modelId: id })))
}

function isBefore(group: Group, place: Place): boolean {
  return group.past === place.past ? byteOrder(group.modelId, place.modelId) < 0 : group.past < place.past
}

/** As SQLite compares texts. */
function byteOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function markOf(place: Place): OutdatedMark {
  return JSON.stringify([place.past, place.row, place.modelId])
}

function placeOf(mark: OutdatedMark): Place {
  // Only `markOf` makes marks.
  const [past, row, modelId] = JSON.parse(mark) as [0 | 1, number, string]
  return { past, row, modelId }
}

interface FoundRow {
  readonly past: 0 | 1
  readonly row: number
  readonly model_id: string
  readonly memory: number
  readonly user_id: string
  readonly checksum: string
  readonly content: string
  readonly as_stored: number
}

function readGroup(db: Database, group: Group, rows: Rows, limit: number): FoundRow[] {
  return db.all<FoundRow>(
    `SELECT v.valid_to IS NOT NULL AS past, v.row, v.model_id, v.memory, u.id AS user_id, v.checksum, v.content,
       v.version = 1 OR v.checksum = (SELECT f.checksum FROM versions f WHERE f.memory = v.memory AND f.version = 1)
         AS as_stored
     FROM versions v INDEXED BY versions_by_model CROSS JOIN users u ON u.key = v.user
     WHERE v.model_id = ? AND (v.valid_to IS NOT NULL) = ? AND v.row BETWEEN ? AND ? ORDER BY v.row LIMIT ?`,
    group.modelId,
    group.past,
    ...rows,
    limit,
  )
}

function versionOf(db: Database, found: FoundRow): OutdatedVersion {
  return {
    userId: found.user_id,
    row: found.row,
    modelId: found.model_id,
    checksum: found.checksum,
    content: found.content,
    // What was written with an update has no turn before it.
    turnBefore: found.as_stored === 1 ? turnBefore(db, found.memory) : null,
  }
}

const longestTurn = 1_000

/** Erasing anything of a document takes all its breaks (no memory is made from one), and with them every turn before. */
function turnBefore(db: Database, memory: number): TurnBefore | null {
  const source = db.get<{ document: number; first: number }>(
    `SELECT document, first_segment AS first FROM memory_sources WHERE memory = ?
     ORDER BY document, first_segment LIMIT 1`,
    memory,
  )
  if (!source) return null
  const { document } = source
  let end = breakBefore(db, document, source.first)
  if (end === undefined) return null
  // A turn may begin with an empty line, which looks like a break: the first of them is the break.
  for (let earlier = breakBefore(db, document, end); earlier === end - 1; earlier = breakBefore(db, document, end))
    end = earlier
  const start = (breakBefore(db, document, end) ?? -1) + 1
  const text = textOf(db, document, start, end - 1).slice(0, longestTurn)
  return text.trim() === '' ? null : { text, memory: memoryMadeFrom(db, document, start, end - 1) }
}

function breakBefore(db: Database, document: number, position: number): number | undefined {
  return db.get<{ position: number }>(
    'SELECT position FROM segments WHERE document = ? AND position < ? AND text = ? ORDER BY position DESC LIMIT 1',
    document,
    position,
    turnBreak,
  )?.position
}

function textOf(db: Database, document: number, first: number, last: number): string {
  const rows = db.all<{ text: string }>(
    'SELECT text FROM segments WHERE document = ? AND position BETWEEN ? AND ? ORDER BY position LIMIT ?',
    document,
    first,
    last,
    longestTurn,
  )
  return rows.map((row) => row.text).join('')
}

/** One that begins in the turn, else one that reaches into it: small talk before or after a turn belongs to the same memory. */
function memoryMadeFrom(db: Database, document: number, first: number, last: number): TurnBefore['memory'] {
  const found = db.get<{ content: string; first: number; last: number }>(
    `SELECT v.content, o.first_segment AS first, o.last_segment AS last
     FROM memory_sources o INDEXED BY memory_sources_by_document
       CROSS JOIN versions v ON v.memory = o.memory AND v.version = 1
     WHERE o.document = ? AND o.first_segment <= ? AND o.last_segment >= ?
     ORDER BY o.first_segment < ?, o.first_segment, o.last_segment LIMIT 1`,
    document,
    last,
    first,
    first,
  )
  if (!found) return null
  const text = textOf(db, document, Math.max(first, found.first), Math.min(last, found.last))
  return { content: found.content, text }
}
