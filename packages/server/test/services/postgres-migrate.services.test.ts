/** The schema of a database is created once, upgraded with its data, and refused if it is not ours. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Connection } from '../../src/storage/postgres/connection.js'
import { migrate, migrations } from '../../src/storage/postgres/migrate.js'
import type { Migration } from '../../src/storage/postgres/migration.js'
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.js'
import { anyPostgres, makeDatabase, type PostgresServer } from './postgres.js'

describe('the schema', () => {
  let server: Pick<PostgresServer, 'url' | 'close'>
  let database: Awaited<ReturnType<typeof makeDatabase>>
  let connection: Connection

  beforeEach(async () => {
    server = await anyPostgres()
    database = await makeDatabase(server.url)
    connection = connect()
  })
  afterEach(async () => {
    await connection.close()
    await database.drop()
    await server.close()
  })

  const connect = () =>
    new Connection({ url: database.url, connectTimeoutMs: 5_000, statementTimeoutMs: 60_000, graceMs: 1_000 })
  const opened = () => openPostgresStorage({ url: database.url, poolSize: 1 })
  const first: Migration = { version: 1, sql: () => 'CREATE TABLE notes (text text NOT NULL)' }
  const second: Migration = {
    version: 2,
    sql: () => `ALTER TABLE notes ADD COLUMN mood text NOT NULL DEFAULT 'calm'`,
  }

  it('is upgraded from an older release without losing data', async () => {
    await migrate(connection, [first], 0)
    await connection.query(`INSERT INTO notes VALUES ('kept')`)
    await migrate(connection, [first, second], 0)
    await migrate(connection, [first, second], 0)
    const { rows } = await connection.query('SELECT text, mood FROM notes')
    expect(rows).toMatchObject([{ text: 'kept', mood: 'calm' }])
  })

  it('is unchanged if one migration fails', async () => {
    const broken: Migration = { version: 2, sql: () => 'CREATE TABLE half (a int); SELECT 1 / 0' }
    await expect(migrate(connection, [first, broken], 0)).rejects.toThrow()
    const { rows } = await connection.query(`SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`)
    expect(rows).toEqual([])
  })

  it('is created once by connections that start at the same time', async () => {
    const others = Array.from({ length: 5 }, connect)
    await Promise.all(others.map((other) => migrate(other, migrations, 0)))
    const { rows } = await connection.query('SELECT version FROM keepsake_schema')
    expect(rows).toHaveLength(migrations.length)
    await Promise.all(others.map((other) => other.close()))
  })

  it('is refused if a newer release wrote it', async () => {
    await (await opened()).close()
    await connection.query('INSERT INTO keepsake_schema VALUES (99, 0)')
    await expect(opened()).rejects.toMatchObject({
      operatorMessage: true,
      message: expect.stringMatching(/^The database was written by a newer Keepsake \(schema 99, this one knows \d+\)/),
    })
  })

  it('is not created in a database with tables of another program', async () => {
    await connection.query('CREATE TABLE users (name text)')
    await expect(opened()).rejects.toMatchObject({
      operatorMessage: true,
      message: expect.stringContaining('"users" of another program'),
    })
    const { rows } = await connection.query(`SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`)
    expect(rows).toHaveLength(1)
  })

  // Citus distributes the tables itself.
  it.skipIf(process.env.KEEPSAKE_TEST_CITUS)(
    'keeps its number of partitions even if a later start requests another',
    async () => {
      const partitions = (count: number) => openPostgresStorage({ url: database.url, poolSize: 1, partitions: count })
      await (await partitions(2)).close()
      await (await partitions(7)).close()
      const { rows } = await connection.query(`SELECT 1 FROM pg_inherits WHERE inhparent = 'memories'::regclass`)
      expect(rows).toHaveLength(2)
    },
  )

  it('reports a wrong role or database to the operator, without the password', async () => {
    const wrong = new URL(database.url)
    wrong.password = 'hidden'
    await expect(openPostgresStorage({ url: wrong.href })).rejects.toMatchObject({
      operatorMessage: true,
      message: expect.stringMatching(
        /^SERVICE_DATABASE_URL: (?!.*hidden).* refuses the role or its password \(28P01\)/,
      ),
    })
    const absent = new URL(database.url)
    absent.pathname = '/nowhere'
    await expect(openPostgresStorage({ url: absent.href })).rejects.toMatchObject({
      message: expect.stringMatching(/^SERVICE_DATABASE_URL: .*\/nowhere does not exist \(3D000\)/),
    })
  })
})
