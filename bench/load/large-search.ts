/**
 * `npm run bench:large`: the search of one user in memory and in the storage (ADR 37), over the same store: time, processor time, and
 * how many of the ten nearest memories by their exact vectors are among the hits that a recall compares exactly.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { userScope } from '../../packages/server/src/core/scope.js'
import { openUserIndexes } from '../../packages/server/src/retrieval/index/user-index.js'
import type { UserIndexes } from '../../packages/server/src/retrieval/index/user-indexes.js'
import type { Storage } from '../../packages/server/src/storage/ports/storage.js'
import { openPostgresStorage } from '../../packages/server/src/storage/postgres/postgres-storage.js'
import { openSqliteStorage } from '../../packages/server/src/storage/sqlite/sqlite-storage.js'
import { startPostgres } from '../../packages/server/test/services/postgres.js'
import { machine, machineLine } from '../speed/report.js'
import { parseScenario, type Scenario, sentenceNumber, userId } from '../speed/scenario.js'
import { openSeeds } from '../speed/seed.js'
import { sentence } from '../speed/sentences.js'
import { type Centres, syntheticVector } from '../speed/vectors.js'
import { markdownTable } from '../table.js'
import { seedBoth, seedLarge } from './seed-large.js'

const usage = `npm run bench:large -- [options]
  --size 200k                memories of the user
  --engines sqlite,postgres
  --queries 20
  --data DIR                 SQLite store to use again: see --large-data of bench:load
  --places memory,storage    where to search
  --help`

/** As many as a recall asks the index for. */
const hitsOfRecall = 40
const nearest = 10

interface Asked {
  readonly vector: Float32Array
  readonly question: string
  /** The cosine of the tenth nearest memory. */
  readonly bar: number
}

async function run(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      size: { type: 'string', default: '200k' },
      engines: { type: 'string', default: 'sqlite,postgres' },
      queries: { type: 'string', default: '20' },
      data: { type: 'string' },
      places: { type: 'string', default: 'memory,storage' },
      help: { type: 'boolean', default: false },
    },
  })
  if (options.help) return console.log(usage)
  console.log(machineLine(machine()))
  const scenario = parseScenario(options.size)
  const seeds = await openSeeds(console.log)
  const asked = exactly(scenario, seeds.centres, Number(options.queries))
  const rows: string[][] = []
  for (const engine of options.engines.split(',')) {
    const opened = engine === 'sqlite' ? await openSqlite(options.data) : await openPostgres()
    try {
      if (opened.dataDir) await seedBoth(opened.dataDir, parseScenario('1000x10'), scenario, seeds)
      const storage = await opened.open()
      try {
        if (!opened.dataDir) await seedLarge(storage, scenario, seeds.centres)
        for (const place of options.places.split(','))
          rows.push([
            opened.name,
            scenario.title,
            place,
            ...(await measure(storage, scenario, seeds.centres, asked, place)),
          ])
      } finally {
        await storage.close()
      }
    } finally {
      await opened.close()
    }
  }
  const head = ['engine', 'memories', 'searched in', 'first ms', 'median ms', 'slowest ms', 'processor ms', 'recall@10']
  console.log(`\n${markdownTable(head, rows)}`)
}

async function openSqlite(data: string | undefined) {
  const cache = fileURLToPath(new URL('../../.cache/', import.meta.url))
  const dataDir = data ?? (await mkdtemp(join(cache, 'bench-large-')))
  return {
    ...{ name: 'SQLite', dataDir },
    open: () => openSqliteStorage({ dataDir }),
    close: async () => (data ? undefined : rm(dataDir, { recursive: true, force: true })),
  }
}

async function openPostgres() {
  const server = await startPostgres()
  return {
    ...{ name: 'PostgreSQL', dataDir: undefined },
    open: () => openPostgresStorage({ url: server.url }),
    close: () => server.close(),
  }
}

async function measure(
  storage: Storage,
  scenario: Scenario,
  centres: Centres,
  asked: readonly Asked[],
  place: string,
): Promise<string[]> {
  const indexes = openUserIndexes({
    ...{ feed: storage, segments: storage.indexSegments, dimensions: centres.dimensions, modelId: centres.modelId },
    memoryBudgetBytes: 2 ** 33,
    mostVersionsInMemory: place === 'storage' ? 0 : Infinity,
    segmentFailed: (error) => console.error(error),
  })
  try {
    const times: number[] = []
    let found = 0
    let before = process.cpuUsage()
    for (const [index, query] of asked.entries()) {
      // The first one loads the index, or compiles the code.
      if (index === 1) before = process.cpuUsage()
      const startedAt = performance.now()
      const rows = await search(indexes, scenario, query)
      times.push(performance.now() - startedAt)
      found += await countNearest(storage, scenario, rows, query)
    }
    const { user, system } = process.cpuUsage(before)
    const [first = Number.NaN, ...rest] = times
    const sorted = rest.sort((a, b) => a - b)
    const shown = [first, sorted[Math.floor(sorted.length / 2)] ?? Number.NaN, sorted.at(-1) ?? Number.NaN]
    const processor = (user + system) / 1000 / (asked.length - 1)
    return [...shown, processor]
      .map((ms) => ms.toFixed(ms < 20 ? 1 : 0))
      .concat((found / asked.length / nearest).toFixed(3))
  } finally {
    await indexes.close()
  }
}

async function search(indexes: UserIndexes, scenario: Scenario, { vector, question }: Asked): Promise<number[]> {
  const { hits } = await indexes.search(userScope(userId(scenario, 0)), {
    ...{ vector, text: question, includeHistory: false, includeFlagged: false, limit: hitsOfRecall },
    moment: { kind: 'now', now: Date.now() },
  })
  return hits.filter(({ denseRank }) => denseRank !== null).map(({ row }) => row)
}

async function countNearest(storage: Storage, scenario: Scenario, rows: readonly number[], { vector, bar }: Asked) {
  const versions = await storage.hydrate(userScope(userId(scenario, 0)), rows, { vectors: true })
  const close = versions.filter((version) => version.vector && dot(version.vector, vector) >= bar - 1e-6)
  return Math.min(nearest, close.length)
}

/** Queries near some of the memories, with what an exact search would find. */
function exactly(scenario: Scenario, centres: Centres, count: number): Asked[] {
  const queries = Array.from({ length: count }, (_, index) => {
    const number = sentenceNumber(scenario, 0, Math.floor(((index + 0.5) / count) * scenario.memoriesPerUser))
    const { template, question } = sentence(number)
    // Another vector near the same centre: a question is close to its answer, but not the same.
    return { question, vector: syntheticVector(centres, template, number + 1_000_000_007), best: [] as number[] }
  })
  for (let memory = 0; memory < scenario.memoriesPerUser; memory++) {
    const number = sentenceNumber(scenario, 0, memory)
    const vector = syntheticVector(centres, sentence(number).template, number)
    for (const { vector: asked, best } of queries) {
      const cosine = dot(vector, asked)
      if (best.length === nearest && cosine <= (best.at(-1) ?? 0)) continue
      best.push(cosine)
      best.sort((a, b) => b - a)
      best.length = Math.min(best.length, nearest)
    }
  }
  return queries.map(({ vector, question, best }) => ({ vector, question, bar: best.at(-1) ?? 0 }))
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0)
  return sum
}

run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error)
  process.exitCode = 1
})
