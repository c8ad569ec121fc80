/** Records go from one engine to the other and back without losing anything. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openPortableReader, openPortableWriter, type PortableStore } from '../../src/boot/portable.js'
import { liveFully } from '../../src/storage/contract/full-life.js'
import { leftOut, recordFields } from '../../src/storage/contract/portable-columns.js'
import type { Storage } from '../../src/storage/ports/storage.js'
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.js'
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.js'
import { anyPostgres, makeDatabase, type PostgresServer } from './postgres.js'

let server: Pick<PostgresServer, 'url' | 'close'>
const cleanUps: (() => Promise<void>)[] = []

beforeAll(async () => {
  server = await anyPostgres()
})
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})
afterAll(async () => {
  await server?.close()
})

async function sqlite(): Promise<PortableStore & { open(): Promise<Storage> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'keepsake-portable-'))
  cleanUps.push(() => rm(dataDir, { recursive: true }))
  return { dataDir, open: () => openSqliteStorage({ dataDir }) }
}

async function postgresql(): Promise<PortableStore & { open(): Promise<Storage> }> {
  const { url, drop } = await makeDatabase(server.url)
  cleanUps.push(drop)
  return { databaseUrl: url, open: () => openPostgresStorage({ url, poolSize: 2 }) }
}

async function linesOf(store: PortableStore, vectors: boolean): Promise<string[]> {
  const reader = await openPortableReader(store)
  const lines: string[] = []
  for await (const record of reader.read({ vectors, keys: true })) lines.push(JSON.stringify(record))
  await reader.close()
  return lines
}

async function carry(from: PortableStore, to: PortableStore, vectors: boolean): Promise<void> {
  const reader = await openPortableReader(from)
  const writer = await openPortableWriter(to)
  await writer.begin('test')
  for await (const record of reader.read({ vectors, keys: true })) await writer.write([record])
  await writer.finish()
  await Promise.all([writer.close(), reader.close()])
}

describe('portable records', () => {
  for (const [name, first, second] of [
    ['SQLite to PostgreSQL and back', sqlite, postgresql],
    ['PostgreSQL to SQLite and back', postgresql, sqlite],
  ] as const) {
    it.each([true, false])(`are unchanged from ${name}, with vectors: %s`, async (vectors) => {
      const [source, other, again] = [await first(), await second(), await first()]
      const storage = await source.open()
      await liveFully(storage)
      await storage.close()
      await carry(source, other, vectors)
      await carry(other, again, vectors)
      const lines = await linesOf(source, vectors)
      expect(await linesOf(other, vectors)).toEqual(lines)
      expect(await linesOf(again, vectors)).toEqual(lines)
      // Enough records to cover all tables.
      expect(lines.length).toBeGreaterThan(60)
    })
  }

  it('hold every column of PostgreSQL except those listed with a reason', async () => {
    const store = await postgresql()
    await (await store.open()).close()
    const sql = postgres('databaseUrl' in store ? store.databaseUrl : '', { max: 1 })
    const columns = await sql<{ column: string }[]>`
      SELECT table_name || '.' || column_name AS column FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name <> 'keepsake_schema'
        -- Citus has views of its own there.
        AND table_name NOT IN ('citus_schemas', 'citus_tables') ORDER BY 1`
    await sql.end()
    expect(columns.length).toBeGreaterThan(100)
    const unknown = columns
      .map(({ column }) => column)
      .filter((column) => !(column in recordFields) && !(column in leftOut))
    expect(unknown).toEqual([])
  })
})
