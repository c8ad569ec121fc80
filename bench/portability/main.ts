/**
 * `npm run bench:portability -- [--memories N] [--users N]`: export from SQLite, import into PostgreSQL, export, import
 * into SQLite, export again, and a migration. Every archive must equal the first one byte for byte, apart from its
 * header. Peak memory is per process.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { makeDatabase, startPostgres } from '../../packages/server/test/services/postgres.js'
import { residentMemory } from '../service-process.js'
import { markdownTable } from '../table.js'
import { seed } from './seed.js'

const program = fileURLToPath(new URL('../../packages/cli/keepsake.mjs', import.meta.url))
const importer = fileURLToPath(new URL('./import-archive.mjs', import.meta.url))
const lookEveryMs = 100

interface Step {
  readonly seconds: number
  readonly peakMegabytes: number
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { memories: { type: 'string', default: '100000' }, users: { type: 'string', default: '10' } },
  })
  const memories = Number(values.memories)
  const directory = await mkdtemp(join(tmpdir(), 'keepsake-portability-'))
  const server = await startPostgres({ durable: true })
  try {
    await measure(directory, server.url, memories, Number(values.users))
  } finally {
    await server.close()
    await rm(directory, { recursive: true, force: true })
  }
}

async function measure(directory: string, serverUrl: string, memories: number, users: number): Promise<void> {
  const place = (name: string) => join(directory, name)
  const seededAt = performance.now()
  await seed(place('first'), memories, users)
  console.log(`seeded ${memories} memories for ${users} users in ${seconds(seededAt)} s`)
  const [first, moved] = [await makeDatabase(serverUrl), await makeDatabase(serverUrl)]
  const rows: string[][] = []
  const step = async (name: string, words: readonly string[], environment: Record<string, string> = {}) => {
    const { seconds: took, peakMegabytes } = await run(words, directory, environment)
    rows.push([name, took.toFixed(1), Math.round(memories / took).toLocaleString('en'), peakMegabytes.toFixed(0)])
  }
  const exported = (file: string, ...store: string[]) => [program, 'export', '--vectors', ...store, place(file)]
  await step('export from SQLite', exported('a.jsonl', '--data-dir', place('first')))
  await step('import into PostgreSQL', [importer, place('a.jsonl')], { KEEPSAKE_TARGET: first.url })
  await step('export from PostgreSQL', exported('b.jsonl', '--database-url', first.url))
  await step('import into SQLite', [importer, place('b.jsonl')], { KEEPSAKE_TARGET: place('second') })
  await step('export from SQLite again', exported('c.jsonl', '--data-dir', place('second')))
  await step('migrate sqlite-to-postgres', [program, 'migrate', 'sqlite-to-postgres', '--data-dir', place('first')], {
    SERVICE_DATABASE_URL: moved.url,
  })
  console.log(`\n${markdownTable(['step', 'seconds', 'memories/s', 'peak MB'], rows)}\n`)
  const sums = await Promise.all(['a.jsonl', 'b.jsonl', 'c.jsonl'].map((file) => sumWithoutHeader(place(file))))
  const { size } = await stat(place('a.jsonl'))
  console.log(`the archive: ${(size / 2 ** 20).toFixed(0)} MB; without their headers the three have the checksums`)
  console.log(sums.join('\n'))
  if (new Set(sums).size !== 1) throw new Error('the archives differ')
}

async function run(
  words: readonly string[],
  directory: string,
  environment: Readonly<Record<string, string>>,
): Promise<Step> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, words, {
    cwd: directory,
    env: { PATH: process.env.PATH, ...environment },
    stdio: 'inherit',
  })
  let peakMegabytes = 0
  const look = setInterval(async () => {
    // Undefined once the process has ended: the last value counts.
    const seen = await residentMemory(child.pid ?? 0).catch(() => undefined)
    peakMegabytes = Math.max(peakMegabytes, seen?.peakMegabytes ?? 0)
  }, lookEveryMs)
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  clearInterval(look)
  if (code !== 0) throw new Error(`${words.slice(0, 3).join(' ')} exited with ${code}`)
  return { seconds: (performance.now() - startedAt) / 1000, peakMegabytes }
}

async function sumWithoutHeader(path: string): Promise<string> {
  const hash = createHash('sha256')
  let isInHeader = true
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const end = isInHeader ? chunk.indexOf(10) : -1
    hash.update(isInHeader ? chunk.subarray(end + 1) : chunk)
    isInHeader = false
  }
  return hash.digest('hex')
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1)
}

await main()
