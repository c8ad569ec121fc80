/** One valid key keeps 28 stores of 50,000 characters in flight: its effect on another user's recalls and stores, and on `/livez`. */
import { loadavg } from 'node:os'
import { accepted } from '../http-client.js'
import { markdownTable } from '../table.js'
import { recallMs, whileServing } from './attacked-service.js'
import { startAttack, summaryOf } from './attacker.js'
import { type BearerClient, bearerClient } from './bearer-client.js'
import { quantile } from './welch.js'

const mostRatio = 3
const mostLivezMs = 500
/** Between two stores of the valid user. */
const storeEveryMs = 1_000

export interface StarvationOptions {
  readonly stores: number
  readonly requests: number
  /** A long attack is measured however fast the recalls are. */
  readonly seconds: number
  readonly program: string | undefined
}

interface Period {
  readonly recalls: number[]
  readonly livez: number[]
  readonly stores: number[]
}

/** Recalls one after the other; stores and `/livez` beside them. */
async function measure(root: string, client: BearerClient, key: string, least: number, leastMs: number) {
  const period: Period = { recalls: [], livez: [], stores: [] }
  const beside = [bearerClient(root, '127.200.0.2'), bearerClient(root, '127.200.0.3')] as const
  const startedAt = performance.now()
  let isRunning = true
  const [probing, storing] = [
    repeat(
      () => isRunning,
      50,
      async () => {
        const { status, ms } = await beside[0].send('GET', '/livez', '')
        if (status !== 200) throw new Error(`/livez answered ${status}`)
        period.livez.push(ms)
      },
    ),
    repeat(
      () => isRunning,
      storeEveryMs,
      async (number) => {
        const content = `Ana planted tree ${Math.round(startedAt)} number ${number} behind the house.`
        const answer = await beside[1].send('POST', '/api/v1/store', key, { content })
        accepted(answer, "the other user's store")
        period.stores.push(answer.ms)
      },
    ),
  ]
  for (let index = 0; index < least || performance.now() - startedAt < leastMs; index += 1)
    period.recalls.push(await recallMs(client, key, index))
  isRunning = false
  await Promise.all([probing, storing])
  for (const each of beside) each.close()
  return period
}

async function repeat(isRunning: () => boolean, pauseMs: number, work: (number: number) => Promise<void>) {
  for (let number = 0; isRunning(); number += 1) {
    await work(number)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

export async function runStarvation({ stores, requests, seconds, program }: StarvationOptions): Promise<void> {
  console.log(`\n${stores} stores of 50,000 characters in flight from one key; load ${loadavg()[0]?.toFixed(1)}`)
  await whileServing(
    async ({ service, client, key, createKey }) => {
      const hostileKey = await createKey('mallory')
      await measure(service.root, client, key, 100, 0)
      const before = await measure(service.root, client, key, requests, (seconds * 1000) / 2)
      const attack = await startAttack('starver.ts', [service.root, String(stores), hostileKey])
      const starved = await measure(service.root, client, key, requests, seconds * 1000)
      const answers = await attack.stop()
      requireAttack(answers)
      report(before, starved, summaryOf(answers))
    },
    program,
    false,
  )
}

/** An attack whose texts were not even read would prove nothing. */
function requireAttack(answers: Readonly<Record<string, number>>): void {
  const isExpected = (status: string) => ['200', '429', '503', 'no answer'].includes(status)
  const isWorkedOn = (answers['200'] ?? 0) + (answers['429'] ?? 0) > 0
  if (isWorkedOn && Object.keys(answers).every(isExpected)) return
  throw new Error(`the attack did not work: ${summaryOf(answers) || 'no answers'}`)
}

function report(quiet: Period, starved: Period, answers: string): void {
  const row = (name: string, of: (period: Period) => readonly number[]) => {
    const [one, other] = [of(quiet), of(starved)]
    const shown = [0.5, 0.99, 1].flatMap((share) => [quantile(one, share), quantile(other, share)])
    return [name, ...shown.map((ms) => ms.toFixed(1)), (quantile(other, 0.99) / quantile(one, 0.99)).toFixed(2)]
  }
  const head = [
    'of another user, ms',
    'p50 quiet',
    'attacked',
    'p99 quiet',
    'attacked',
    'max quiet',
    'attacked',
    'ratio',
  ]
  const rows = [
    row('recall', ({ recalls }) => recalls),
    row('short store', ({ stores }) => stores),
    row('/livez', ({ livez }) => livez),
  ]
  console.log(`\n${markdownTable(head, rows)}\n\nanswers to the attacker: ${answers}`)
  const ratio = quantile(starved.recalls, 0.99) / quantile(quiet.recalls, 0.99)
  const livezMs = quantile(starved.livez, 1)
  console.log(
    `recall p99 ${ratio.toFixed(2)} times (target: at most ${mostRatio}); slowest /livez ${livezMs.toFixed(0)} ms (target: under ${mostLivezMs})`,
  )
  if (ratio > mostRatio || livezMs >= mostLivezMs) process.exitCode = 1
}
