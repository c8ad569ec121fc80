/**
 * `npm run bench:flood`: a flood of invalid keys over 200 connections, and its effect on a valid user; then one valid key that
 * stores long texts (`starvation.ts`). `--case keys` or `--case starvation` runs one of them; `--service` names another build's
 * `main.js`. Quiet and flooded periods alternate, so that other activity on the machine affects both. In each flooded
 * period, new users appear whose keys are not cached and must be hashed.
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { accepted } from '../http-client.js'
import { processorMs } from '../service-process.js'
import { markdownTable } from '../table.js'
import { type Attacked, recallMs, whileServing } from './attacked-service.js'
import { startAttack, summaryOf } from './attacker.js'
import { type BearerClient, bearerClient } from './bearer-client.js'
import { runStarvation } from './starvation.js'
import { quantile } from './welch.js'

const newcomersEach = 5

interface Stretch {
  readonly recalls: number[]
  readonly newcomerMs: number[]
  /** Number of cores that the service kept busy. */
  readonly cores: number
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
  const recalls: number[] = []
  const arriving = newcomers()
  for (let index = 0; index < requests; index += 1) recalls.push(await recallMs(client, key, index))
  const newcomerMs = await arriving
  const cores = (((await processorMs(pid)) ?? 0) - before) / (performance.now() - startedAt)
  return { recalls, newcomerMs, cores }
}

interface FloodOptions {
  readonly rounds: number
  readonly requests: number
  readonly connections: number
  readonly addresses: number
}

interface Round {
  readonly quiet: Stretch
  readonly flooded: Stretch
  readonly answers: string
  readonly load: string
}

async function runFlood(
  { service, client, key, createKey }: Attacked,
  { rounds, requests, connections, addresses }: FloodOptions,
): Promise<void> {
  const freshKeys: string[] = []
  for (let index = 0; index < (2 * rounds + 1) * newcomersEach; index += 1) {
    freshKeys.push(await createKey(`newcomer-${index}`))
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
  const done: Round[] = []
  for (let round = 0; round < rounds; round += 1) {
    const quiet = await stretch(stage)
    // Until the first answers arrive, every address is clean: that is the worst moment, and it is measured.
    const flood = await startAttack('flooder.ts', [service.root, String(connections), String(addresses), key])
    const flooded = await stretch(stage)
    const answers = summaryOf(await flood.stop())
    done.push({ quiet, flooded, answers, load: (loadavg()[0] ?? 0).toFixed(1) })
    // The attacker's queued requests are finished before the next quiet period.
    await new Promise((resolve) => setTimeout(resolve, 3000))
  }
  report(done)
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      case: { type: 'string', default: 'keys,starvation' },
      rounds: { type: 'string', default: '4' },
      requests: { type: 'string', default: '400' },
      connections: { type: 'string', default: '200' },
      addresses: { type: 'string', default: '50' },
      stores: { type: 'string', default: '28' },
      seconds: { type: 'string', default: '40' },
      service: { type: 'string' },
    },
  })
  const number = (name: 'rounds' | 'requests' | 'connections' | 'addresses' | 'stores' | 'seconds') =>
    Number(values[name])
  const cases = values.case.split(',')
  const requests = number('requests')
  if (cases.includes('keys')) {
    const [connections, addresses] = [number('connections'), number('addresses')]
    const options = { rounds: number('rounds'), requests, connections, addresses }
    console.log(
      `${connections} connections from ${addresses} addresses; load ${loadavg().map((each) => each.toFixed(1))}`,
    )
    await whileServing((attacked) => runFlood(attacked, options), values.service)
  }
  if (cases.includes('starvation'))
    await runStarvation({ stores: number('stores'), requests, seconds: number('seconds'), program: values.service })
}

function report(done: readonly Round[]): void {
  const ms = (values: readonly number[], share: number) => quantile(values, share).toFixed(1)
  const rows = done.map(({ quiet, flooded, answers, load }, index) => [
    String(index + 1),
    ms(quiet.recalls, 0.5),
    ms(flooded.recalls, 0.5),
    ms(quiet.recalls, 0.99),
    ms(flooded.recalls, 0.99),
    (quantile(flooded.recalls, 0.99) / quantile(quiet.recalls, 0.99)).toFixed(2),
    `${ms(quiet.newcomerMs, 1)} / ${ms(flooded.newcomerMs, 1)}`,
    `${quiet.cores.toFixed(2)} / ${flooded.cores.toFixed(2)}`,
    load,
    answers,
  ])
  const head = ['round', 'p50 quiet', 'flooded', 'p99 quiet', 'flooded', 'ratio', 'slowest new user', 'cores', 'load']
  console.log(`\nrecalls of a valid user, ms\n\n${markdownTable([...head, 'answers to the flood'], rows)}`)
  const quiet = done.flatMap((round) => round.quiet.recalls)
  const flooded = done.flatMap((round) => round.flooded.recalls)
  const ratio = quantile(flooded, 0.99) / quantile(quiet, 0.99)
  console.log(
    `\nall rounds: p99 ${ms(quiet, 0.99)} ms quiet, ${ms(flooded, 0.99)} ms flooded: ${ratio.toFixed(2)} times (target: at most 2)`,
  )
  if (ratio > 2) process.exitCode = 1
}

await run()
