/** The second line of defence: PostgreSQL shows a transaction only the rows of its user. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unlimited } from '../../src/core/key-access.js'
import { turn } from '../../src/storage/contract/conversations.js'
import { newItem } from '../../src/storage/contract/items.js'
import { Drafts } from '../../src/storage/contract/notebook.js'
import type { Storage } from '../../src/storage/ports/storage.js'
import { usualLimits } from '../../src/storage/ports/storage-limits.js'
import { Connection } from '../../src/storage/postgres/connection.js'
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.js'
import { PostgresSession } from '../../src/storage/postgres/session.js'
import type { Sight } from '../../src/storage/sql/session.js'
import { UserData } from '../../src/storage/sql/user-data.js'
import { anyPostgres, makeDatabase, type PostgresServer } from './postgres.js'

const alice = { kind: 'user', userId: 'alice' } as const
const bob = { kind: 'user', userId: 'bob' } as const

const isOnCitus = Boolean(process.env.KEEPSAKE_TEST_CITUS)

describe.each(isOnCitus ? [0] : [0, 4])('row-level security with %i partitions', (partitions) => {
  let server: Pick<PostgresServer, 'url' | 'close'>
  let database: Awaited<ReturnType<typeof makeDatabase>>
  let storage: Storage
  let connection: Connection

  beforeEach(async () => {
    server = await anyPostgres()
    database = await makeDatabase(server.url)
    storage = await openPostgresStorage({ url: database.url, partitions, poolSize: 2 })
    connection = new Connection({
      url: database.url,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 60_000,
      graceMs: 1_000,
    })
    for (const scope of [alice, bob]) await fill(scope)
  })
  afterEach(async () => {
    await connection.close()
    await storage.close()
    await database.drop()
    await server.close()
  })

  /** Puts rows into every table. */
  async function fill(scope: typeof alice | typeof bob): Promise<void> {
    const drafts = new Drafts()
    const fact = (person: string, more: object = {}) =>
      drafts.memory({
        content: `${person} works at ${scope.userId} Inc`,
        entities: [
          [person, 'PERSON', 'Johnny'],
          ['Acme', 'ORG'],
        ],
        relationships: [{ from: person, type: 'WORKS_AT', to: 'Acme', exclusive: true }],
        slots: [{ slot: 'WORKS_AT|john', value: scope.userId }],
        states: [{ start: 0, stop: 4, value: person, subject: null, about: 'work', topic: 'work', confidence: 0.9 }],
        ...more,
      })
    const hook = {
      id: drafts.id('whk'),
      url: 'https://example.com/',
      secret: 'a secret of theirs',
      types: [],
      project: null,
    }
    await storage.createWebhook(scope, { ...hook, createdAt: 1, createdBy: null }, 10)
    const first = fact('John')
    const gone = drafts.memory({ content: 'soon forgotten' })
    await storage.commit(scope, drafts.storeCommit({ expectedRevision: 0, memories: [first, gone] }))
    const ends = { relationships: [{ from: 'John Smith', type: 'WORKS_AT', to: 'Acme', ends: true }] }
    const second = fact('John Smith', { ...ends, supersedes: [first.id] })
    const answer = {
      keyHash: 'hash of a key',
      fingerprint: 'of a body',
      after: 0,
      summary: '{}',
      items: [{ memoryId: second.id, payload: `answer to ${scope.userId}` }],
    }
    await storage.commit(scope, drafts.storeCommit({ expectedRevision: 1, memories: [second], answer }))
    await storage.forget(scope, { memoryIds: [gone.id] })
    const conversation = { project: null, name: 'c', turns: [turn(`turn of ${scope.userId}`)], continues: false }
    await storage.commit(scope, drafts.storeCommit({ expectedRevision: 3, conversation }))
    await storage.keepRaw(scope, { id: drafts.id('doc'), payload: `text of ${scope.userId}` })
    await deadLetterOf(scope, hook.id)
    const space = { id: drafts.id('spc'), name: `space of ${scope.userId}`, createdAt: 1 }
    await storage.spaces.create(scope, space, 10)
    await storage.items.put(scope, newItem({ value: `item of ${scope.userId}` }))
    await storage.createKey({
      id: `key of ${scope.userId}`,
      userId: scope.userId,
      name: '',
      preview: '',
      createdAt: 1,
      hash: 'h',
      ...unlimited,
    })
    const grant = {
      id: `grant of ${scope.userId}`,
      userId: scope.userId,
      clientId: 'c',
      clientName: '',
      audience: 'a',
      approvedBy: null,
      createdAt: 1,
      expiresAt: 2,
      codeHash: 'h',
      challenge: 'c',
      redirectUri: 'r',
    }
    await storage.createGrant(grant, 9)
    const { changed, mark } = await storage.changes(scope, { revision: 0, row: 0 }, 100)
    const segment = { from: { revision: 0, row: 0 }, to: mark, rows: changed.map(({ row }) => row), seed: 1 }
    const kind = { modelId: 'a model', format: 1 }
    expect(await storage.indexSegments.saveSegment(scope, kind, { ...segment, bytes: new Uint8Array(8) })).toBe(true)
    await storage.activeUsers.recordActive([scope.userId], 1)
  }

  async function deadLetterOf(scope: typeof alice | typeof bob, id: string): Promise<void> {
    await storage.claimWebhooks(scope, { token: id, now: 2, until: 3, perUser: 9 }, 9)
    await storage.settleWebhook(scope, id, id, {
      mark: { revision: 1, position: 0 },
      attempts: 0,
      nextAttemptAt: 9,
      isFailing: true,
      claimedUntil: 0,
      attempted: { at: 2, status: 500, error: 'refused' },
      dead: { mark: { revision: 1, position: 0 }, attempts: 8 },
    })
  }

  async function within<T>(sight: Sight | null, work: (db: PostgresSession) => Promise<T>): Promise<T> {
    const db = new PostgresSession(connection, usualLimits)
    await connection.query('BEGIN')
    try {
      if (sight) await db.see(sight)
      return await work(db)
    } finally {
      await connection.query('ROLLBACK')
    }
  }

  async function tablesOfUsers(): Promise<string[]> {
    const { rows } = await connection.query<{ name: string }>(
      `SELECT c.relname::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'user_id'
       WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND c.relname NOT IN ('keys', 'oauth_grants') ORDER BY 1`,
    )
    return rows.map((row) => row.name)
  }

  /** Whose rows a query without WHERE returns. */
  async function ownersSeen(sight: Sight | null, table: string): Promise<string[]> {
    const rows = await within(sight, (db) =>
      db.all<{ user_id: string }>(`SELECT DISTINCT user_id FROM ${table} ORDER BY 1`),
    )
    return rows.map((row) => row.user_id)
  }

  it('returns only the user’s rows to a query without WHERE, in every table and partition', async () => {
    const tables = await tablesOfUsers()
    expect(tables).toHaveLength(31 * (partitions + 1))
    const seenByNobody: string[] = []
    for (const table of tables) {
      const everyone = await ownersSeen({ kind: 'everyone' }, table)
      expect(await ownersSeen(alice, table), table).toEqual(everyone.filter((owner) => owner === 'alice'))
      expect(await ownersSeen({ kind: 'nobody' }, table), table).toEqual([])
      expect(await ownersSeen(null, table), table).toEqual([])
      seenByNobody.push(...(everyone.length === 0 ? [table] : []))
    }
    // An empty table would prove nothing. Partitions may be empty, because two users fill at most two of them.
    if (partitions === 0) expect(seenByNobody).toEqual([])
  })

  it('lets a statement without WHERE change only the user’s rows', async () => {
    await within(alice, async (db) => {
      expect(await db.run(`UPDATE versions SET content = 'changed'`)).toBe(2)
      await db.run('DELETE FROM inbox')
      await db.see({ kind: 'everyone' })
      expect(await db.all('SELECT user_id FROM versions WHERE content <> ? GROUP BY user_id', 'changed')).toEqual([
        { user_id: 'bob' },
      ])
      expect(await db.all('SELECT user_id FROM inbox')).toEqual([{ user_id: 'bob' }])
    })
  })

  it('rejects rows for another user', async () => {
    const insert = within(alice, (db) =>
      db.run(`INSERT INTO inbox (user_id, id, payload) VALUES ('bob', 'x', 'planted')`),
    )
    await expect(insert).rejects.toMatchObject({ code: '42501' })
    const moved = within(alice, (db) => db.run(`UPDATE inbox SET user_id = 'bob'`))
    // Citus lets nobody change the user of a row.
    await expect(moved).rejects.toMatchObject({ code: isOnCitus ? '0A000' : '42501' })
  })

  it('shows hashes of keys and tokens only to the key store', async () => {
    for (const [table, hash] of [
      ['keys', 'hash'],
      ['oauth_grants', 'code_hash'],
    ]) {
      const hashes = (sight: Sight | null) => within(sight, (db) => db.all(`SELECT ${hash} FROM ${table}`))
      for (const sight of [alice, { kind: 'everyone' }, { kind: 'nobody' }, null] as const) {
        expect(await hashes(sight), table).toEqual([])
      }
      expect(await hashes('keys'), table).toHaveLength(2)
    }
  })

  it('shows nothing to the next statement on the connection after the transaction', async () => {
    await within(alice, (db) => db.all('SELECT 1 FROM memories'))
    expect(await new PostgresSession(connection, usualLimits).all('SELECT * FROM memories')).toEqual([])
  })

  it('has the user in every primary key and unique index, as sharding requires', async () => {
    const { rows } = await connection.query<{ name: string }>(
      `SELECT i.indexrelid::regclass::text AS name FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
       WHERE t.relnamespace = current_schema()::regnamespace AND i.indisunique AND NOT EXISTS (
         SELECT 1 FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attname = 'user_id' AND a.attnum = ANY (i.indkey))`,
    )
    expect(rows.map((row) => row.name).sort()).toEqual([
      'claims_pkey',
      'keepsake_schema_pkey',
      'keys_pkey',
      'oauth_grants_pkey',
    ])
    const keys = await connection.query<{ name: string }>(
      `SELECT t.relname::text AS name FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
         JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
       WHERE t.relnamespace = current_schema()::regnamespace AND i.indisprimary AND a.attname <> 'user_id'`,
    )
    expect(keys.rows.map((row) => row.name).sort()).toEqual(['claims', 'keepsake_schema', 'keys', 'oauth_grants'])
  })

  it('rejects a statement on user data that does not name the user', async () => {
    await within(alice, async (db) => {
      const user = new UserData(db, 'alice')
      expect(() => user.all('SELECT * FROM memories')).toThrow(/must name @user/)
    })
  })
})
