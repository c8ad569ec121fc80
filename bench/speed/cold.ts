/**
 * `npm run bench:cold`: how long the first recall of a user waits for the search index, by number of memories and engine, made from
 * the memories' rows and loaded from stored segments (ADR 34). Both in one run, over the same store.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { systemClock } from '../../packages/server/src/core/clock.js'
import { type IdSource, idSource } from '../../packages/server/src/core/ids.js'
import { checksumOf, contentKey } from '../../packages/server/src/core/memory.js'
import { type UserScope, userScope } from '../../packages/server/src/core/scope.js'
import { openLocalEmbedder } from '../../packages/server/src/models/embedder/local-embedder.js'
import { openUserIndexes } from '../../packages/server/src/retrieval/index/user-index.js'
import type { UserIndexes } from '../../packages/server/src/retrieval/index/user-indexes.js'
import type { NewMemory } from '../../packages/server/src/storage/ports/memory-writes.js'
import type { Storage } from '../../packages/server/src/storage/ports/storage.js'
import { openPostgresStorage } from '../../packages/server/src/storage/postgres/postgres-storage.js'
import { openSqliteStorage } from '../../packages/server/src/storage/sqlite/sqlite-storage.js'
import { startPostgres } from '../../packages/server/test/services/postgres.js'
import { processorMs } from '../service-process.js'
import { markdownTable } from '../table.js'
import { machine, machineLine } from './report.js'
import { parseScenario, type Scenario } from './scenario.js'
import { sentence } from './sentences.js'
import { type Centres, embedCentres, syntheticVector } from './vectors.js'

const usage = `npm run bench:cold -- [options]
  --sizes 1k,10k,100k        memories of one user
  --engines sqlite,postgres
  --rounds 7                 measured loads of each kind, after three that are not
  --help`

const unmeasured = 3
const memoriesPerCommit = 500

interface Engine {
  readonly name: string
  readonly storage: Storage
  /** Processes besides this one that do the engine's work. */
  pids(): Promise<readonly number[]>
  close(): Promise<void>
}

async function run(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      sizes: { type: 'string', default: '1k,10k,100k' },
      engines: { type: 'string', default: 'sqlite,postgres' },
      rounds: { type: 'string', default: '7' },
      help: { type: 'boolean', default: false },
    },
  })
  if (options.help) return console.log(usage)
  const rounds = Number(options.rounds)
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a whole number above 0')
  const scenarios = options.sizes.split(',').map(parseScenario)
  console.log(machineLine(machine()))
  const embedder = await openLocalEmbedder()
  const centres = await embedCentres(embedder)
  await embedder.close()
  const rows: string[][] = []
  for (const name of options.engines.split(',')) {
    const engine = await openEngine(name)
    try {
      for (const scenario of scenarios) rows.push(...(await measure(engine, scenario, centres, rounds)))
    } finally {
      await engine.close()
    }
  }
  const head = ['engine', 'memories', 'index from', 'median ms', 'fastest ms', 'processor ms', 'of the database']
  console.log(`\n${markdownTable(head, rows)}`)
}

async function openEngine(name: string): Promise<Engine> {
  if (name === 'sqlite') {
    const cache = fileURLToPath(new URL('../../.cache/', import.meta.url))
    const dataDir = await mkdtemp(join(cache, 'bench-cold-'))
    const storage = await openSqliteStorage({ dataDir })
    const close = async () => {
      await storage.close()
      await rm(dataDir, { recursive: true, force: true })
    }
    return { name: 'SQLite', storage, pids: async () => [], close }
  }
  if (name !== 'postgres') throw new Error(`"${name}" is not an engine; use sqlite or postgres`)
  const server = await startPostgres()
  const storage = await openPostgresStorage({ url: server.url })
  const close = async () => {
    await storage.close()
    await server.close()
  }
  return { name: 'PostgreSQL', storage, pids: () => server.pids(), close }
}

