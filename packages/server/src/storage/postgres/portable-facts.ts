/** What was told, where it came from, what was decided about it, and what waits, as portable records. */
import { type PortableOf, type PortableSelection, sorted } from '../ports/portable.js'
import type { Database } from './database.js'
import { grouped, numberOf, type Ordinals, pages } from './portable-rows.js'
import { UserData } from './user-data.js'

interface RelationshipRow {
  readonly key: number
  readonly id: string
  readonly source: number
  readonly target: number
  readonly type: string
  readonly valid_from: number
  readonly valid_to: number | null
  readonly told_at: number
  readonly exclusive: boolean
}

interface TellingRow {
  readonly relationship: number
  readonly version: number
  readonly properties: PortableOf<'relationship'>['tellings'][number]['properties']
  readonly exclusive: boolean
  readonly starts_at: number | null
  readonly ends_at: number | null
}

interface EndRow {
  readonly relationship: number
  readonly version: number
  readonly ends_at: number
}

export async function* readRelationships(
  user: UserData,
  entities: Ordinals,
): AsyncGenerator<PortableOf<'relationship'>> {
  const sql = `SELECT key, id, source, target, type, valid_from, valid_to, told_at, exclusive FROM relationships
    WHERE user_id = @user AND key > ? ORDER BY key LIMIT ?`
  for await (const page of pages<RelationshipRow>(user, sql)) {
    const keys = page.map(({ key }) => key)
    const [tellings, ends] = await Promise.all([
      user.all<TellingRow>(
        `SELECT relationship, version, properties, exclusive, starts_at, ends_at FROM relationship_sources
         WHERE user_id = @user AND relationship = ANY (?::bigint[]) ORDER BY relationship, version`,
        keys,
      ),
      user.all<EndRow>(
        `SELECT relationship, version, ends_at FROM relationship_ends
         WHERE user_id = @user AND relationship = ANY (?::bigint[]) ORDER BY relationship, version`,
        keys,
      ),
    ])
    const tellingsOf = grouped(tellings, 'relationship')
    const endsOf = grouped(ends, 'relationship')
    for (const { key, source, target, ...row } of page) {
      yield {
        record: 'relationship',
        id: row.id,
        source: entities.of(source),
        target: entities.of(target),
        type: row.type,
        valid_from: row.valid_from,
        valid_to: row.valid_to,
        told_at: row.told_at,
        exclusive: row.exclusive,
        tellings: (tellingsOf.get(key) ?? []).map(({ version, properties, exclusive, starts_at, ends_at }) => ({
          version: numberOf(version),
          properties: sorted(properties),
          exclusive,
          starts_at,
          ends_at,
        })),
        ends: (endsOf.get(key) ?? []).map(({ version, ends_at }) => ({ version: numberOf(version), ends_at })),
      }
    }
  }
}

interface DocumentRow {
  readonly key: number
  readonly id: string
  readonly source: string
  readonly stored_at: number
}

interface SegmentRow {
  readonly document: number
  readonly position: number
  readonly text: string
}

interface SourceRow {
  readonly document: number
  readonly memory: number
  readonly first_segment: number
  readonly last_segment: number
}

/** Documents may be as large as a request. */
const documentsAtOnce = 20

export async function* readDocuments(user: UserData): AsyncGenerator<PortableOf<'document'>> {
  const sql = `SELECT key, id, source, stored_at FROM documents
    WHERE user_id = @user AND key > ? ORDER BY key LIMIT ?`
  for await (const page of pages<DocumentRow>(user, sql, documentsAtOnce)) {
    const keys = page.map(({ key }) => key)
    const [segments, sources] = await Promise.all([
      user.all<SegmentRow>(
        `SELECT document, position, text FROM segments
         WHERE user_id = @user AND document = ANY (?::bigint[]) ORDER BY document, position`,
        keys,
      ),
      user.all<SourceRow>(
        `SELECT document, memory, first_segment, last_segment FROM memory_sources
         WHERE user_id = @user AND document = ANY (?::bigint[]) ORDER BY document, memory, first_segment, last_segment`,
        keys,
      ),
    ])
    const segmentsOf = grouped(segments, 'document')
    const sourcesOf = grouped(sources, 'document')
    for (const { key, id, source, stored_at } of page) {
      yield {
        record: 'document',
        id,
        source,
        stored_at,
        segments: (segmentsOf.get(key) ?? []).map(({ position, text }) => ({ position, text })),
        memories: (sourcesOf.get(key) ?? []).map(({ memory, first_segment, last_segment }) => ({
          memory: numberOf(memory),
          first_segment,
          last_segment,
        })),
      }
    }
  }
}

