/**
 * Versions whose vector was made by another model, in the order of the index `versions_by_model`: current ones, then history;
 * each by model, then by user and row. So every slice is one range of the index.
 */

import { longestPauseMs } from '../../../core/conversation.js'
import { remainingText } from '../../../core/outdated.js'
import type { Scope } from '../../../core/scope.js'
import { turnBreak } from '../../ports/memory-writes.js'
import type { OutdatedMark, OutdatedSlice, OutdatedVersion, TurnBefore } from '../../ports/vector-upkeep.js'
import { type FlagColumn, type OutdatedColumn, outdatedOf } from '../columns.js'
import type { Condition } from '../dialect.js'
import { countOutdatedItems, type ItemMark, outdatedItems } from '../items/item-feed.js'
import type { Session, UserKey } from '../session.js'
import { UserData, usersIn } from '../user-data.js'

interface Place {
  readonly past: boolean
  readonly modelId: string
  /** All rows up to this one have been read; null: none yet. */
  readonly last: readonly [user: UserKey, row: number] | null
}

export async function countOutdated(session: Session, scope: Scope, modelId: string): Promise<number> {
  const within = await usersIn(session, scope, 'v')
  if (!within) return 0
  let total = await countOutdatedItems(session, scope, modelId)
  for (const group of await groupsOf(session, modelId)) {
    const counted = await session.get<{ total: number }>(
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

const itemsMark = 'items '

/** Memories first, then items. */
export async function outdated(
  session: Session,
  scope: Scope,
  modelId: string,
  after: OutdatedMark | null,
  limit: number,
): Promise<OutdatedSlice> {
  if (!after?.startsWith(itemsMark)) {
    const slice = await outdatedVersions(session, scope, modelId, after, limit)
    if (slice.versions.length > 0) return slice
  }
  // Only these lines make such marks.
  const last = after?.startsWith(itemsMark) ? (JSON.parse(after.slice(itemsMark.length)) as ItemMark) : null
  const { versions, mark } = await outdatedItems(session, scope, modelId, last, limit)
  return { versions, mark: versions.length === 0 ? after : `${itemsMark}${JSON.stringify(mark)}` }
}

async function outdatedVersions(
  session: Session,
  scope: Scope,
  modelId: string,
  after: OutdatedMark | null,
  limit: number,
): Promise<OutdatedSlice> {
  const within = await usersIn(session, scope, 'v')
  if (!within) return { versions: [], mark: after }
  const from = after === null ? null : placeOf(after)
  const found: FoundRow[] = []
  for (const group of await groupsOf(session, modelId)) {
    if (found.length >= limit) break
    if (from && isBefore(group, from)) continue
    const isBegun = from?.past === group.past && from.modelId === group.modelId
    const place = { ...group, last: isBegun && from ? from.last : null }
    found.push(...(await readGroup(session, within, place, limit - found.length)))
  }
  const last = found.at(-1)
  const versions: OutdatedVersion[] = []
  for (const each of found) versions.push(await versionOf(session, each))
  const place = last && { past: Boolean(last.past), modelId: last.model_id, last: [last.user_id, last.row] as const }
  return { versions, mark: place ? markOf(place) : after }
}

type Group = Pick<Place, 'past' | 'modelId'>

/** There are few models: each statement skips to the next, with the index. */
async function groupsOf(session: Session, modelId: string): Promise<Group[]> {
  const models: string[] = []
  for (let last = ''; ; ) {
    const next = await session.get<{ id: string | null }>(
      'SELECT min(model_id) AS id FROM versions WHERE model_id > ?',
      last,
    )
    if (!next?.id) break
    last = next.id
    if (last !== modelId) models.push(last)
  }
  return [false, true].flatMap((past) => models.map((id) => ({ past, modelId: id })))
}

function isBefore(group: Group, place: Place): boolean {
  if (group.past !== place.past) return !group.past
  return Buffer.compare(Buffer.from(group.modelId), Buffer.from(place.modelId)) < 0
}

function markOf({ past, modelId, last }: Place): OutdatedMark {
  return JSON.stringify([past, modelId, last])
}

function placeOf(mark: OutdatedMark): Place {
  // Only `markOf` makes marks.
  const [past, modelId, last] = JSON.parse(mark) as [boolean, string, Place['last']]
  return { past, modelId, last }
}

interface FoundRow {
  readonly past: FlagColumn
  readonly row: number
  readonly model_id: string
  readonly memory: number
  readonly user_id: UserKey
  readonly userId: string
  readonly checksum: string
  readonly content: string
  readonly outdated: OutdatedColumn
  readonly as_stored: FlagColumn
}

function readGroup(session: Session, within: Condition, after: Place, limit: number): Promise<FoundRow[]> {
  return session.all<FoundRow>(
    `SELECT v.valid_to IS NOT NULL AS past, v.row, v.model_id, v.memory, v.user_id,
       ${session.dialect.userId('v')} AS "userId", v.checksum, v.content,
       ${session.dialect.jsonText('v.outdated')} AS outdated, v.version = 1 OR v.checksum = (SELECT f.checksum FROM versions f
         WHERE f.user_id = v.user_id AND f.memory = v.memory AND f.version = 1) AS as_stored
     FROM versions v
     WHERE v.model_id = ? AND (v.valid_to IS NOT NULL) = ? AND ${within.sql}
       ${after.last ? 'AND (v.user_id, v.row) > (?, ?)' : ''}
     ORDER BY v.user_id, v.row LIMIT ?`,
    after.modelId,
    after.past,
    ...within.values,
    ...(after.last ?? []),
    limit,
  )
}

async function versionOf(session: Session, found: FoundRow): Promise<OutdatedVersion> {
  return {
    userId: found.userId,
    row: found.row,
    modelId: found.model_id,
    checksum: found.checksum,
    content: remainingText(found.content, outdatedOf(found.outdated)),
    // Content from an update has no turn before it.
    turnsBefore: found.as_stored ? await turnsBefore(new UserData(session, found.user_id), found.memory) : [],
  }
}

const longestTurn = 1_000

const mostTurns = 2

interface TurnPlace {
  readonly document: number
  /** Its first and last segment. */
  readonly start: number
  readonly end: number
}

/** Nearest first. */
async function turnsBefore(user: UserData, memory: number): Promise<TurnBefore[]> {
  const source = await user.get<{ document: number; first: number; created_at: number }>(
    `SELECT o.document, o.first_segment AS first, m.created_at
     FROM memory_sources o JOIN memories m ON m.user_id = o.user_id AND m.key = o.memory
     WHERE o.user_id = @user AND o.memory = ? ORDER BY o.document, o.first_segment LIMIT 1`,
    memory,
  )
  if (!source) return []
  const turns: TurnBefore[] = []
  let saidAt = source.created_at
  let place = await placeBefore(user, source.document, source.first)
  while (place) {
    const { document, start, end } = place
    const text = (await textOf(user, document, start, end)).slice(0, longestTurn)
    if (text.trim() === '') break
    const made = await memoryMadeFrom(user, document, start, end)
    if (made && Math.abs(saidAt - made.createdAt) > longestPauseMs) break
    saidAt = made?.createdAt ?? saidAt
    turns.push({ text, memory: made && { content: made.content, text: made.text } })
    place = turns.length < mostTurns ? await placeBefore(user, document, start) : null
  }
  return turns
}

/**
 * The turn before this segment. Erasing any part of a document also removes its turn breaks (no memory is made from a break), so none
 * of its turns has a turn before it any more.
 */
async function placeBefore(user: UserData, document: number, position: number): Promise<TurnPlace | null> {
  let end = await breakBefore(user, document, position)
  if (end === undefined) return lastTurnBefore(user, document)
  // A turn may begin with an empty line, which looks like a break: the first of several is the real break.
  let earlier = await breakBefore(user, document, end)
  while (earlier !== undefined && earlier === end - 1) {
    end = earlier
    earlier = await breakBefore(user, document, end)
  }
  return { document, start: (earlier ?? -1) + 1, end: end - 1 }
}

/** The last turn of the document that this one continues, unless a part of either was erased. */
async function lastTurnBefore(user: UserData, document: number): Promise<TurnPlace | null> {
  const row = await user.get<{ continues: number | null }>(
    'SELECT continues FROM documents WHERE user_id = @user AND key = ?',
    document,
  )
  if (!row || row.continues === null || (await lastSegment(user, document)) === null) return null
  const end = await lastSegment(user, row.continues)
  if (end === null) return null
  const start = ((await breakBefore(user, row.continues, end + 1)) ?? -1) + 1
  return { document: row.continues, start, end }
}

/** Null if the document is not complete. */
async function lastSegment(user: UserData, document: number): Promise<number | null> {
  const row = await user.get<{ segments: number; last: number | null }>(
    'SELECT count(*) AS segments, max(position) AS last FROM segments WHERE user_id = @user AND document = ?',
    document,
  )
  return row && row.last !== null && row.segments === row.last + 1 ? row.last : null
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

/**
 * Prefers a memory that begins in the turn to one that only overlaps it: small talk before or after a turn belongs to the same
 * memory.
 */
async function memoryMadeFrom(
  user: UserData,
  document: number,
  first: number,
  last: number,
): Promise<{ readonly content: string; readonly text: string; readonly createdAt: number } | null> {
  const found = await user.get<{ content: string; first: number; last: number; created_at: number }>(
    `SELECT v.content, o.first_segment AS first, o.last_segment AS last, m.created_at
     FROM memory_sources o JOIN versions v ON v.user_id = o.user_id AND v.memory = o.memory AND v.version = 1
       JOIN memories m ON m.user_id = o.user_id AND m.key = o.memory
     WHERE o.user_id = @user AND o.document = ? AND o.first_segment <= ? AND o.last_segment >= ?
     ORDER BY o.first_segment < ?, o.first_segment, o.last_segment, v.row LIMIT 1`,
    document,
    last,
    first,
    first,
  )
  if (!found) return null
  const text = await textOf(user, document, Math.max(first, found.first), Math.min(last, found.last))
  return { content: found.content, text, createdAt: found.created_at }
}
