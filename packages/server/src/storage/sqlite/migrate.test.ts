import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unlimited } from '../../core/key-access.js'
import { everyoneScope, userScope } from '../../core/scope.js'
import { newItem } from '../contract/items.js'
import { Notebook, provenanceOf } from '../contract/notebook.js'
import { Database } from './database.js'
import { migrate, migrations } from './migrate.js'
import { inbox } from './migrations/0004-inbox.js'
import { events } from './migrations/0006-events.js'
import { userIdEverywhere } from './migrations/0007-user-id-everywhere.js'
import { userBytes } from './migrations/0011-user-bytes.js'
import { scopedKeys } from './migrations/0012-scoped-keys.js'
import { spaces } from './migrations/0015-spaces.js'
import { items } from './migrations/0017-items.js'
import { indexSegments } from './migrations/0018-index-segments.js'
import { openSqliteStorage } from './sqlite-storage.js'

describe('the schema', () => {
  let dataDir = ''
  let path = ''
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'keepsake-schema-'))
    path = join(dataDir, 'keepsake.db')
  })
  afterEach(async () => {
    await rm(dataDir, { recursive: true })
  })

  /** Opens, works and closes, so that another connection may follow. */
  function withDatabase<T>(work: (db: Database) => T): T {
    const db = new Database(path)
    try {
      return work(db)
    } finally {
      db.close()
    }
  }
  const versionOf = (db: Database) => db.get<{ user_version: number }>('PRAGMA user_version')?.user_version

  const first = { version: 1, sql: 'CREATE TABLE notes (text TEXT NOT NULL) STRICT' }
  const second = { version: 2, sql: `ALTER TABLE notes ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'` }

  it('of an older release is migrated with its data', () => {
    withDatabase((db) => {
      migrate(db, [first], path)
      db.run('INSERT INTO notes (text) VALUES (?)', 'kept')
    })
    withDatabase((db) => {
      migrate(db, [first, second], path)
      expect(versionOf(db)).toBe(2)
      expect(db.all('SELECT text, mood FROM notes')).toEqual([{ text: 'kept', mood: 'calm' }])
      migrate(db, [first, second], path)
    })
  })

  it('stays as it was when a migration fails half-way', () => {
    withDatabase((db) => {
      migrate(db, [first], path)
      const broken = { version: 2, sql: `${second.sql}; CREATE TABLE notes (x TEXT)` }
      expect(() => migrate(db, [first, broken], path)).toThrow('already exists')
      expect(versionOf(db)).toBe(1)
      migrate(db, [first, second], path)
      expect(versionOf(db)).toBe(2)
    })
  })

  it('is numbered without gaps', () => {
    expect(migrations.map((step) => step.version)).toEqual(migrations.map((_, i) => i + 1))
  })

  it('indexes every existing version by its model', async () => {
    withDatabase((db) => migrate(db, migrations.slice(0, 1), path))
    withDatabase((db) => {
      db.run(`INSERT INTO users (key, id, revision, next_sequence) VALUES (1, 'ana', 1, 3)`)
      const first = 2 ** 28
      db.run(
        `INSERT INTO memories (key, id, user, source, created_at, current_row, content_key)
         VALUES (?, 'mem_1', 1, 'api', 5, ?, 'k')`,
        first,
        first + 1,
      )
      for (const [row, version, validTo] of [
        [first, 1, 6],
        [first + 1, 2, null],
      ] as const)
        db.run(
          `INSERT INTO versions (row, user, memory, version, content, checksum, metadata, trust_score, flagged, model_id,
             valid_from, valid_to, revision) VALUES (?, 1, ?, ?, 'Ana sings', 'c', '{}', 1, 0, 'first-model', 5, ?, 1)`,
          row,
          first,
          version,
          validTo,
        )
    })
    const storage = await openSqliteStorage({ dataDir })
    expect(await storage.countOutdated(everyoneScope(), 'first-model')).toBe(0)
    const { versions } = await storage.outdated(everyoneScope(), 'second-model', null, 9)
    expect(versions.map(({ row }) => row - 2 ** 28)).toEqual([1, 0])
    await storage.close()
  })

  it('turns earlier replacements into contradictions, and stores symmetric relationships once', async () => {
    const base = 2 ** 28
    const idOf = (prefix: string, n: number) => `${prefix}_01h455vb4pex5vsknk084sn0${n}q`
    withDatabase((db) => migrate(db, migrations.slice(0, 2), path))
    withDatabase((db) => {
      db.run(`INSERT INTO users (key, id, revision, next_sequence) VALUES (1, 'ana', 2, 3)`)
      for (const [n, content, supersededBy] of [
        [1, 'Ana works at Globex', null],
        [0, 'Ana works at Acme', base + 1],
      ] as const) {
        db.run(
          `INSERT INTO memories (key, id, user, source, created_at, current_row, content_key, superseded_at, superseded_by)
           VALUES (?, ?, 1, 'api', 5, ?, 'k', ?, ?)`,
          base + n,
          idOf('mem', n),
          base + n,
          supersededBy && 9,
          supersededBy,
        )
        db.run(
          `INSERT INTO versions (row, user, memory, version, content, checksum, metadata, trust_score, flagged, model_id,
             valid_from, valid_to, revision) VALUES (?, 1, ?, 1, ?, 'c', '{}', 1, 0, 'm', 5, ?, 1)`,
          base + n,
          base + n,
          content,
          supersededBy && 9,
        )
        db.run('INSERT INTO vectors (row, vector) VALUES (?, ?)', base + n, new Uint8Array(4))
        db.run('INSERT INTO vectors_quantized (row, scale, quantized) VALUES (?, 1, ?)', base + n, new Uint8Array(1))
      }
      for (const [key, name] of ['ana', 'tom', 'zoe'].entries()) {
        db.run(
          `INSERT INTO entities (key, id, user, type, name, name_key) VALUES (?, ?, 1, 'PERSON', ?, ?)`,
          key + 1,
          idOf('ent', key),
          name,
          name,
        )
        db.run(
          `INSERT INTO mentions (version, entity, memory, memory_created_at, current, position, spellings)
           VALUES (?, ?, ?, 5, 1, 0, '[]')`,
          base + 1,
          key + 1,
          base + 1,
        )
      }
      for (const [key, source, target, type] of [
        [1, 1, 2, 'KNOWS'],
        [2, 2, 1, 'KNOWS'],
        [3, 1, 3, 'MANAGES'],
        [4, 3, 1, 'REPORTS_TO'],
      ] as const) {
        db.run(
          'INSERT INTO relationships (key, id, source, target, type, valid_from) VALUES (?, ?, ?, ?, ?, ?)',
          key,
          idOf('rel', key),
          source,
          target,
          type,
          5 - key,
        )
        db.run(
          `INSERT INTO relationship_sources (relationship, version, properties) VALUES (?, ?, '{}')`,
          key,
          base + 1,
        )
      }
    })
    const storage = await openSqliteStorage({ dataDir })
    const ana = userScope('ana')
    const { items } = await storage.listContradictions(ana, { now: 10, limit: 9, offset: 0 })
    expect(items).toMatchObject([
      { id: idOf('con', 0), status: 'applied', reason: null, createdAt: 9, old: { content: 'Ana works at Acme' } },
    ])
    const links = await storage.relationships(ana, idOf('ent', 0), { now: 10 })
    expect(links.map(({ source, type, target, validFrom }) => [source, type, target, validFrom])).toEqual([
      ['ana', 'MANAGES', 'zoe', 1],
      ['ana', 'KNOWS', 'tom', 3],
    ])
    await storage.decide(ana, idOf('con', 0), { verdict: 'revert', now: 20 })
    const { items: current } = await storage.list(ana, { now: 21, limit: 9 })
    expect(current.map(({ content }) => content)).toEqual(['Ana works at Acme'])
    await storage.close()
  })

  it('reports only memories that expire after the event log was added', async () => {
    withDatabase((db) => migrate(db, migrations.slice(0, migrations.indexOf(events)), path))
    const now = Date.now()
    withDatabase((db) => {
      db.run(`INSERT INTO users (key, id, revision, next_sequence) VALUES (1, 'ana', 1, 3)`)
      for (const [n, expiresAt] of [1, now + 3_600_000].entries())
        db.run(
          `INSERT INTO memories (key, id, user, source, created_at, current_row, content_key, expires_at)
           VALUES (?, ?, 1, 'api', 0, 1, 'k', ?)`,
          2 ** 28 + n,
          `mem_${n}`,
          expiresAt,
        )
    })
    const storage = await openSqliteStorage({ dataDir })
    expect(await storage.tellOfExpiry(userScope('ana'), now + 1000)).toBe(0)
    expect(await storage.tellOfExpiry(userScope('ana'), now + 3_600_000)).toBe(1)
    expect((await storage.events(userScope('ana'), null, 9)).events).toMatchObject([{ memoryId: 'mem_1' }])
    await storage.close()
  })

  it('adds an empty inbox that accepts texts', async () => {
    withDatabase((db) => migrate(db, migrations.slice(0, migrations.indexOf(inbox)), path))
    const storage = await openSqliteStorage({ dataDir })
    expect(await storage.pendingRaw(everyoneScope(), null, 9)).toEqual([])
    await storage.keepRaw(userScope('ana'), { id: 'doc_1', payload: 'text' })
    expect(await storage.pendingRaw(userScope('ana'), null, 9)).toMatchObject([{ id: 'doc_1' }])
    await storage.close()
  })

  it('adds spaces beside the memories of a store that has none', async () => {
    withDatabase((db) => migrate(db, migrations.slice(0, migrations.indexOf(spaces)), path))
    withDatabase((db) => {
      db.exec(`INSERT INTO users (user_id, id, revision, next_row, memories) VALUES (1, 'ana', 1, ${2 ** 28 + 1}, 1)`)
    })
    const storage = await openSqliteStorage({ dataDir })
    const ana = userScope('ana')
    expect(await storage.spaces.list(ana, { limit: 9, offset: 0 })).toEqual({ total: 0, items: [] })
    await storage.spaces.create(ana, { id: 'spc_1', name: 'Team', createdAt: 5 }, 1)
    expect(await storage.spaces.roleIn(ana, 'spc_1')).toBe('owner')
    expect(await storage.stats()).toMatchObject({ users: 1 })
    await storage.close()
  })

  it('adds items beside the memories of a store that has none', async () => {
    withDatabase((db) => migrate(db, migrations.slice(0, migrations.indexOf(items)), path))
    withDatabase((db) => {
      db.exec(`INSERT INTO users (user_id, id, revision, next_row, memories) VALUES (1, 'ana', 1, ${2 ** 28 + 1}, 1)`)
    })
    const storage = await openSqliteStorage({ dataDir })
    const ana = userScope('ana')
    expect(await storage.items.list(ana, { now: 1, limit: 9 })).toEqual({ items: [], next: null })
    await storage.items.put(ana, newItem({ value: 'first' }))
    expect((await storage.items.list(ana, { now: 1, limit: 9 })).items).toMatchObject([{ value: 'first' }])
    await storage.close()
  })

  it('assigns every row to its user, so that old rows are found and erased like new ones', async () => {
    const row = 2 ** 28 + 1
    withDatabase((db) => migrate(db, migrations.slice(0, migrations.indexOf(userIdEverywhere)), path))
    withDatabase((db) => {
      db.exec(`INSERT INTO users (key, id, revision, next_sequence) VALUES (1, 'ana', 1, 2);
        INSERT INTO memories (key, id, user, source, created_at, current_row, content_key)
          VALUES (${row}, 'mem_1', 1, 'api', 5, ${row}, 'k');
        INSERT INTO versions (row, user, memory, version, content, checksum, metadata, trust_score, flagged, model_id, valid_from,
          revision) VALUES (${row}, 1, ${row}, 1, 'Ana knows Tom', 'c', '{}', 1, 0, 'm', 5, 1);
        INSERT INTO documents (key, id, source, stored_at) VALUES (7, 'doc_1', 'api', 5);
        INSERT INTO segments (document, position, text) VALUES (7, 0, 'Ana knows Tom');
        INSERT INTO memory_sources (memory, document, first_segment, last_segment) VALUES (${row}, 7, 0, 0);
        INSERT INTO entities (key, id, user, type, name, name_key) VALUES (3, 'ent_1', 1, 'PERSON', 'Ana', 'ana'),
          (4, 'ent_2', 1, 'PERSON', 'Tom', 'tom');
        INSERT INTO entity_spellings (entity, spelling, user, type, spelling_key, uses)
          VALUES (3, 'Ana', 1, 'PERSON', 'ana', 1), (4, 'Tom', 1, 'PERSON', 'tom', 1);
        INSERT INTO mentions (version, entity, memory, memory_created_at, current, position, spellings)
          VALUES (${row}, 3, ${row}, 5, 1, 0, '["Ana"]'), (${row}, 4, ${row}, 5, 1, 1, '["Tom"]');
        INSERT INTO relationships (key, id, source, target, type, valid_from, told_at, exclusive)
          VALUES (9, 'rel_1', 3, 4, 'KNOWS', 5, 5, 0);
        INSERT INTO relationship_sources (relationship, version, properties, exclusive) VALUES (9, ${row}, '{}', 0)`)
    })
    const ana = userScope('ana')
    const storage = await openSqliteStorage({ dataDir })
    expect(await storage.stats()).toMatchObject({ users: 1, memories: 1 })
    expect(await provenanceOf(storage, ana, 'mem_1')).toMatchObject([{ documentId: 'doc_1', text: 'Ana knows Tom' }])
    expect(await storage.find(ana, 'mem_1', { now: 6 })).toMatchObject({ entities: ['Ana', 'Tom'], outdated: [] })
    expect(await storage.relationships(ana, 'ent_1', { now: 6 })).toMatchObject([{ type: 'KNOWS', target: 'Tom' }])
    await storage.forget(ana, { memoryIds: ['mem_1'] }, 7)
    await storage.close()
    const tables = [
      'memories',
      'documents',
      'segments',
      'entities',
      'mentions',
      'relationships',
      'relationship_sources',
    ]
    withDatabase((db) => {
      for (const table of tables) expect(db.all(`SELECT * FROM ${table}`), table).toEqual([])
    })
  })

  it('counts what older rows take up when a limit is set', async () => {
    withDatabase((db) => migrate(db, migrations.slice(0, migrations.indexOf(userBytes)), path))
    const row = 2 ** 28 + 1
    withDatabase((db) => {
      db.exec(`INSERT INTO users (user_id, id, revision, next_row, memories) VALUES (1, 'ana', 1, ${row + 1}, 1);
        INSERT INTO memories (key, id, user_id, source, created_at, current_row, content_key)
          VALUES (${row}, 'mem_1', 1, 'api', 5, ${row}, 'k');
        INSERT INTO versions (row, user_id, memory, version, content, checksum, metadata, trust_score, flagged, model_id,
          valid_from, revision) VALUES (${row}, 1, ${row}, 1, '${'x'.repeat(99_000)}', 'c', '{}', 1, 0, 'm', 5, 1)`)
    })
    const ana = userScope('ana')
    const storage = await openSqliteStorage({ dataDir, limits: { versionsKept: 9, userBytes: 100_000 } })
    const notebook = new Notebook(storage)
    await expect(notebook.storeOne(ana, { content: 'new' })).rejects.toMatchObject({ status: 413 })
    await storage.forget(ana, { memoryIds: ['mem_1'] }, 7)
    await notebook.storeOne(ana, { content: 'new' })
    await storage.close()
  })

  it('leaves existing keys unlimited', async () => {
    withDatabase((db) => migrate(db, migrations.slice(0, migrations.indexOf(scopedKeys)), path))
    withDatabase((db) =>
      db.exec(
        `INSERT INTO keys (id, user_id, name, preview, hash, created_at) VALUES ('key_1', 'ana', 'n', 'p', 'h', 5)`,
      ),
    )
    const storage = await openSqliteStorage({ dataDir })
    expect(await storage.findKey('key_1')).toMatchObject({ userId: 'ana', ...unlimited })
    await storage.close()
  })

  it('stores parts of the search index of older memories', async () => {
    withDatabase((db) => migrate(db, migrations.slice(0, migrations.indexOf(indexSegments)), path))
    const row = 2 ** 28 + 1
    withDatabase((db) => {
      db.exec(`INSERT INTO users (user_id, id, revision, next_row, memories) VALUES (1, 'ana', 1, ${row + 1}, 1);
        INSERT INTO memories (key, id, user_id, source, created_at, current_row, content_key)
          VALUES (${row}, 'mem_1', 1, 'api', 5, ${row}, 'k');
        INSERT INTO versions (row, user_id, memory, version, content, checksum, metadata, trust_score, flagged, model_id,
          valid_from, revision) VALUES (${row}, 1, ${row}, 1, 'old', 'c', '{}', 1, 0, 'm', 5, 1)`)
    })
    const ana = userScope('ana')
    const kind = { modelId: 'm', format: 1 }
    const storage = await openSqliteStorage({ dataDir })
    expect(await storage.indexSegments.segmentSpans(ana, kind)).toEqual([])
    const segment = {
      from: { revision: 0, row: 0 },
      to: { revision: 1, row },
      rows: [row],
      seed: 1,
      bytes: new Uint8Array(9),
    }
    expect(await storage.indexSegments.saveSegment(ana, kind, segment)).toBe(true)
    await storage.activeUsers.recordActive(['ana'], 6)
    expect(await storage.activeUsers.lastActive(9)).toEqual(['ana'])
    await storage.forget(ana, { memoryIds: ['mem_1'] }, 7)
    expect(await storage.indexSegments.segmentSpans(ana, kind)).toEqual([])
    await storage.close()
  })

  it('of a newer release is refused with its number and left untouched', async () => {
    await (await openSqliteStorage({ dataDir })).close()
    withDatabase((db) => db.exec('PRAGMA user_version = 4711'))
    await expect(openSqliteStorage({ dataDir })).rejects.toThrow(/newer Keepsake \(schema 4711/)
    withDatabase((db) => expect(versionOf(db)).toBe(4711))
  })

  it('of another program is refused and left untouched', async () => {
    withDatabase((db) => db.exec('CREATE TABLE theirs (x TEXT)'))
    await expect(openSqliteStorage({ dataDir })).rejects.toThrow(`${path} is a SQLite database of another program`)
  })

  it('that cannot be read gives an error that says what to do, and releases the directory', async () => {
    await writeFile(path, 'this was never a database. '.repeat(500))
    await expect(openSqliteStorage({ dataDir })).rejects.toThrow(`${path} is damaged or not a database: restore it`)
    await rm(path)
    await (await openSqliteStorage({ dataDir })).close()
  })
})
