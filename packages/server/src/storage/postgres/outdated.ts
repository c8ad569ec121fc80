/**
 * Versions whose vector another model made. Their order is that of the index `versions_by_model`: current ones, then
 * history; in each by model, then by user and row. So every slice is found at once.
 */
import type { Scope } from '../../core/scope.js'
import { turnBreak } from '../ports/storage.js'
import type { OutdatedMark, OutdatedSlice, OutdatedVersion, TurnBefore } from '../ports/vector-upkeep.js'
import type { Database } from './database.js'
import { UserData } from './user-data.js'
import { usersIn } from './user-rows.js'

interface Place {
  readonly past: boolean
  readonly modelId: string
  /** All rows up to it have been read. */
  readonly userId: string
  readonly row: number
}

export async function countOutdated(db: Database, scope: Scope, modelId: string): Promise<number> {
  const within = usersIn(scope, 'v')
  if (!within) return 0
  let total = 0
  for (const group of await groupsOf(db, modelId)) {
    const counted = await db.get<{ total: number }>(
      `SELECT count(*) AS total FROM versions v
       WHERE v.model_id = ? AND (v.valid_to IS NOT NULL) = ? AND ${within.sql}`,
      group.modelId,
      group.past,
      ...within.values,
    )
    total += counted?.total ?? 0
  }
  return total
}

export async function outdated(
  db: Database,
  scope: Scope,
  modelId: string,
  after: OutdatedMark | null,
  limit: number,
): Promise<OutdatedSlice> {
  const within = usersIn(scope, 'v')
  if (!within) return { versions: [], mark: after }
  const from = after === null ? null : placeOf(after)
  const found: FoundRow[] = []
  for (const group of await groupsOf(db, modelId)) {
    if (found.length >= limit) break
    if (from && isBefore(group, from)) continue
    const isBegun = from?.past === group.past && from.modelId === group.modelId
    const [userId, row] = isBegun && from ? [from.userId, from.row] : ['', 0]
    found.push(...(await readGroup(db, scope, { ...group, userId, row }, limit - found.length)))
  }
  const last = found.at(-1)
  const versions: OutdatedVersion[] = []
  for (const each of found) versions.push(await versionOf(db, each))
  const mark = last && markOf({ past: last.past, modelId: last.model_id, userId: last.user_id, row: last.row })
  return { versions, mark: mark ?? after }
}

type Group = Pick<Place, 'past' | 'modelId'>

/** There are few models; the recursion leaps from one to the next. */
async function groupsOf(db: Database, modelId: string): Promise<Group[]> {
  const models = await db.all<{ id: string }>(
    `WITH RECURSIVE models (id) AS (
       (SELECT model_id FROM versions ORDER BY model_id LIMIT 1)
       UNION ALL
       SELECT (SELECT v.model_id FROM versions v WHERE v.model_id > models.id ORDER BY v.model_id LIMIT 1)
       FROM models WHERE id IS NOT NULL
     ) SELECT id FROM models WHERE id <> ? ORDER BY id`,
    modelId,
  )
  return [false, true].flatMap((past) => models.map(({ id }) => ({ past, modelId: id })))
}

function isBefore(group: Group, place: Place): boolean {
  if (group.past !== place.past) return !group.past
  return Buffer.compare(Buffer.from(group.modelId), Buffer.from(place.modelId)) < 0
}

function markOf({ past, modelId, userId, row }: Place): OutdatedMark {
  return JSON.stringify([past, modelId, userId, row])
}

function placeOf(mark: OutdatedMark): Place {
  // Only `markOf` makes marks.
  const [past, modelId, userId, row] = JSON.parse(mark) as [boolean, string, string, number]
  return { past, modelId, userId, row }
}

interface FoundRow {
  readonly past: boolean
  readonly row: number
  readonly model_id: string
  readonly memory: number
  readonly user_id: string
  readonly checksum: string
  readonly content: string
  readonly as_stored: boolean
}

