/**
 * `npm run bench:load -- --large 2000k`: a user who is too large for memory (ADR 37) beside 1,000 small ones, on SQLite. The small ones'
 * times are compared within one run: without the large user, with the large user idle, with one request of theirs for each of a small
 * user, and with the large user asking all the time.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { httpClient } from '../http-client.js'
import { random } from '../random.js'
import { type Percentiles, percentiles } from '../speed/measure.js'
import { parseScenario, type Scenario, sentenceNumber, userId } from '../speed/scenario.js'
import type { Seeds } from '../speed/seed.js'
import { sentence } from '../speed/sentences.js'
import { markdownTable } from '../table.js'
import { seedBoth } from './seed-large.js'
import { type LoadedSystem, openSqlite, prepareSqlite } from './systems.js'
import { closedLoop, type Measured, type Target } from './traffic.js'
import { watchUsage } from './usage.js'

const rounds = 3

interface Plan {
  readonly seconds: number
  readonly connections: number
}

interface Phase {
  readonly name: string
  readonly load: Measured
  /** Recalls of the large user. */
  readonly large: Percentiles & { readonly count: number }
  readonly cores: number
  readonly megabytes: number
  readonly peakMegabytes: number
}

export interface BesideLarge {
  readonly memories: number
  readonly phases: readonly Phase[]
}

/**
 * `small`: the scenario of the others.
 * @param keptIn - directory for the store, which is filled if it is not there, and stays there.
 */
export async function measureBesideLarge(
  size: string,
  small: Scenario,
  plan: Plan,
  seeds: Seeds,
  scratch: string,
  keptIn?: string,
): Promise<BesideLarge> {
  const scenario = parseScenario(size)
  const dataDir = keptIn ?? join(scratch, `sqlite-large-${size}`)
  await seedBoth(dataDir, small, scenario, seeds)
  const prepared = await prepareSqlite(small, seeds, scratch)
  const phases: Phase[] = []
  const alone = await prepared.open(1)
  try {
    phases.push(await measurePhase('without', alone, small, plan))
  } finally {
    await alone.close()
    await prepared.close()
  }
  const beside = await openSqlite(dataDir, scratch)
  try {
    // The rate of a small user.
    const everyMs = (1000 * small.users) / (phases[0]?.load.perSecond ?? Number.NaN)
    // In turns: on a busy machine, only neighbours can be compared.
    for (let round = 0; round < rounds; round++) {
      phases.push(await measurePhase('idle', beside, small, plan))
      phases.push(await measurePhase('like a small one', beside, small, plan, { scenario, everyMs }))
      phases.push(await measurePhase('all the time', beside, small, plan, { scenario, everyMs: 0 }))
    }
  } finally {
    await beside.close()
  }
  return { memories: scenario.memoriesPerUser, phases }
}

interface LargeCaller {
  readonly scenario: Scenario
  /** From the start of one recall to that of the next; 0: as soon as it is answered. */
  readonly everyMs: number
}

async function measurePhase(
  name: string,
  system: LoadedSystem,
  small: Scenario,
  { seconds, connections }: Plan,
  caller?: LargeCaller,
): Promise<Phase> {
  const target: Target = { roots: system.roots, scenario: small, sharesTexts: system.sharesTexts }
  await closedLoop(target, connections, seconds / 3)
  const watched = await watchUsage(system.groups)
  const ended = { value: false }
  const calling = caller ? callLarge(system, caller, ended) : Promise.resolve([])
  const load = await closedLoop(target, connections, seconds)
  ended.value = true
  const times = await calling
  const used = (await watched()).get('service')
  const [pid] = (await system.groups[0]?.pids()) ?? []
  const phase = {
    ...{ name, load, large: { ...percentiles(times), count: times.length } },
    cores: used?.cores ?? Number.NaN,
    megabytes: used?.megabytes ?? Number.NaN,
    peakMegabytes: await peakMegabytes(pid),
  }
  console.log(`  ${name}: recall p95 ${load.times.recall.p95.toFixed(0)} ms, ${load.perSecond.toFixed(0)} per second`)
  return phase
}

async function callLarge(
  { roots }: LoadedSystem,
  { scenario, everyMs }: LargeCaller,
  ended: { readonly value: boolean },
): Promise<number[]> {
  const client = httpClient(roots[0] ?? '', 1, 120_000)
  const pick = random(29)
  const times: number[] = []
  while (!ended.value) {
    const { question } = sentence(sentenceNumber(scenario, 0, Math.floor(pick() * scenario.memoriesPerUser)))
    const body = { query: question, user_id: userId(scenario, 0), limit: 10, explain: true }
    const startedAt = performance.now()
    const answer = await client.send('POST', '/api/v1/recall', body)
    if (answer.status !== 200) throw new Error(`the large user got a ${answer.status}`)
    times.push(answer.ms)
    while (!ended.value && performance.now() - startedAt < everyMs) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  client.close()
  return times
}

/** The largest amount of memory that the process ever had. */
async function peakMegabytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024
}

export function besideLargeTable({ memories, phases }: BesideLarge): string {
  const three = ({ p50, p95, p99 }: Percentiles) =>
    Number.isNaN(p50) ? '' : [p50, p95, p99].map((ms) => ms.toFixed(0)).join(' / ')
  const ratio = (phase: Phase, verb: 'recall' | 'store') => ratioOf(phases, phase, verb).toFixed(2)
  const rows = phases.map((phase) => [
    phase.name,
    phase.load.perSecond.toFixed(1),
    three(phase.load.times.recall),
    ratio(phase, 'recall'),
    three(phase.load.times.store),
    ratio(phase, 'store'),
    [...phase.load.failures].map(([what, count]) => `${what}: ${count}`).join(', ') || '0',
    String(phase.large.count),
    three(phase.large),
    phase.cores.toFixed(2),
    phase.megabytes.toFixed(0),
    phase.peakMegabytes.toFixed(0),
  ])
  const head = [
    `a user with ${memories.toLocaleString('en-US')} memories`,
    'small: per second',
    'recall ms p50 / p95 / p99',
  ]
  const ratios = ['p95, ratio', 'store ms', 'p95, ratio', 'not 2xx', 'large: recalls', 'ms p50 / p95 / p99']
  return markdownTable([...head, ...ratios, 'cores', 'MB', 'peak MB'], rows)
}

/** To the phase without activity of the large user before it, or without that user. */
function ratioOf(phases: readonly Phase[], phase: Phase, verb: 'recall' | 'store'): number {
  const before = phases.slice(0, phases.indexOf(phase) + 1).filter(({ name }) => name === 'without' || name === 'idle')
  const compared = phase.name === 'idle' ? phases[0] : before.at(-1)
  return phase.load.times[verb].p95 / (compared?.load.times[verb].p95 ?? Number.NaN)
}

/** Printed, never enforced, like the other aims. */
export function besideLargeAims({ phases }: BesideLarge): string {
  const like = phases.filter(({ name }) => name === 'like a small one').map((phase) => ratioOf(phases, phase, 'recall'))
  const ratio = like.sort((a, b) => a - b)[Math.floor(like.length / 2)] ?? Number.NaN
  const peak = Math.max(...phases.map(({ peakMegabytes: megabytes }) => megabytes))
  return [
    `${ratio <= 1.3 ? 'target met' : 'TARGET MISSED'}: recall p95 of the small users is ${ratio.toFixed(2)} times that while the large one is idle (at most 1.3; median of ${rounds} rounds)`,
    `${peak <= 2_000 ? 'target met' : 'TARGET MISSED'}: ${peak.toFixed(0)} MB at most (under 2,000)`,
  ].join('\n')
}
