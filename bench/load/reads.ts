/**
 * `npm run bench:reads`: processor time of the storage calls of a recall on both engines, without the service around them and
 * without models. Both hold the same memories and answer the same calls in turn, so the ratios are comparable on a busy machine.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../../packages/server/src/core/clock.js'
import { nameKey } from '../../packages/server/src/core/entity.js'
import { idSource } from '../../packages/server/src/core/ids.js'
import { userScope } from '../../packages/server/src/core/scope.js'
import type { ChangeMark } from '../../packages/server/src/storage/ports/index-feed.js'
import type { Access } from '../../packages/server/src/storage/ports/memory-writes.js'
import type { Storage } from '../../packages/server/src/storage/ports/storage.js'
import { openPostgresStorage } from '../../packages/server/src/storage/postgres/postgres-storage.js'
import { openSqliteStorage } from '../../packages/server/src/storage/sqlite/sqlite-storage.js'
import { type PostgresServer, startPostgres } from '../../packages/server/test/services/postgres.js'
import { type Random, random } from '../random.js'
import { processorMs } from '../service-process.js'
import { machine, machineLine } from '../speed/report.js'
import { parseScenario, type Scenario, sentenceNumber, userId } from '../speed/scenario.js'
import { openSeeds, seedUser } from '../speed/seed.js'
import { sentence } from '../speed/sentences.js'
import { markdownTable } from '../table.js'

const atOnce = 8
/** As in a recall: read ahead by words, then those that only the meaning found, half of them with vectors. */
const [ahead, missing] = [30, 30]
const accessesPerWrite = 100

interface User {
  readonly rows: readonly number[]
  readonly mark: ChangeMark
}

interface Cost {
  readonly service: number
  readonly database: number
}

async function run(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      size: { type: 'string', default: '40x100' },
      rounds: { type: 'string', default: '5' },
      recalls: { type: 'string', default: '300' },
    },
  })
  const scenario = parseScenario(options.size)
  if (scenario.memoriesPerUser < ahead + missing) throw new Error(`a user needs ${ahead + missing} memories`)
  console.log(machineLine(machine()))
  const { centres } = await openSeeds(console.log)
  const directory = await mkdtemp(join(tmpdir(), 'bench-reads-'))
  const server = await startPostgres()
  const sqlite = await openSqliteStorage({ dataDir: directory, log: () => undefined })
  const postgres = await openPostgresStorage({ url: server.url, poolSize: 4 })
  try {
    const ids = idSource(systemClock)
    const engines = await Promise.all(
      [sqlite, postgres].map(async (storage) => {
        for (let user = 0; user < scenario.users; user++) await seedUser(storage, ids, scenario, centres, user)
        return { storage, users: await usersOf(storage, scenario), costs: [] as Cost[] }
      }),
    )
    await analyze(server)
    for (let round = 0; round <= Number(options.rounds); round++) {
      for (const { storage, users, costs } of engines) {
        const cost = await measure(storage, users, scenario, Number(options.recalls), server)
        // The first round compiles the code.
        if (round > 0) costs.push(cost)
      }
    }
    const [first = [], second = []] = engines.map(({ costs }) => costs)
    console.log(`\n${tableOf(first, second)}`)
  } finally {
    await sqlite.close()
    await postgres.close()
    await server.close()
    await rm(directory, { recursive: true, force: true })
  }
}

async function analyze(server: PostgresServer): Promise<void> {
  const sql = server.asAdmin('keepsake')
  await sql.unsafe('VACUUM ANALYZE')
  await sql.end()
}

function usersOf(storage: Storage, scenario: Scenario): Promise<User[]> {
  return Promise.all(
    Array.from({ length: scenario.users }, async (_, user) => {
      const { changed, mark } = await storage.changes(userScope(userId(scenario, user)), { revision: 0, row: 0 }, 2_000)
      return { rows: changed.map(({ row }) => row), mark }
    }),
  )
}

async function measure(
  storage: Storage,
  users: readonly User[],
  scenario: Scenario,
  recalls: number,
  server: PostgresServer,
): Promise<Cost> {
  const pick = random(5)
  const accesses: Access[] = []
  const [database, service] = [await usedBy(server), process.cpuUsage()]
  let left = recalls
  const caller = async (): Promise<void> => {
    while (left-- > 0) await recall(storage, users, scenario, pick, accesses)
  }
  await Promise.all(Array.from({ length: atOnce }, caller))
  const { user, system } = process.cpuUsage(service)
  return { service: (user + system) / 1000 / recalls, database: ((await usedBy(server)) - database) / recalls }
}

/** The calls of a recall in their order. */
async function recall(
  storage: Storage,
  users: readonly User[],
  scenario: Scenario,
  pick: Random,
  accesses: Access[],
): Promise<void> {
  const user = Math.floor(pick() * users.length)
  const { rows, mark } = users[user] ?? { rows: [], mark: { revision: 0, row: 0 } }
  const scope = userScope(userId(scenario, user))
  const { question } = sentence(sentenceNumber(scenario, user, Math.floor(pick() * scenario.memoriesPerUser)))
  const at = Math.floor(pick() * (rows.length - ahead - missing))
  const refreshed = storage.changes(scope, mark, 2_000)
  const [read] = await Promise.all([
    refreshed.then(() => storage.hydrate(scope, rows.slice(at, at + ahead), { vectors: true })),
    storage.connected(scope, namesIn(question), 200),
  ])
  const others = rows.slice(at + ahead, at + ahead + missing)
  const found = [...read, ...(await storage.hydrate(scope, others, { vectors: missing / 2 }))]
  const memoryIds = found.map(({ memory }) => memory.id)
  await storage.contested(scope, memoryIds.slice(0, 40))
  const now = systemClock.now()
  for (const memoryId of memoryIds.slice(0, 10)) accesses.push({ userId: scope.userId, memoryId, count: 1, at: now })
  if (accesses.length >= accessesPerWrite) await storage.recordAccess(accesses.splice(0))
}

function namesIn(question: string): string[] {
  const words = nameKey(question).split(' ')
  const runs = words.flatMap((_, start) => [1, 2, 3, 4].map((length) => words.slice(start, start + length).join(' ')))
  return [...new Set(runs.map(nameKey))].filter((key) => key !== '')
}

async function usedBy(server: PostgresServer): Promise<number> {
  let sum = 0
  // A process may have ended since it was listed.
  for (const pid of await server.pids()) sum += (await processorMs(pid).catch(() => 0)) ?? 0
  return sum
}

function tableOf(sqlite: readonly Cost[], postgres: readonly Cost[]): string {
  const middle = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
  const ratios = (cost: (each: Cost) => number) => {
    const each = postgres.map((used, round) => cost(used) / (sqlite[round]?.service ?? NaN))
    return `× ${middle(each).toFixed(2)} (${Math.min(...each).toFixed(2)} to ${Math.max(...each).toFixed(2)})`
  }
  const own = (name: string, costs: readonly Cost[]) => [
    name,
    middle(costs.map(({ service }) => service)).toFixed(2),
    middle(costs.map(({ service, database }) => service + database)).toFixed(2),
  ]
  return markdownTable(
    ['storage calls of a recall, CPU ms', 'service', 'service and database'],
    [
      own('SQLite', sqlite),
      own('PostgreSQL', postgres),
      ['ratio', ratios(({ service }) => service), ratios(({ service, database }) => service + database)],
    ],
  )
}

await run()
