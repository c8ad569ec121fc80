import type { Slot } from '../../../core/entity.js'
import type { Memory, MemoryVersion } from '../../../core/memory.js'
import type { Scope, UserScope } from '../../../core/scope.js'
import { partOf } from '../../domain/contradiction-row.js'
import { isStorable } from '../../domain/storable-text.js'
import type {
  Contested,
  FactsToRecognise,
  KnownMemory,
  MemoryReads,
  Provenance,
  Recognised,
} from '../../ports/memory-reads.js'
import type { ExpiredMemory } from '../../ports/temporal-reads.js'
import { type OutdatedColumn, outdatedOf } from '../columns.js'
import type { Session } from '../session.js'
import { dataOf, findOwner, memoriesIn, notExpired, type UserData } from '../user-data.js'
import { loadMemories, metadataOf } from './memory-rows.js'

interface Identified {
  readonly key: number
  readonly current_row: number
  readonly expires_at: number | null
}

async function identify(
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

/** With the longest contents, more than this would be a response of over 100 MB. */
const mostVersions = 500

export async function history(session: Session, scope: Scope, memoryId: string): Promise<MemoryVersion[]> {
  const found = await identify(session, scope, memoryId)
  if (!found) return []
  type Row = Omit<MemoryVersion, 'metadata' | 'outdated'> & {
    readonly metadata: string
    readonly outdated: OutdatedColumn
  }
  const { dialect } = session
  // A memory may have been in another project before.
  const project = scope.kind === 'nobody' || scope.project === undefined ? [] : [scope.project]
  const rows = await found.owner.all<Row>(
    `SELECT version, content, ${dialect.jsonText('outdated')} AS outdated, checksum,
       ${dialect.jsonText('metadata')} AS metadata, project,
       trust_score AS "trustScore", valid_from AS "validFrom", valid_to AS "validTo", expires_at AS "expiresAt"
     FROM versions WHERE user_id = @user AND memory = ?${project.length === 0 ? '' : ' AND project = ?'}
     ORDER BY version DESC LIMIT ?`,
    found.memory.key,
    ...project,
    mostVersions,
  )
  return rows.reverse().map((row) => ({
    ...row,
    outdated: outdatedOf(row.outdated),
    metadata: metadataOf(row.metadata),
  }))
}

export async function provenance(session: Session, scope: Scope, memoryId: string): Promise<Provenance[]> {
  const found = await identify(session, scope, memoryId)
  if (!found) return []
  return found.owner.all<Provenance>(
    `SELECT d.id AS "documentId", d.source, d.stored_at AS "storedAt", coalesce((
         SELECT string_agg(g.text, '' ORDER BY g.position) FROM segments g WHERE g.user_id = d.user_id
           AND g.document = d.key AND g.position BETWEEN o.first_segment AND o.last_segment), '') AS text
     FROM memory_sources o JOIN documents d ON d.user_id = o.user_id AND d.key = o.document
     WHERE o.user_id = @user AND o.memory = ? ORDER BY d.stored_at, d.key, o.first_segment`,
    found.memory.key,
  )
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
  const rows = await user.all<Omit<Contested, 'part'> & Parameters<typeof partOf>[0]>(
    `SELECT o.id AS "oldId", n.id AS "newId", c.part_start, c.part_end FROM contradictions c
       JOIN memories o ON o.user_id = c.user_id AND o.key = c.old_memory
       JOIN memories n ON n.user_id = c.user_id AND n.key = c.new_memory
     WHERE c.user_id = @user AND c.status = 'open' AND c.new_memory IN (
         SELECT m.key FROM memories m WHERE m.user_id = @user AND ${user.dialect.among('m.id', 'text')})
       AND ${user.dialect.among('o.id', 'text')}`,
    ids,
    ids,
  )
  return rows.map(({ oldId, newId, ...row }) => ({ oldId, newId, part: partOf(row) }))
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
  const [counted, memories] = await Promise.all([
    session.get<{ total: number }>(
      `SELECT count(*) AS total FROM memories m WHERE ${condition}`,
      ...within.values,
      now,
    ),
    session.all<ExpiredMemory>(
      `SELECT m.id, v.content, m.expires_at AS "expiredAt"
       FROM memories m JOIN versions v ON v.user_id = m.user_id AND v.row = m.current_row
       WHERE ${condition} ORDER BY m.expires_at, m.id LIMIT ?`,
      ...within.values,
      now,
      limit,
    ),
  ])
  return { total: counted?.total ?? 0, memories }
}
