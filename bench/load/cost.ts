/**
 * `npm run bench:cost`: processor time per recall and per store on both engines, which hold the same memories and get the
 * same requests in turn. The figures to compare are the ratios: other processes on the machine disturb both engines alike.
 * All statements to PostgreSQL pass through a relay in this process, which counts them.
 */
import { rmSync } from 'node:fs'
import { chmod, mkdir, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { systemClock } from '../../packages/server/src/core/clock.js'
import { idSource } from '../../packages/server/src/core/ids.js'
import { openPostgresStorage } from '../../packages/server/src/storage/postgres/postgres-storage.js'
import { startPostgres } from '../../packages/server/test/services/postgres.js'
import { accepted, httpClient } from '../http-client.js'
import { random } from '../random.js'
import { processorMs, serviceEnvironment, startService } from '../service-process.js'
import { machine, machineLine } from '../speed/report.js'
import { firstUnusedNumber, parseScenario, type Scenario, sentenceNumber, userId } from '../speed/scenario.js'
import { openSeeds, type Seeds, seedUser } from '../speed/seed.js'
import { sentence } from '../speed/sentences.js'
import { markdownTable } from '../table.js'
import { type Relay, startRelay } from './relay.js'
import { seedPostgres } from './seed-postgres.js'
import type { Verb } from './traffic.js'

const usage = `npm run bench:cost -- [options]
  --size 200x100       users x memories
  --rounds 5           each engine answers all requests of a round before the next round begins
  --requests 200       recalls per round
  --stores 50          stores per round
  --connections 8
  --read-first 0       memories that the reader reads per recall; it costs far more than storage on both engines
  --copies             all users have the same memories on PostgreSQL: faster to prepare, for large sizes`

interface Engine {
  readonly name: string
  readonly root: string
  /** Processor time of the service and of the database so far, in milliseconds. */
  used(): Promise<Used>
  readonly relay?: Relay
  readonly sharesTexts: boolean
  close(): Promise<void>
}

interface Used {
  readonly service: number
  readonly database: number
}

interface Cost extends Used {
  readonly statements: number
  readonly roundTrips: number
  readonly transactions: number
}

/** Access counts are written up to 200 ms after a recall: they belong to it. */
const afterwardsMs = 500

async function run(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      size: { type: 'string', default: '200x100' },
      rounds: { type: 'string', default: '5' },
      requests: { type: 'string', default: '200' },
      stores: { type: 'string', default: '50' },
      connections: { type: 'string', default: '8' },
      'read-first': { type: 'string', default: '0' },
      copies: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (options.help) return console.log(usage)
  const scenario = parseScenario(options.size)
  const plan = { scenario, rounds: Number(options.rounds), connections: Number(options.connections) }
  const requests = { recall: Number(options.requests), store: Number(options.stores) }
  console.log(machineLine(machine()))
  const scratch = await scratchDirectory()
  const seeds = await openSeeds(console.log)
  const settings = { SERVICE_LOG_LEVEL: 'warn', SERVICE_READ_FIRST: options['read-first'] }
  const engines: Engine[] = []
  try {
    engines.push(await openSqlite(scenario, seeds, scratch, settings))
    engines.push(await openPostgres(scenario, seeds, scratch, settings, options.copies))
    const costs = await measure(engines, plan, requests)
    console.log(`\n${scenario.title} memories, ${plan.rounds} rounds\n\n${tableOf(engines, costs)}`)
  } finally {
    for (const engine of engines) await engine.close()
  }
}

interface Plan {
  readonly scenario: Scenario
  readonly rounds: number
  readonly connections: number
}

type Costs = ReadonlyMap<Engine, Readonly<Record<Verb, Cost[]>>>

async function measure(
  engines: readonly Engine[],
  plan: Plan,
  requests: Readonly<Record<Verb, number>>,
): Promise<Costs> {
  const costs = new Map(engines.map((engine) => [engine, { recall: [] as Cost[], store: [] as Cost[] }]))
  const { users } = plan.scenario
  for (const engine of engines) {
    // Loads the users' indexes and compiles the hot code.
    await send(engine, plan, 'recall', 0, 2 * users, 0)
    await send(engine, plan, 'store', 0, requests.store, 0)
  }
  for (let round = 1; round <= plan.rounds; round++) {
    // Each engine is the first in every other round.
    for (const engine of round % 2 === 0 ? engines : [...engines].reverse()) {
      for (const verb of ['recall', 'store'] as const) {
        const cost = await send(engine, plan, verb, round, requests[verb], 1)
        costs.get(engine)?.[verb].push(cost)
      }
    }
    console.log(`round ${round} of ${plan.rounds}`)
  }
  return costs
}

/** Sends the requests of a round, the same ones to every engine, and returns what one of them cost. */
async function send(
  engine: Engine,
  { scenario, connections }: Plan,
  verb: Verb,
  round: number,
  count: number,
  phase: number,
): Promise<Cost> {
  const pick = random(round * 2 + phase)
  const bodies = Array.from({ length: count }, (_, index) => {
    // The first round visits every user in turn.
    const user = round === 0 ? index % scenario.users : Math.floor(pick() * scenario.users)
    const user_id = userId(scenario, user)
    const memory = Math.floor(pick() * scenario.memoriesPerUser)
    if (verb === 'store') {
      return { content: sentence(firstUnusedNumber(scenario) + round * count + index).text, user_id }
    }
    const about = sentence(sentenceNumber(scenario, engine.sharesTexts ? 0 : user, memory))
    return { query: about.question, user_id, limit: 10 }
  })
  await sleep(afterwardsMs)
  const client = httpClient(engine.root, connections)
  const [before, counted] = [await engine.used(), engine.relay?.counted()]
  let next = 0
  const connection = async (): Promise<void> => {
    for (let body = bodies[next++]; body; body = bodies[next++]) {
      accepted(await client.send('POST', `/api/v1/${verb}`, body), verb)
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  await sleep(afterwardsMs)
  const [after, countedAfter] = [await engine.used(), engine.relay?.counted()]
  client.close()
  const each = (from: number | undefined, to: number | undefined) => ((to ?? 0) - (from ?? 0)) / count
  return {
    service: each(before.service, after.service),
    database: each(before.database, after.database),
    statements: each(counted?.statements, countedAfter?.statements),
    roundTrips: each(counted?.roundTrips, countedAfter?.roundTrips),
    transactions: each(counted?.transactions, countedAfter?.transactions),
  }
}

function tableOf(engines: readonly Engine[], costs: Costs): string {
  const head = ['per request', 'service, CPU ms', 'database, CPU ms', 'transactions', 'statements', 'round trips']
  const rows = (['recall', 'store'] as const).flatMap((verb) => {
    const of = (engine: Engine, name: keyof Cost) => median((costs.get(engine)?.[verb] ?? []).map((cost) => cost[name]))
    const own = engines.map((engine) => [
      `${verb}, ${engine.name}`,
      of(engine, 'service').toFixed(2),
      engine.relay ? of(engine, 'database').toFixed(2) : '',
      ...(['transactions', 'statements', 'roundTrips'] as const).map((name) =>
        engine.relay ? of(engine, name).toFixed(2) : '',
      ),
    ])
    const [sqlite, postgres] = engines
    if (!sqlite || !postgres) return own
    // Of the same round, so that a busy moment counts on both sides.
    const ratio = (cost: (cost: Cost) => number) => {
      const first = costs.get(sqlite)?.[verb] ?? []
      const second = costs.get(postgres)?.[verb] ?? []
      const ratios = second.map((each, round) => cost(each) / (first[round]?.service ?? Number.NaN))
      return `× ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`
    }
    const both = `with the database ${ratio(({ service, database }) => service + database)}`
    return [...own, [`${verb}, ratio`, ratio(({ service }) => service), both, '', '', '']]
  })
  return markdownTable(head, rows)
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

type Settings = Readonly<Record<string, string>>

async function openSqlite(scenario: Scenario, seeds: Seeds, scratch: string, settings: Settings): Promise<Engine> {
  const dataDir = join(scratch, 'sqlite')
  await seeds.copyTo(scenario, dataDir)
  const service = await startIn(scratch, dataDir, settings)
  return {
    name: 'SQLite',
    root: service.root,
    sharesTexts: false,
    used: async () => ({ service: (await processorMs(service.pid)) ?? 0, database: 0 }),
    close: () => service.stop(),
  }
}

async function openPostgres(
  scenario: Scenario,
  seeds: Seeds,
  scratch: string,
  settings: Settings,
  isCopied: boolean,
): Promise<Engine> {
  const directory = join(scratch, 'postgres')
  await mkdir(directory, { recursive: true })
  const server = await startPostgres({ durable: true, directory })
  if (isCopied) await seedPostgres(server, scenario, seeds.centres, console.log)
  else await seedAll(server, scenario, seeds)
  const relay = await startRelay(server.port)
  const url = new URL(server.url)
  url.port = String(relay.port)
  const service = await startIn(scratch, join(scratch, 'instance'), { ...settings, SERVICE_DATABASE_URL: url.href })
  return {
    name: 'PostgreSQL',
    root: service.root,
    sharesTexts: isCopied,
    relay,
    async used() {
      const ofDatabase = await Promise.all((await server.pids()).map((pid) => processorMs(pid).catch(() => 0)))
      const database = ofDatabase.reduce<number>((sum, ms) => sum + (ms ?? 0), 0)
      return { service: (await processorMs(service.pid)) ?? 0, database }
    },
    async close() {
      await service.stop()
      relay.close()
      await server.close()
    },
  }
}

/** Writes the memories that SQLite has, through the storage code. */
async function seedAll(
  server: Awaited<ReturnType<typeof startPostgres>>,
  scenario: Scenario,
  seeds: Seeds,
): Promise<void> {
  const startedAt = performance.now()
  const storage = await openPostgresStorage({ url: server.url })
  const ids = idSource(systemClock)
  for (let user = 0; user < scenario.users; user++) await seedUser(storage, ids, scenario, seeds.centres, user)
  await storage.close()
  const sql = server.asAdmin('keepsake')
  await sql.unsafe('VACUUM ANALYZE')
  await sql.unsafe('CHECKPOINT')
  await sql.end()
  console.log(`seeded PostgreSQL in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
}

function startIn(scratch: string, dataDir: string, settings: Settings) {
  const environment = {
    ...serviceEnvironment(dataDir),
    ...settings,
    SERVICE_AUDIT_LOG: `${dataDir}.audit.log`,
  }
  return startService({ environment, workingDirectory: scratch, readyTimeoutMs: 180_000 })
}

async function scratchDirectory(): Promise<string> {
  const cache = fileURLToPath(new URL('../../.cache/', import.meta.url))
  await mkdir(cache, { recursive: true })
  const scratch = await mkdtemp(join(cache, 'bench-cost-'))
  // PostgreSQL runs as another user and needs access.
  await chmod(scratch, 0o755)
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }))
  return scratch
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error)
  process.exitCode = 1
})