type ContradictionRow = Omit<PortableOf<'contradiction'>, 'record'> & { readonly key: number }

export async function* readContradictions(user: UserData): AsyncGenerator<PortableOf<'contradiction'>> {
  const sql = `SELECT key, id, old_memory, new_memory, old_version, new_version, status, why, reason, created_at, decided_at
    FROM contradictions WHERE user_id = @user AND key > ? ORDER BY key LIMIT ?`
  for await (const page of pages<ContradictionRow>(user, sql)) {
    for (const { key: _key, ...row } of page) {
      yield {
        record: 'contradiction',
        ...row,
        old_memory: numberOf(row.old_memory),
        new_memory: numberOf(row.new_memory),
        old_version: numberOf(row.old_version),
        new_version: numberOf(row.new_version),
      }
    }
  }
}

type MergeRow = Omit<PortableOf<'entity_merge'>, 'record'> & { readonly key: number }

export async function* readMerges(user: UserData, entities: Ordinals): AsyncGenerator<PortableOf<'entity_merge'>> {
  const sql = `SELECT key, id, entity, into_entity, rule, why, created_at, reverted_at, reverted_by
    FROM entity_merges WHERE user_id = @user AND key > ? ORDER BY key LIMIT ?`
  for await (const page of pages<MergeRow>(user, sql)) {
    for (const { key: _key, ...row } of page) {
      const [entity, into_entity] = [entities.of(row.entity), entities.of(row.into_entity)]
      yield { record: 'entity_merge', ...row, entity, into_entity }
    }
  }
}

/** Also of users who have nothing else yet. */
export async function* readPending(db: Database, selection: PortableSelection): AsyncGenerator<PortableOf<'pending'>> {
  for (const id of await usersWithPending(db, selection)) {
    await db.actAs(id)
    const user = new UserData(db, id)
    for (let after = ''; ; ) {
      const [row] = await user.all<Omit<PortableOf<'pending'>, 'record'>>(
        `SELECT user_id AS user, id, project, payload FROM inbox WHERE user_id = @user AND id > ? ORDER BY id LIMIT 1`,
        after,
      )
      if (!row) break
      yield { record: 'pending', ...row }
      after = row.id
    }
  }
}

async function usersWithPending(db: Database, { user }: PortableSelection): Promise<string[]> {
  if (user !== undefined) return [user]
  await db.see('totals')
  const rows = await db.all<{ id: string }>('SELECT DISTINCT user_id AS id FROM inbox ORDER BY user_id')
  return rows.map(({ id }) => id)
}

export async function* readWebhooks(db: Database, { user }: PortableSelection): AsyncGenerator<PortableOf<'webhook'>> {
  await db.see(user === undefined ? 'totals' : { kind: 'user', userId: user })
  for (let after = ''; ; ) {
    const row = await db.get<Omit<PortableOf<'webhook'>, 'record'>>(
      `SELECT id, user_id AS user, url, types, project, secret, created_at, created_by
       FROM webhooks WHERE ${user === undefined ? 'TRUE' : 'user_id = ?'} AND id > ? ORDER BY id LIMIT 1`,
      ...(user === undefined ? [] : [user]),
      after,
    )
    if (!row) return
    yield { record: 'webhook', ...row, types: [...row.types] }
    after = row.id
  }
}

const keysAtOnce = 1_000

export async function* readKeys(db: Database, { user }: PortableSelection): AsyncGenerator<PortableOf<'key'>> {
  await db.see('keys')
  for (let after = ''; ; ) {
    const page = await db.all<Omit<PortableOf<'key'>, 'record'>>(
      `SELECT id, user_id AS user, name, preview, hash, created_at, last_used_at, revoked_at
       FROM keys WHERE ${user === undefined ? 'TRUE' : 'user_id = ?'} AND id > ? ORDER BY id LIMIT ?`,
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
