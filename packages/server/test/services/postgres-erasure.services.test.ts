/** Checks what docs/security.md says about erased texts in PostgreSQL's files. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { alice, bob, employment, Notebook, start } from '../../src/storage/contract/notebook.js'
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.js'
import { makeDatabase, type PostgresServer, startPostgres } from './postgres.js'

const canary = 'xyzzycanary'
let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.close())

/** The files in a directory that contain the text. */
function found(directory: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    execFile('grep', ['-r', '-l', '-a', '-i', canary, directory], (error, stdout) => {
      // 1: nothing found; 2: a file was removed while it was read.
      if (error && error.code !== 1 && error.code !== 2) reject(error)
      else resolve(stdout.split('\n').filter((line) => line !== ''))
    })
  })
}

it('keeps no erased text in tables or indexes after VACUUM FULL, only in the write-ahead log', async () => {
  const database = await makeDatabase(server.url)
  const storage = await openPostgresStorage({ url: database.url, partitions: 0, poolSize: 2 })
  const adminUrl = new URL(database.url)
  adminUrl.username = 'admin'
  const sql = postgres(adminUrl.href, { max: 1, onnotice: () => undefined })
  const [{ data_directory: data } = { data_directory: '' }] = await sql<
    { data_directory: string }[]
  >`SHOW data_directory`
  const [{ oid } = { oid: '' }] = await sql<
    { oid: string }[]
  >`SELECT oid FROM pg_database WHERE datname = current_database()`
  const tables = join(data, 'base', String(oid))
  const notebook = new Notebook(storage)
  for (let at = 0; at < 40; at += 1) {
    const filler = `word${at} `.repeat((at * 37) % 900)
    await notebook.store(
      alice,
      employment(`Ann${at} ${canary}`, `Acme ${canary} ${filler}`, { metadata: { note: canary } }),
    )
    await notebook.store(bob, employment(`Bob${at}`, `Globex ${filler}`))
  }
  // A stored part of the search index.
  const { mark, changed } = await storage.changes(alice, { revision: 0, row: 0 }, 1_000)
  const bytes = new TextEncoder().encode(`${canary} `.repeat(10_000))
  const segment = { from: { revision: 0, row: 0 }, to: mark, rows: changed.map(({ row }) => row), seed: 1, bytes }
  expect(await storage.indexSegments.saveSegment(alice, { modelId: 'test-model', format: 1 }, segment)).toBe(true)
  await storage.forget(alice, { all: true })
  await sql`CHECKPOINT`
  // No query returns it any more, but the files still contain it.
  expect(await found(tables)).not.toEqual([])
  await sql.unsafe('VACUUM')
  await sql`CHECKPOINT`
  const afterPlain = await found(tables)
  await sql.unsafe('VACUUM FULL')
  await sql`CHECKPOINT`
  expect(await found(tables)).toEqual([])
  console.log(`files with the text after a plain VACUUM: ${afterPlain.length}`)
  expect((await storage.list(bob, { now: start + 1, limit: 100 })).total).toBe(40)
  expect((await found(join(data, 'pg_wal'))).length).toBeGreaterThan(0)
  await sql.end()
  await storage.close()
  await database.drop()
})
