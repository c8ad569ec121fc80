/**
 * Callers: a closed loop (a number of connections that send the next request as soon as one is answered), or an open
 * loop (a stream of requests that does not wait for answers).
 */
import { type Answer, type HttpClient, httpClient } from '../http-client.js'
import { type Random, random } from '../random.js'
import { type Percentiles, percentiles } from '../speed/measure.js'
import { firstUnusedNumber, type Scenario, sentenceNumber, userId } from '../speed/scenario.js'
import { sentence } from '../speed/sentences.js'

export type Verb = 'recall' | 'store'

const usualRecallShare = 0.8
/** As real callers do: a later answer is useless. */
const patienceMs = 10_000

export interface Target {
  /** One per instance: requests alternate between them. */
  readonly roots: readonly string[]
  readonly scenario: Scenario
  /** All users have the same texts as the first. */
  readonly sharesTexts: boolean
  /** Derives the query of a recall; by default the question that a memory answers. */
  readonly question?: (question: string) => string
  /** Share of recalls among the requests; by default four recalls per store. */
  readonly recallShare?: number
}

export interface Measured {
  readonly perSecond: number
  readonly times: Readonly<Record<Verb, Percentiles>>
  readonly counts: Readonly<Record<Verb, number>>
  /** By status, or by error. */
  readonly failures: ReadonlyMap<string, number>
}

export interface Overloaded {
  readonly offeredPerSecond: number
  /** Answered with 2xx in time. */
  readonly goodPerSecond: number
  readonly refusedPerSecond: number
  readonly otherwise: ReadonlyMap<string, number>
  readonly times: Percentiles
  /** Response time of a 503. */
  readonly refusalTimes: Percentiles
  /** From the end of the stream to the first answer within twice the usual time. */
  readonly recoveryMs: number
}

/** Makes sentences unique, also compared with an earlier run on the same data. */
let stored = 0

class Traffic {
  readonly #clients: readonly HttpClient[]
  readonly #random: Random
  #turn = 0

  constructor(
    private readonly target: Target,
    connections: number,
    timeoutMs: number,
    seed: number,
  ) {
    this.#clients = target.roots.map((root) => httpClient(root, connections, timeoutMs))
    this.#random = random(seed)
  }

  pickVerb(): Verb {
    return this.#random() < (this.target.recallShare ?? usualRecallShare) ? 'recall' : 'store'
  }

  ask(verb: Verb, user = Math.floor(this.#random() * this.target.scenario.users)): Promise<Answer> {
    const client = this.#clients[this.#turn++ % this.#clients.length]
    if (!client) throw new Error('there is no instance to send requests to')
    const { scenario, sharesTexts, question = (text: string) => text } = this.target
    if (verb === 'store') {
      const { text } = sentence(firstUnusedNumber(scenario) + stored++)
      return client.send('POST', '/api/v1/store', { content: text, user_id: userId(scenario, user) })
    }
    const memory = Math.floor(this.#random() * scenario.memoriesPerUser)
    const asked = sentence(sentenceNumber(scenario, sharesTexts ? 0 : user, memory))
    const body = { query: question(asked.question), user_id: userId(scenario, user), limit: 10 }
    return client.send('POST', '/api/v1/recall', body)
  }

  close(): void {
    for (const client of this.#clients) client.close()
  }
}

/** One recall per user and instance, which loads the user's data into the index; of all users, or of some. */
export async function firstRecalls(
  target: Target,
  connections: number,
  { from, to } = { from: 0, to: target.scenario.users },
): Promise<Percentiles> {
  const times: number[] = []
  for (const root of target.roots) {
    const traffic = new Traffic({ ...target, roots: [root] }, connections, 60_000, 11)
    let next = from
    const connection = async (): Promise<void> => {
      while (next < to) {
        const { answer } = await outcome(traffic.ask('recall', next++))
        if (answer) times.push(answer.ms)
      }
    }
    await Promise.all(Array.from({ length: connections }, connection))
    traffic.close()
  }
  return percentiles(times)
}

/**
 * Each connection sends the next request as soon as it is answered. Requests in flight at the end are awaited but not
 * counted.
 */
export async function closedLoop(target: Target, connections: number, seconds: number): Promise<Measured> {
  const traffic = new Traffic(target, connections, 60_000, 17)
  const times: Record<Verb, number[]> = { recall: [], store: [] }
  const failures = new Map<string, number>()
  const startedAt = performance.now()
  const end = startedAt + seconds * 1000
  let inTime = 0
  const connection = async (): Promise<void> => {
    while (performance.now() < end) {
      const verb = traffic.pickVerb()
      const { answer, failure } = await outcome(traffic.ask(verb))
      if (failure !== undefined) failures.set(failure, (failures.get(failure) ?? 0) + 1)
      else if (answer) times[verb].push(answer.ms)
      if (performance.now() < end && failure === undefined) inTime += 1
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  traffic.close()
  return {
    perSecond: inTime / seconds,
    times: { recall: percentiles(times.recall), store: percentiles(times.store) },
    counts: { recall: times.recall.length, store: times.store.length },
    failures,
  }
}

/** Sends requests at fixed times, whatever happens to earlier ones. */
export async function openLoop(
  target: Target,
  perSecond: number,
  seconds: number,
  usualMs: number,
): Promise<Overloaded> {
  const traffic = new Traffic(target, 4_000, patienceMs, 23)
  const good: number[] = []
  const refused: number[] = []
  const otherwise = new Map<string, number>()
  const waiting = new Set<Promise<void>>()
  const startedAt = performance.now()
  const total = Math.round(perSecond * seconds)
  for (let sent = 0; sent < total; sent++) {
    const dueAt = startedAt + (sent / perSecond) * 1000
    const waitMs = dueAt - performance.now()
    if (waitMs > 1) await new Promise((resolve) => setTimeout(resolve, waitMs))
    else if (sent % 20 === 0) await new Promise((resolve) => setImmediate(resolve))
    const asked = outcome(traffic.ask(traffic.pickVerb())).then(({ answer, failure }) => {
      if (failure === undefined && answer) good.push(answer.ms)
      else if (answer?.status === 503) refused.push(answer.ms)
      else otherwise.set(failure ?? '', (otherwise.get(failure ?? '') ?? 0) + 1)
      waiting.delete(asked)
    })
    waiting.add(asked)
  }
  // The stream may have fallen behind its schedule: the real duration counts.
  const tookSeconds = (performance.now() - startedAt) / 1000
  const goodInTime = good.length
  const refusedInTime = refused.length
  const endedAt = performance.now()
  let recoveryMs = Number.POSITIVE_INFINITY
  while (performance.now() < endedAt + 60_000) {
    const { answer, failure } = await outcome(traffic.ask('recall'))
    if (failure === undefined && answer && answer.ms < 2 * usualMs) {
      recoveryMs = performance.now() - endedAt
      break
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await Promise.all(waiting)
  traffic.close()
  return {
    offeredPerSecond: total / tookSeconds,
    goodPerSecond: goodInTime / tookSeconds,
    refusedPerSecond: refusedInTime / tookSeconds,
    otherwise,
    times: percentiles(good),
    refusalTimes: percentiles(refused),
    recoveryMs,
  }
}

async function outcome(asked: Promise<Answer>): Promise<{ answer?: Answer; failure?: string }> {
  try {
    const answer = await asked
    const isGood = answer.status >= 200 && answer.status <= 299
    return isGood ? { answer } : { answer, failure: String(answer.status) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer in time'
    return { failure: code }
  }
}
