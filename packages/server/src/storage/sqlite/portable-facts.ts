/** What was told, where it came from, what was decided about it, and what waits, as portable records. */
import { type PortableOf, type PortableSelection, sorted } from '../ports/portable.js'
import type { Database } from './database.js'
import { type Keys, keysOf, numberOf, ordinal, type Rows } from './portable-rows.js'

/** Of one user; the parameter is the user's key. */
export const ownEntities = 'SELECT key FROM entities WHERE user = ?'

interface RelationshipRow {
  readonly id: string
  readonly source: number
  readonly target: number
  readonly type: string
  readonly valid_from: number
  readonly valid_to: number | null
  readonly told_at: number
  readonly exclusive: number
}

interface TellingRow {
  readonly version: number
  readonly properties: string
  readonly exclusive: number
  readonly starts_at: number | null
  readonly ends_at: number | null
}

export function* readRelationships(db: Database, user: number, entities: Keys): Generator<PortableOf<'relationship'>> {
  const keys = keysOf(db, `SELECT key FROM relationships WHERE source IN (${ownEntities}) ORDER BY key`, user)
  for (const key of keys) {
    const row = db.get<RelationshipRow>(
      'SELECT id, source, target, type, valid_from, valid_to, told_at, exclusive FROM relationships WHERE key = ?',
      key,
    )
    if (!row) continue
    const tellings = db.all<TellingRow>(
      `SELECT version, properties, exclusive, starts_at, ends_at FROM relationship_sources
       WHERE relationship = ? ORDER BY version`,
      key,
    )
    const ends = db.all<{ version: number; ends_at: number }>(
      'SELECT version, ends_at FROM relationship_ends WHERE relationship = ? ORDER BY version',
      key,
    )
    yield {
      record: 'relationship',
      id: row.id,
      source: ordinal(entities, row.source),
      target: ordinal(entities, row.target),
      type: row.type,
      valid_from: row.valid_from,
      valid_to: row.valid_to,
      told_at: row.told_at,
      exclusive: row.exclusive === 1,
      tellings: tellings.map(({ version, properties, exclusive, starts_at, ends_at }) => ({
        version: numberOf(version),
        properties: sorted(JSON.parse(properties)),
        exclusive: exclusive === 1,
        starts_at,
        ends_at,
      })),
      ends: ends.map(({ version, ends_at }) => ({ version: numberOf(version), ends_at })),
    }
  }
}

export function* readDocuments(db: Database, rows: Rows): Generator<PortableOf<'document'>> {
  const keys = keysOf(
    db,
    'SELECT DISTINCT document FROM memory_sources WHERE memory BETWEEN ? AND ? ORDER BY document',
    ...rows,
  )
  for (const key of keys) {
    const row = db.get<{ id: string; source: string; stored_at: number }>(
      'SELECT id, source, stored_at FROM documents WHERE key = ?',
      key,
    )
    if (!row) continue
    const { id, source, stored_at } = row
    const memories = db.all<PortableOf<'document'>['memories'][number]>(
      `SELECT memory, first_segment, last_segment FROM memory_sources WHERE document = ? AND memory BETWEEN ? AND ?
       ORDER BY memory, first_segment, last_segment`,
      key,
      ...rows,
    )
    yield {
      record: 'document',
      id,
      source,
      stored_at,
      segments: db.all('SELECT position, text FROM segments WHERE document = ? ORDER BY position', key),
      memories: memories.map((each) => ({ ...each, memory: numberOf(each.memory) })),
    }
  }
}

interface ContradictionRow {
  readonly id: string
  readonly old_memory: number
  readonly new_memory: number
  readonly old_version: number
  readonly new_version: number
  readonly status: string
  readonly why: string
  readonly reason: string | null
  readonly created_at: number
  readonly decided_at: number | null
}

export function* readContradictions(db: Database, user: number): Generator<PortableOf<'contradiction'>> {
  for (const key of keysOf(db, 'SELECT key FROM contradictions WHERE user = ? ORDER BY key', user)) {
    const row = db.get<ContradictionRow>(
      `SELECT id, old_memory, new_memory, old_version, new_version, status, why, reason, created_at, decided_at
       FROM contradictions WHERE key = ?`,
      key,
    )
    if (!row) continue
    yield {
      record: 'contradiction',
      id: row.id,
      old_memory: numberOf(row.old_memory),
      new_memory: numberOf(row.new_memory),
      old_version: numberOf(row.old_version),
      new_version: numberOf(row.new_version),
      status: row.status,
      why: row.why,
      reason: row.reason === null ? null : JSON.parse(row.reason),
      created_at: row.created_at,
      decided_at: row.decided_at,
    }
  }
}

export function* readMerges(db: Database, user: number, entities: Keys): Generator<PortableOf<'entity_merge'>> {
  for (const key of keysOf(db, 'SELECT key FROM entity_merges WHERE user = ? ORDER BY key', user)) {
    const row = db.get<Omit<PortableOf<'entity_merge'>, 'record'>>(
      `SELECT id, entity, into_entity, rule, why, created_at, reverted_at, reverted_by FROM entity_merges WHERE key = ?`,
      key,
    )
    if (!row) continue
    const [entity, into_entity] = [ordinal(entities, row.entity), ordinal(entities, row.into_entity)]
    yield { record: 'entity_merge', ...row, entity, into_entity }
  }
}

/** After all users: a text may wait before its user has anything else. */
export function* readPending(db: Database, { user }: PortableSelection): Generator<PortableOf<'pending'>> {
  type Row = Omit<PortableOf<'pending'>, 'record'>
  for (let after: Pick<Row, 'user' | 'id'> = { user: user ?? '', id: '' }; ; ) {
    const row = db.get<Row>(
      `SELECT user_id AS user, id, project, payload FROM inbox WHERE (user_id, id) > (?, ?)
       ORDER BY user_id, id LIMIT 1`,
      after.user,
      after.id,
    )
    if (!row || (user !== undefined && row.user !== user)) return
    yield { record: 'pending', ...row }
    after = row
  }
}

export function* readWebhooks(db: Database, { user }: PortableSelection): Generator<PortableOf<'webhook'>> {
  type Row = Omit<PortableOf<'webhook'>, 'record' | 'types'> & { readonly types: string }
  const within = user === undefined ? 'TRUE' : 'user_id = ?'
  for (let after = ''; ; ) {
    const row = db.get<Row>(
      `SELECT id, user_id AS user, url, types, project, secret, created_at, created_by
       FROM webhooks WHERE ${within} AND id > ? ORDER BY id LIMIT 1`,
      ...(user === undefined ? [] : [user]),
      after,
    )
    if (!row) return
    yield { record: 'webhook', ...row, types: JSON.parse(row.types) }
    after = row.id
  }
}

const keysAtOnce = 1_000

export function* readKeys(db: Database, { user }: PortableSelection): Generator<PortableOf<'key'>> {
  const within = user === undefined ? 'TRUE' : 'user_id = ?'
  for (let after = ''; ; ) {
    const page = db.all<Omit<PortableOf<'key'>, 'record'>>(
      `SELECT id, user_id AS user, name, preview, hash, created_at, last_used_at, revoked_at
       FROM keys WHERE ${within} AND id > ? ORDER BY id LIMIT ?`,
      ...(user === undefined ? [] : [user]),
      after,
      keysAtOnce,
    )
    for (const row of page) yield { record: 'key', ...row }
    const last = page.at(-1)
    if (!last) return
    after = last.id
  }
}
