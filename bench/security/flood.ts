/**
 * `npm run bench:flood`: a flood of invalid keys over 200 connections, and its effect on a valid user. Quiet and
 * flooded periods alternate, so that other activity on the machine affects both. In each flooded period, new users
 * appear whose keys are not cached and must be hashed.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { accepted } from '../http-client.js'
import { processorMs, serviceEnvironment, startService } from '../service-process.js'
import { markdownTable } from '../table.js'
import { type BearerClient, bearerClient } from './bearer-client.js'
import { quantile } from './welch.js'

const masterKey = randomBytes(32).toString('hex')
const memories = 300
const newcomersEach = 5
const goodAddress = '127.200.0.1'

interface Stretch {
  readonly recallMs: number[]
  readonly newcomerMs: number[]
  /** Number of cores that the service kept busy. */
  readonly cores: number
}

async function createKey(client: BearerClient, userId: string): Promise<string> {
  const body = { user_id: userId, name: 'flood' }
  const { key } = accepted(await client.send('POST', '/api/v1/keys', masterKey, body), 'a key')
  return String(key)
}

async function seed(client: BearerClient, key: string): Promise<void> {
  for (let index = 0; index < memories; index += 1) {
    const content = `Note ${index}: the ${['red', 'blue', 'green'][index % 3]} box ${index} is on shelf ${index % 17}`
    accepted(await client.send('POST', '/api/v1/store', key, { content }), 'a memory')
  }
}

interface Stage {
  readonly pid: number
  readonly client: BearerClient
  readonly key: string
  readonly requests: number
  newcomers(): Promise<number[]>
}

async function stretch({ pid, client, key, requests, newcomers }: Stage): Promise<Stretch> {
  const [startedAt, before] = [performance.now(), (await processorMs(pid)) ?? 0]
  const recallMs: number[] = []
  const arriving = newcomers()
  for (let index = 0; index < requests; index += 1) {
    const body = { query: `where is the blue box ${index % memories}?`, limit: 10 }
    const answer = await client.send('POST', '/api/v1/recall', key, body)
    if (accepted(answer, 'a recall').total !== 10) throw new Error('a recall returned too few results')
    recallMs.push(answer.ms)
    // Simulates a person's application, not a load test: there is a pause between requests.
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const newcomerMs = await arriving
  const cores = (((await processorMs(pid)) ?? 0) - before) / (performance.now() - startedAt)
  return { recallMs, newcomerMs, cores }
}

interface Flood {
  stop(): Promise<Readonly<Record<string, number>>>
}

async function startFlood(root: string, connections: number, addresses: number, goodKey: string): Promise<Flood> {
  const file = fileURLToPath(new URL('flooder.ts', import.meta.url))
  const options = ['--import', 'tsx', file, root, String(connections), String(addresses), goodKey]
  const child: ChildProcess = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] })
  process.once('exit', () => child.kill('SIGKILL'))
  let output = ''
  const begun = new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
      if (output.includes('attacking')) resolve()
    })
    child.once('exit', (code) => reject(new Error(`the attacker exited with ${code}`)))
  })
  await begun
  // Until the first answers arrive, every address is clean: that is the worst moment, and it is measured.
  return {
    async stop() {
      const ended = new Promise((resolve) => child.once('close', resolve))
      child.kill('SIGTERM')
      await ended
      // The last line that it printed.
      return JSON.parse(output.trim().split('\n').at(-1) ?? '{}') as Record<string, number>
    },
  }
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '4' },
      requests: { type: 'string', default: '400' },
      connections: { type: 'string', default: '200' },
      addresses: { type: 'string', default: '50' },
    },
  })
  const [rounds, requests] = [Number(values.rounds), Number(values.requests)]
  const [connections, addresses] = [Number(values.connections), Number(values.addresses)]
  console.log(
    `${connections} connections from ${addresses} addresses; load ${loadavg().map((each) => each.toFixed(1))}`,
  )
  const directory = await mkdtemp(join(tmpdir(), 'keepsake-flood-'))
  const environment = {
    ...serviceEnvironment(join(directory, 'data')),
    SERVICE_MASTER_KEY: masterKey,
    SERVICE_AUDIT_LOG: join(directory, 'audit.log'),
    // Enabled, because it also limits failures; set so high that the valid user is not affected.
    SERVICE_RATE_LIMIT_ENABLED: 'true',
    SERVICE_RATE_LIMIT_STORE: '1000000/minute',
    SERVICE_RATE_LIMIT_RECALL: '1000000/minute',
    SERVICE_RATE_LIMIT_DEFAULT: '1000000/minute',
  }
  const service = await startService({ environment, workingDirectory: directory })
  try {
    const client = bearerClient(service.root, goodAddress)
    const key = await createKey(client, 'ana')
    await seed(client, key)
    const freshKeys: string[] = []
    for (let index = 0; index < (2 * rounds + 1) * newcomersEach; index += 1) {
      freshKeys.push(await createKey(client, `newcomer-${index}`))
    }
    let arrivals = 0
    const newcomers = async (): Promise<number[]> => {
      const taken: number[] = []
      for (const fresh of freshKeys.splice(0, newcomersEach)) {
        arrivals += 1
        const newcomer = bearerClient(service.root, `127.201.0.${arrivals}`)
        const answer = await newcomer.send('GET', '/api/v1/memories', fresh)
        accepted(answer, "a newcomer's first request")
        newcomer.close()
        taken.push(answer.ms)
      }
      return taken
    }
    const stage = { pid: service.pid, client, key, requests, newcomers }
    await stretch({ ...stage, requests: 100 })
    const done: {
      readonly quiet: Stretch
      readonly flooded: Stretch
      readonly answers: string
      readonly load: string
    }[] = []
    for (let round = 0; round < rounds; round += 1) {
      const quiet = await stretch(stage)
      const flood = await startFlood(service.root, connections, addresses, key)
      const flooded = await stretch(stage)
      const answers = Object.entries(await flood.stop())
        .sort()
        .map(([status, count]) => `${status}: ${count}`)
        .join(', ')
      done.push({ quiet, flooded, answers, load: (loadavg()[0] ?? 0).toFixed(1) })
      // The attacker's queued requests are finished before the next quiet period.
      await new Promise((resolve) => setTimeout(resolve, 3000))
    }
    report(done)
    client.close()
    await service.stop()
  } finally {
    await service.kill()
    await rm(directory, { recursive: true, force: true })
  }
}

