import type { Slot } from '../../../core/entity.js'
import type { Memory } from '../../../core/memory.js'
import type { Scope, UserScope } from '../../../core/scope.js'
import { partOf } from '../../domain/contradiction-row.js'
import { isStorable } from '../../domain/storable-text.js'
import type { Contested, FactsToRecognise, KnownMemory, MemoryReads, Recognised } from '../../ports/memory-reads.js'
import type { ExpiredMemory } from '../../ports/temporal-reads.js'
import { fittingVersions } from '../page-bytes.js'
import type { Session } from '../session.js'
import { statement } from '../statement.js'
import { dataOf, findOwner, memoriesIn, notExpired, type UserData } from '../user-data.js'
import { contentsOf, loadMemories, type OwnRow } from './memory-rows.js'

interface Identified {
  readonly key: number
  readonly current_row: number
  readonly expires_at: number | null
}

export async function identify(
  session: Session,
  scope: Scope,
  memoryId: string,
): Promise<{ readonly owner: UserData; readonly memory: Identified } | undefined> {
  const within = await memoriesIn(session, scope)
  const owner = within && (await findOwner(session, scope, 'memories', memoryId))
  if (!owner) return undefined
  const memory = await owner.get<Identified>(
    `SELECT m.key, m.current_row, m.expires_at FROM memories m WHERE m.id = ? AND m.user_id = @user AND ${within.sql}`,
    memoryId,
    ...within.values,
  )
  return memory && { owner, memory }
}

export async function find(
  session: Session,
  scope: Scope,
  memoryId: string,
  at: Parameters<MemoryReads['find']>[2],
): Promise<Memory | null> {
  const found = await identify(session, scope, memoryId)
  if (!found) return null
  const { owner, memory } = found
  const isExpired = memory.expires_at !== null && memory.expires_at <= at.now
  if (isExpired && !at.includeExpired) return null
  return (await loadMemories(owner, [memory.current_row]))[0]?.memory ?? null
}

interface KnownRow {
  readonly row: number
  readonly content_key: string
}

export async function recognise(session: Session, scope: UserScope, facts: FactsToRecognise): Promise<Recognised> {
  const user = await dataOf(session, scope.userId)
  const known = await user?.get<{ revision: number }>('SELECT revision FROM users WHERE user_id = @user')
  if (!user || !known) return { revision: 0, sameContent: [], sameSlot: [] }
  const { dialect } = user
  const current = `m.superseded_at IS NULL AND ${notExpired} AND m.project IS NOT DISTINCT FROM ?`
  const [sameContent, sameSlot] = await Promise.all([
    user.all<KnownRow>(
      `SELECT m.current_row AS row, m.content_key FROM memories m
       WHERE m.user_id = @user AND ${dialect.among('m.content_key', 'text')} AND ${current} ORDER BY m.key`,
      [...new Set(facts.contentKeys)],
      facts.now,
      facts.project,
    ),
    user.all<KnownRow>(
      `SELECT m.current_row AS row, m.content_key FROM memories m
       WHERE m.user_id = @user AND m.key IN (SELECT t.memory FROM slots t
           WHERE t.user_id = @user AND ${dialect.among('t.slot', 'text')} AND t.current)
         AND ${current} ORDER BY m.key`,
      [...new Set(facts.slots)],
      facts.now,
      facts.project,
    ),
  ])
  return {
    revision: known.revision,
    sameContent: await knownMemories(user, sameContent),
    sameSlot: await knownMemories(user, sameSlot),
  }
}

export async function recent(
  session: Session,
  scope: UserScope,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<Memory[]> {
  const user = await dataOf(session, scope.userId)
  if (!user) return []
  const [project, values] = scope.project === undefined ? ['m.project IS NULL', []] : ['m.project = ?', [scope.project]]
  const rows = await user.all<{ row: number }>(
    `SELECT m.current_row AS row FROM memories m
     WHERE m.user_id = @user AND ${project} AND m.superseded_at IS NULL AND ${notExpired}
     ORDER BY m.created_at DESC, m.id DESC LIMIT ?`,
    ...values,
    now,
    limit,
  )
  const loaded = await loadMemories(
    user,
    rows.map(({ row }) => row),
  )
  return loaded.map(({ memory }) => memory)
}

export async function contested(
  session: Session,
  scope: UserScope,
  memoryIds: readonly string[],
): Promise<Contested[]> {
  const user = memoryIds.length < 2 ? undefined : await dataOf(session, scope.userId)
  if (!user) return []
  const ids = memoryIds.filter(isStorable)
  return (await user.all<ContestedRow>(contestedSql(user), ids, ids)).map(contestedOf)
}

export type ContestedRow = Omit<Contested, 'part'> & Parameters<typeof partOf>[0]

export const contestedSql = statement(
  ({ among }) => `SELECT o.id AS "oldId", n.id AS "newId", c.part_start, c.part_end FROM contradictions c
       JOIN memories o ON o.user_id = c.user_id AND o.key = c.old_memory
       JOIN memories n ON n.user_id = c.user_id AND n.key = c.new_memory
     WHERE c.user_id = @user AND c.status = 'open' AND c.new_memory IN (
         SELECT m.key FROM memories m WHERE m.user_id = @user AND ${among('m.id', 'text')})
       AND ${among('o.id', 'text')}`,
)

export function contestedOf({ oldId, newId, ...row }: ContestedRow): Contested {
  return { oldId, newId, part: partOf(row) }
}

async function knownMemories(user: UserData, rows: readonly KnownRow[]): Promise<KnownMemory[]> {
  if (rows.length === 0) return []
  const keys = new Map(rows.map((known) => [known.row, known.content_key]))
  const [loaded, slots] = await Promise.all([
    loadMemories(user, [...keys.keys()]),
    user.all<Slot & { version: number }>(
      `SELECT version, slot, value FROM slots WHERE user_id = @user AND ${user.dialect.among('version', 'bigint')}
       ORDER BY version, slot, value`,
      [...keys.keys()],
    ),
  ])
  return loaded.map(({ row, memory }) => ({
    memory,
    contentKey: keys.get(row) ?? '',
    slots: slots.flatMap(({ version, slot, value }) => (version === row ? [{ slot, value }] : [])),
  }))
}

export async function expired(
  session: Session,
  scope: Scope,
  now: number,
  limit: number,
): Promise<{ total: number; memories: ExpiredMemory[] }> {
  const within = await memoriesIn(session, scope)
  if (!within) return { total: 0, memories: [] }
  const condition = `${within.sql} AND m.expires_at <= ?`
  const [counted, rows] = await Promise.all([
    session.get<{ total: number }>(
      `SELECT count(*) AS total FROM memories m WHERE ${condition}`,
      ...within.values,
      now,
    ),
    session.all<OwnRow & Omit<ExpiredMemory, 'content'>>(
      `SELECT m.user_id, m.current_row AS row, m.id, m.expires_at AS "expiredAt"
       FROM memories m WHERE ${condition} ORDER BY m.expires_at, m.id LIMIT ?`,
      ...within.values,
      now,
      limit,
    ),
  ])
  const shown = await fittingVersions(session, rows)
  const contents = await contentsOf(session, shown)
  return {
    total: counted?.total ?? 0,
    memories: shown.map(({ id, expiredAt, ...place }) => ({ id, expiredAt, content: contents(place) })),
  }
}