async function readGroup(db: Database, scope: Scope, after: Place, limit: number): Promise<FoundRow[]> {
  const within = usersIn(scope, 'v')
  if (!within) return []
  return db.all<FoundRow>(
    `SELECT v.valid_to IS NOT NULL AS past, v.row, v.model_id, v.memory, v.user_id, v.checksum, v.content,
       v.version = 1 OR v.checksum = (SELECT f.checksum FROM versions f
         WHERE f.user_id = v.user_id AND f.memory = v.memory AND f.version = 1) AS as_stored
     FROM versions v
     WHERE v.model_id = ? AND (v.valid_to IS NOT NULL) = ? AND (v.user_id, v.row) > (?, ?) AND ${within.sql}
     ORDER BY v.user_id, v.row LIMIT ?`,
    after.modelId,
    after.past,
    after.userId,
    after.row,
    ...within.values,
    limit,
  )
}

async function versionOf(db: Database, found: FoundRow): Promise<OutdatedVersion> {
  return {
    userId: found.user_id,
    row: found.row,
    modelId: found.model_id,
    checksum: found.checksum,
    content: found.content,
    // What was written with an update has no turn before it.
    turnBefore: found.as_stored ? await turnBefore(new UserData(db, found.user_id), found.memory) : null,
  }
}

const longestTurn = 1_000

/** Erasing anything of a document takes all its breaks (no memory is made from one), and with them every turn before. */
async function turnBefore(user: UserData, memory: number): Promise<TurnBefore | null> {
  const source = await user.get<{ document: number; first: number }>(
    `SELECT document, first_segment AS first FROM memory_sources WHERE user_id = @user AND memory = ?
     ORDER BY document, first_segment LIMIT 1`,
    memory,
  )
  if (!source) return null
  const { document } = source
  let end = await breakBefore(user, document, source.first)
  if (end === undefined) return null
  // A turn may begin with an empty line, which looks like a break: the first of them is the break.
  let earlier = await breakBefore(user, document, end)
  while (earlier !== undefined && earlier === end - 1) {
    end = earlier
    earlier = await breakBefore(user, document, end)
  }
  const start = (earlier ?? -1) + 1
  const text = (await textOf(user, document, start, end - 1)).slice(0, longestTurn)
  return text.trim() === '' ? null : { text, memory: await memoryMadeFrom(user, document, start, end - 1) }
}

async function breakBefore(user: UserData, document: number, position: number): Promise<number | undefined> {
  const row = await user.get<{ position: number }>(
    `SELECT position FROM segments WHERE user_id = @user AND document = ? AND position < ? AND text = ?
     ORDER BY position DESC LIMIT 1`,
    document,
    position,
    turnBreak,
  )
  return row?.position
}

async function textOf(user: UserData, document: number, first: number, last: number): Promise<string> {
  const rows = await user.all<{ text: string }>(
    `SELECT text FROM segments WHERE user_id = @user AND document = ? AND position BETWEEN ? AND ?
     ORDER BY position LIMIT ?`,
    document,
    first,
    last,
    longestTurn,
  )
  return rows.map((row) => row.text).join('')
}

/** One that begins in the turn, else one that reaches into it: small talk before or after a turn belongs to the same memory. */
async function memoryMadeFrom(
  user: UserData,
  document: number,
  first: number,
  last: number,
): Promise<TurnBefore['memory']> {
  const found = await user.get<{ content: string; first: number; last: number }>(
    `SELECT v.content, o.first_segment AS first, o.last_segment AS last
     FROM memory_sources o JOIN versions v ON v.user_id = o.user_id AND v.memory = o.memory AND v.version = 1
     WHERE o.user_id = @user AND o.document = ? AND o.first_segment <= ? AND o.last_segment >= ?
     ORDER BY o.first_segment < ?, o.first_segment, o.last_segment LIMIT 1`,
    document,
    last,
    first,
    first,
  )
  if (!found) return null
  const text = await textOf(user, document, Math.max(first, found.first), Math.min(last, found.last))
  return { content: found.content, text }
}
