/** Runs `keepsake migrate sqlite-to-postgres` as an operator does, kills it half-way, and starts the service afterwards. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openPortableReader, type PortableStore } from '../../src/boot/portable.js'
import { userScope } from '../../src/core/scope.js'
import { liveFully } from '../../src/storage/contract/full-life.js'
import { Notebook } from '../../src/storage/contract/notebook.js'
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.js'
import { killAll, post, runService } from '../support/running-service.js'
import { anyPostgres, makeDatabase, type PostgresServer } from './postgres.js'

const program = fileURLToPath(new URL('../../../cli/keepsake.mjs', import.meta.url))

let server: Pick<PostgresServer, 'url' | 'close'>
let database: Awaited<ReturnType<typeof makeDatabase>>
let dataDir = ''

beforeAll(async () => {
  server = await anyPostgres()
})
afterAll(async () => {
  await server?.close()
})
beforeEach(async () => {
  database = await makeDatabase(server.url)
  dataDir = await mkdtemp(join(tmpdir(), 'keepsake-migrate-'))
})
afterEach(async () => {
  await killAll()
  await database.drop()
  await rm(dataDir, { recursive: true })
})

function migrate() {
  const child = spawn(process.execPath, [program, 'migrate', 'sqlite-to-postgres', '--data-dir', dataDir, '--json'], {
    cwd: dataDir,
    env: { PATH: process.env.PATH, SERVICE_DATABASE_URL: database.url },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const finished = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
  return { child, finished }
}

async function linesOf(store: PortableStore): Promise<string[]> {
  const reader = await openPortableReader(store)
  const lines: string[] = []
  for await (const record of reader.read({ vectors: true, keys: true })) lines.push(JSON.stringify(record))
  await reader.close()
  return lines
}

describe('keepsake migrate sqlite-to-postgres', () => {
  it('moves all data including keys and pending texts, and reports the counts', async () => {
    const storage = await openSqliteStorage({ dataDir })
    await liveFully(storage)
    // A running service would keep writing during the migration.
    const refused = await migrate().finished
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/in use by another Keepsake process/) })
    await storage.close()
    const { code, stdout, stderr } = await migrate().finished
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ counts: { user: 4, key: 3, pending: 2 }, mismatches: 0, different: [] })
    expect(await linesOf({ databaseUrl: database.url })).toEqual(await linesOf({ dataDir }))
    const again = await migrate().finished
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('of these users, for example') })
  })

  it('resumes after a kill where it stopped, and leaves both stores equal', async () => {
    const storage = await openSqliteStorage({ dataDir })
    await liveFully(storage)
    const notebook = new Notebook(storage)
    for (let batch = 0; batch < 12; batch++) {
      const facts = Array.from({ length: 250 }, (_, index) => ({ content: `fact ${batch}.${index}` }))
      await notebook.store(userScope(`user ${batch % 3}`), ...facts)
    }
    await storage.close()
    const sql = postgres(database.url, { max: 1, onnotice: () => undefined })
    const killed = migrate()
    let done = 0
    try {
      while (done === 0 && killed.child.exitCode === null) {
        await sql.begin(async (transaction) => {
          const [table] = await transaction`SELECT to_regclass('import_progress') IS NOT NULL AS found`
          if (!table?.found) return
          // The import waits for this lock, so it cannot finish before it is killed.
          await transaction`LOCK TABLE import_progress IN SHARE MODE`
          const [row] = await transaction`SELECT done::int AS done FROM import_progress`
          done = row?.done ?? 0
          if (done === 0) return
          killed.child.kill('SIGKILL')
          await killed.finished
        })
      }
      expect(done).toBeGreaterThan(0)
      const { code, stdout, stderr } = await migrate().finished
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      const report = JSON.parse(stdout)
      expect(report.resumed_after).toBeGreaterThanOrEqual(done)
      expect(report).toMatchObject({ different: [], counts: { user: 7 } })
      expect(report.resumed_after).toBeLessThan(
        Object.values<number>(report.counts).reduce((sum, each) => sum + each, 0),
      )
      expect(await linesOf({ databaseUrl: database.url })).toEqual(await linesOf({ dataDir }))
    } finally {
      await sql.end()
    }
  })

  it('lets a service on PostgreSQL give the same answers as the service on SQLite', async () => {
    const settings = { SERVICE_DATA_DIR: dataDir, SERVICE_RATE_LIMIT_ENABLED: 'false' }
    const texts = [
      'Maria Garcia works at Acme in Lisbon. She loves hiking in the Alps.',
      'Maria moved to Porto in March.',
      'My brother Tom plays the cello every Sunday.',
    ]
    const questions = ['Where does Maria live?', 'Who plays an instrument?', 'What does Maria like?']
    const first = await runService(settings)
    for (const content of texts) await post(`${first.url}/api/v1/store`, { user_id: 'alice', content })
    const ask = async (url: string) => {
      const answers = []
      for (const query of questions) {
        const { status, body } = await post(`${url}/api/v1/recall`, { user_id: 'alice', query })
        expect(status).toBe(200)
        // The contract tests check the shape of the answer.
        const { memories, context } = body as {
          memories: { id: string; content: string; score: number }[]
          context: string
        }
        answers.push({
          found: memories.map(({ id, content, score }) => ({ id, content, score: score.toFixed(3) })),
          context,
        })
      }
      return answers
    }
    const before = await ask(first.url)
    expect(before[0]?.found.length).toBeGreaterThan(0)
    first.process.kill('SIGTERM')
    await first.finished
    expect(await migrate().finished).toMatchObject({ code: 0 })
    const second = await runService({ ...settings, SERVICE_DATABASE_URL: database.url })
    expect(await ask(second.url)).toEqual(before)
  })
})