async function measure(engine: Engine, scenario: Scenario, centres: Centres, rounds: number): Promise<string[][]> {
  const { storage } = engine
  const scope = userScope(`cold-${scenario.name}`)
  const startedAt = performance.now()
  await seed(storage, scope, scenario.memoriesPerUser, centres)
  console.log(`${engine.name}: ${scenario.title} memories in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
  const rows: string[][] = []
  for (const from of ['rows', 'segments'] as const) {
    // Too small for two users, so that each load of one makes the other cold.
    const indexes = openUserIndexes({
      feed: storage,
      ...(from === 'segments' ? { segments: storage.indexSegments } : {}),
      segmentFailed: (error) => console.error(error),
      dimensions: centres.dimensions,
      modelId: centres.modelId,
      memoryBudgetBytes: 1,
    })
    await indexes.refresh(scope)
    await indexes.kept()
    const loads: Load[] = []
    for (let round = 0; round < unmeasured + rounds; round++) loads.push(await load(engine, indexes, scope))
    await indexes.close()
    const measured = loads.slice(unmeasured)
    const figures = [
      median(measured.map(({ ms }) => ms)),
      Math.min(...measured.map(({ ms }) => ms)),
      median(measured.map(({ processor }) => processor)),
      median(measured.map(({ databaseProcessor }) => databaseProcessor)),
    ]
    rows.push([engine.name, scenario.title, from, ...figures.map((figure) => figure.toFixed(figure < 20 ? 1 : 0))])
  }
  return rows
}

interface Load {
  readonly ms: number
  readonly processor: number
  readonly databaseProcessor: number
}

async function load(engine: Engine, indexes: UserIndexes, scope: UserScope): Promise<Load> {
  const other = userScope('cold-other')
  await indexes.refresh(other)
  if (indexes.stats().users !== 1) throw new Error('the user is still in memory')
  const databaseBefore = await processorOf(engine)
  const before = process.cpuUsage()
  const startedAt = performance.now()
  await indexes.refresh(scope)
  const ms = performance.now() - startedAt
  const { user, system } = process.cpuUsage(before)
  return { ms, processor: (user + system) / 1000, databaseProcessor: (await processorOf(engine)) - databaseBefore }
}

async function processorOf({ pids }: Engine): Promise<number> {
  const times = await Promise.all((await pids()).map((pid) => processorMs(pid).catch(() => 0)))
  return times.reduce<number>((sum, ms) => sum + (ms ?? 0), 0)
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

async function seed(storage: Storage, scope: UserScope, memories: number, centres: Centres): Promise<void> {
  const ids = idSource(systemClock)
  await commit(storage, userScope('cold-other'), ids, centres, 0, 1)
  for (let first = 0; first < memories; first += memoriesPerCommit) {
    await commit(storage, scope, ids, centres, first, Math.min(memories, first + memoriesPerCommit))
  }
}

async function commit(
  storage: Storage,
  scope: UserScope,
  ids: IdSource,
  centres: Centres,
  first: number,
  end: number,
): Promise<void> {
  const now = systemClock.now()
  const memories = Array.from({ length: end - first }, (_, index) => newMemory(ids, centres, first + index, index, now))
  const segments = memories.map((memory) => memory.version.content)
  const [expectedRevision = 0] = await storage.revisionsOf([scope.userId])
  await storage.commit(scope, {
    expectedRevision,
    now,
    document: { id: ids.next('doc'), segments, source: 'bench' },
    memories,
    sightings: [],
  })
}

/** Without entities: the index does not read them. */
function newMemory(ids: IdSource, centres: Centres, number: number, segment: number, createdAt: number): NewMemory {
  const { text, template } = sentence(number)
  return {
    id: ids.next('mem'),
    createdAt,
    source: 'bench',
    segments: [segment, segment],
    supersedes: [],
    endings: [],
    version: {
      content: text,
      contentKey: contentKey(text),
      checksum: checksumOf(text),
      metadata: {},
      project: null,
      expiresAt: null,
      trustScore: 1,
      flagged: false,
      vector: syntheticVector(centres, template, number),
      modelId: centres.modelId,
      entities: [],
      relationships: [],
      slots: [],
    },
  }
}

run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error)
  process.exitCode = 1
})