function report(
  done: readonly {
    readonly quiet: Stretch
    readonly flooded: Stretch
    readonly answers: string
    readonly load: string
  }[],
): void {
  const ms = (values: readonly number[], share: number) => quantile(values, share).toFixed(1)
  const rows = done.map(({ quiet, flooded, answers, load }, index) => [
    String(index + 1),
    ms(quiet.recallMs, 0.5),
    ms(flooded.recallMs, 0.5),
    ms(quiet.recallMs, 0.99),
    ms(flooded.recallMs, 0.99),
    (quantile(flooded.recallMs, 0.99) / quantile(quiet.recallMs, 0.99)).toFixed(2),
    `${ms(quiet.newcomerMs, 1)} / ${ms(flooded.newcomerMs, 1)}`,
    `${quiet.cores.toFixed(2)} / ${flooded.cores.toFixed(2)}`,
    load,
    answers,
  ])
  const head = ['round', 'p50 quiet', 'flooded', 'p99 quiet', 'flooded', 'ratio', 'slowest new user', 'cores', 'load']
  console.log(`\nrecalls of a valid user, ms\n\n${markdownTable([...head, 'answers to the flood'], rows)}`)
  const quiet = done.flatMap((round) => round.quiet.recallMs)
  const flooded = done.flatMap((round) => round.flooded.recallMs)
  const ratio = quantile(flooded, 0.99) / quantile(quiet, 0.99)
  console.log(
    `\nall rounds: p99 ${ms(quiet, 0.99)} ms quiet, ${ms(flooded, 0.99)} ms flooded: ${ratio.toFixed(2)} times (target: at most 2)`,
  )
  if (ratio > 2) process.exitCode = 1
}

await run()
