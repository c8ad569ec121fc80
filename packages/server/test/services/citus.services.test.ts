/** What only Citus does: the migration distributes the tables, new or with rows in them, and row security holds on the workers. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { userScope } from '../../src/core/scope.js'
import { Drafts } from '../../src/storage/contract/notebook.js'
import { Connection } from '../../src/storage/postgres/connection.js'
import { migrate, migrations } from '../../src/storage/postgres/migrate.js'
import type { Migration } from '../../src/storage/postgres/migration.js'
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.js'
import { asAdmin, nodesOf } from './citus-databases.js'
import { anyPostgres, makeDatabase, password, type TestDatabase } from './postgres.js'

const people = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank']

describe('a database with Citus', () => {
  let nodes: readonly string[]
  let database: TestDatabase

  beforeEach(async () => {
    const { url } = await anyPostgres()
    nodes = nodesOf(url) ?? []
    database = await makeDatabase(url)
  })
  afterEach(async () => {
    await database.drop()
  })

  const onCoordinator = <T>(work: Parameters<typeof asAdmin<T>>[1]) => asAdmin<T>(nodes[0] ?? '', work, database.name)
  const opened = () => openPostgresStorage({ url: database.url, poolSize: 2 })

  /** Whether workers may have rows. Without one, the database is a plain one. */
  async function useWorkers(isUsed: boolean): Promise<void> {
    await onCoordinator(async (sql) => {
      for (const node of nodes.slice(1)) {
        const port = Number(new URL(node).port)
        await sql`SELECT citus_set_node_property('127.0.0.1', ${port}, 'shouldhaveshards', ${isUsed})`
      }
    })
  }

  async function storeForAll(): Promise<void> {
    const storage = await opened()
    const drafts = new Drafts()
    for (const userId of people) {
      const memory = drafts.memory({ content: `${userId} likes tea`, entities: [['Acme', 'ORG']] })
      await storage.commit(userScope(userId), drafts.storeCommit({ expectedRevision: 0, memories: [memory] }))
    }
    await storage.close()
  }

  async function contents(): Promise<string[]> {
    const storage = await opened()
    const found: string[] = []
    for (const userId of people) {
      const { items } = await storage.list(userScope(userId), { now: Date.now(), limit: 9, includeExpired: true })
      found.push(...items.map(({ content }) => content))
    }
    await storage.close()
    return found
  }

  const expected = people.map((userId) => `${userId} likes tea`)

  /** Tables with a user that are not distributed, and rows that the coordinator has kept of those that are. */
  async function left(): Promise<unknown> {
    return onCoordinator(async (sql) => {
      const plain =
        await sql`SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = 1
        WHERE a.attname = 'user_id' AND c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
          AND NOT EXISTS (SELECT 1 FROM pg_dist_partition d WHERE d.logicalrelid = c.oid)`
      const [kept] = await sql`SELECT sum(pg_relation_size(logicalrelid))::int AS bytes FROM pg_dist_partition`
      return { plain: plain.map(({ relname }) => relname), bytes: kept?.bytes }
    })
  }

  it('is distributed with its rows, and none of them stays on the coordinator', async () => {
    await useWorkers(false)
    await storeForAll()
    expect(await left()).toMatchObject({ plain: expect.arrayContaining(['memories', 'users', 'index_segments']) })
    await useWorkers(true)
    expect(await contents()).toEqual(expected)
    expect(await left()).toEqual({ plain: [], bytes: 0 })
    // Again, without effect.
    expect(await contents()).toEqual(expected)
  })

  it('is distributed by the next start if the first one is interrupted', async () => {
    await useWorkers(false)
    await storeForAll()
    await useWorkers(true)
    const connection = new Connection({
      url: database.url,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 0,
      graceMs: 1_000,
    })
    const interrupted = migrate(connection, migrations, 0)
    const isStopped = await onCoordinator(async (sql) => {
      for (;;) {
        const rows = await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${database.name}
          AND query LIKE 'SELECT create_distributed_table(''v%' AND pid <> pg_backend_pid()`
        if (rows.length > 0) return true
      }
    })
    expect(isStopped).toBe(true)
    await expect(interrupted).rejects.toThrow()
    expect(await contents()).toEqual(expected)
    expect(await left()).toEqual({ plain: [], bytes: 0 })
  })

  it('distributes the table of a later step, with its foreign keys', async () => {
    await storeForAll()
    const later: Migration = {
      version: 9_000,
      sql: (layout) =>
        layout.table(
          'notes',
          `
  user_id text COLLATE "C" NOT NULL,
  memory bigint NOT NULL,
  PRIMARY KEY (user_id, memory),
  FOREIGN KEY (user_id, memory) REFERENCES memories (user_id, key) ON DELETE CASCADE`,
        ),
    }
    const connection = new Connection({ url: database.url, connectTimeoutMs: 5_000, statementTimeoutMs: 0, graceMs: 9 })
    await migrate(connection, [...migrations, later], 0)
    await connection.close()
    expect(await left()).toEqual({ plain: [], bytes: 0 })
    const constraints = await onCoordinator(
      (sql) => sql`SELECT 1 FROM pg_constraint WHERE contype = 'f' AND conrelid = 'notes'::regclass`,
    )
    expect(constraints).toHaveLength(1)
  })

  it('is refused with partitions', async () => {
    await expect(openPostgresStorage({ url: database.url, partitions: 4 })).rejects.toThrow(/must not be partitioned/)
  })

  it('hides the rows of others on the workers too', async () => {
    await storeForAll()
    const shown: string[] = []
    for (const node of nodes.slice(1)) {
      const shards = await asAdmin(
        node,
        async (sql) => {
          // Citus hides them from the catalog.
          await sql`SET citus.override_table_visibility TO off`
          return sql<{ name: string }[]>`SELECT c.relname AS name FROM pg_class c
            WHERE c.relname ~ '^users_[0-9]+$' AND c.relkind = 'r'`
        },
        database.name,
      )
      const asService = `postgres://keepsake:${password}@${new URL(node).host}`
      for (const { name } of shards) {
        await asAdmin(
          asService,
          (sql) =>
            sql.begin(async (transaction) => {
              await transaction.unsafe(`SET LOCAL citus.override_table_visibility TO off`)
              await transaction.unsafe(`SET LOCAL keepsake."user" TO 'alice'; SET LOCAL keepsake.everyone TO ''`)
              const rows = await transaction.unsafe(`SELECT user_id FROM ${name}`)
              shown.push(...rows.map(({ user_id }) => user_id))
            }),
          database.name,
        )
      }
      expect(shards.length).toBeGreaterThan(0)
    }
    expect(shown).toEqual(['alice'])
  })

  it('fails, instead of finding nothing, where the workers are not told whose rows to show', async () => {
    await storeForAll()
    const asService = database.url.slice(0, database.url.lastIndexOf('/'))
    const read = asAdmin(
      asService,
      (sql) =>
        sql.begin(async (transaction) => {
          await transaction`SELECT set_config('keepsake.user', 'alice', true)`
          return transaction`SELECT count(*) FROM users WHERE user_id = 'alice'`
        }),
      database.name,
    )
    await expect(read).rejects.toMatchObject({ code: '42704' })
  })
})
