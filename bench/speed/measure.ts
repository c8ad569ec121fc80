/** Sends the same requests to a running service (or the floor) and records the times. */
import { type Answer, accepted, asRecords, type HttpClient, httpClient } from '../http-client.js'
import { processorMs, type ResidentMemory, residentMemory, type ServiceProcess } from '../service-process.js'
import { indexBytesEach } from './index-size.js'
import { firstUnusedNumber, type Scenario, sentenceNumber, userId } from './scenario.js'
import { sentence } from './sentences.js'

export interface Plan {
  readonly starts: number
  readonly warmUps: number
  /** Number of sequential requests. */
  readonly requests: number
  readonly loadSeconds: number
  readonly connections: number
  /** Number of questions for which recall's ten results are compared with the nearest exact vectors. */
  readonly exactQuestions: number
}

export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

export interface Timed {
  readonly total: Percentiles
  /** By stage, plus `rest`: the time outside all stages (HTTP, JSON, validation, fusion, the client). */
  readonly stages: Readonly<Record<string, Percentiles>>
  readonly exceptModels: Percentiles
  /** Average CPU time of the service per request: the figure that a busy machine affects least. */
  readonly processorMs: number | undefined
  readonly load: { readonly perSecond: number; readonly p50: number; readonly p99: number }
}

export interface Reranked {
  readonly total: Percentiles
  readonly stage: Percentiles
}

export interface Figures {
  readonly readyMs: number
  /** The first recall after a start, including its embedding. */
  readonly firstRecallMs: number
  /** The first recall of a user who is not in memory, including its embedding; only with many users. */
  readonly firstOfUser: Percentiles | undefined
  readonly recall: Timed
  /** Recalls with `enable_rerank`; undefined if nothing reranks. */
  readonly rerank: Reranked | undefined
  readonly store: Timed
  readonly indexBytesEach: number | undefined
  readonly memoryAtReady: ResidentMemory | undefined
  readonly memoryAfterRecalls: ResidentMemory | undefined
  readonly memoryAtEnd: ResidentMemory | undefined
  readonly memoryAfterRerank: ResidentMemory | undefined
}

interface Connections {
  readonly client: HttpClient
  readonly loaders: HttpClient
  readonly pid: number
}

/** One successful request. */
type Ask = (client: HttpClient, turn: number) => Promise<Answer>

export async function measure(scenario: Scenario, plan: Plan, start: () => Promise<ServiceProcess>): Promise<Figures> {
  const recall = recaller(scenario)
  const reranked = recaller(scenario, { enable_rerank: true })
  const store = storer(scenario)
  const { service, readyMs, firstRecallMs, memoryAtReady } = await startRepeatedly(plan, start, recall)
  const client = httpClient(service.root)
  const loaders = httpClient(service.root, plan.connections)
  const connections = { client, loaders, pid: service.pid }
  try {
    const firstOfUser = scenario.users > 1 ? await firstRecalls(client, scenario, plan) : undefined
    await oneByOne(client, recall, plan.warmUps)
    const recalls = await timeAll(connections, recall, plan)
    const memoryAfterRecalls = await residentMemory(service.pid)
    const bytesEach = await indexBytesEach(client)
    await oneByOne(client, store, plan.warmUps)
    const stores = await timeAll(connections, store, plan)
    const memoryAtEnd = await residentMemory(service.pid)
    const rerank = await timeRerank(client, reranked, plan)
    const memoryAfterRerank = await residentMemory(service.pid)
    return {
      ...{ readyMs, firstRecallMs, firstOfUser, recall: recalls, rerank, store: stores },
      ...{ memoryAtReady, memoryAfterRecalls, memoryAtEnd, memoryAfterRerank, indexBytesEach: bytesEach },
    }
  } finally {
    client.close()
    loaders.close()
    await service.stop()
  }
}

async function startRepeatedly(plan: Plan, start: () => Promise<ServiceProcess>, recall: Ask) {
  const readyTimes: number[] = []
  const firstRecallTimes: number[] = []
  for (let attempt = 1; ; attempt++) {
    const service = await start()
    readyTimes.push(service.readyMs)
    const memoryAtReady = await residentMemory(service.pid)
    const client = httpClient(service.root)
    // Always the same user, so that each start uses the same index.
    firstRecallTimes.push((await recall(client, 0)).ms)
    client.close()
    if (attempt === plan.starts) {
      const readyMs = percentiles(readyTimes).p50
      return { service, readyMs, firstRecallMs: percentiles(firstRecallTimes).p50, memoryAtReady }
    }
    await service.stop()
  }
}

async function timeAll(connections: Connections, ask: Ask, plan: Plan): Promise<Timed> {
  const { client, loaders, pid } = connections
  const before = await processorMs(pid)
  const answers = await oneByOne(client, ask, plan.requests)
  const after = await processorMs(pid)
  return {
    total: percentiles(answers.map(({ ms }) => ms)),
    stages: stagePercentiles(answers),
    exceptModels: percentiles(answers.map((answer) => answer.ms - stageMs(answer, 'embed') - stageMs(answer, 'tag'))),
    processorMs: before === undefined || after === undefined ? undefined : (after - before) / plan.requests,
    load: await underLoad(loaders, ask, plan),
  }
}

async function timeRerank(client: HttpClient, ask: Ask, plan: Plan): Promise<Reranked | undefined> {
  await oneByOne(client, ask, Math.ceil(plan.warmUps / 5))
  const answers = await oneByOne(client, ask, Math.ceil(plan.requests / 4))
  const stage = stagePercentiles(answers).rerank
  return stage && { total: percentiles(answers.map(({ ms }) => ms)), stage }
}

async function oneByOne(client: HttpClient, ask: Ask, requests: number): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let turn = 0; turn < requests; turn++) answers.push(await ask(client, turn))
  return answers
}

/** Per stage, and for the time outside all stages. */
function stagePercentiles(answers: readonly Answer[]): Record<string, Percentiles> {
  const names = new Set(answers.flatMap(({ stages }) => [...stages.keys()]))
  const accounted = ({ stages }: Answer) => [...stages.values()].reduce((sum, ms) => sum + ms, 0)
  return {
    ...Object.fromEntries(
      [...names].map((name) => [name, percentiles(answers.map((answer) => stageMs(answer, name)))]),
    ),
    rest: percentiles(answers.map((answer) => answer.ms - accounted(answer))),
  }
}

function stageMs({ stages }: Answer, name: string): number {
  return stages.get(name) ?? 0
}

async function underLoad(client: HttpClient, ask: Ask, plan: Plan): Promise<Timed['load']> {
  const times: number[] = []
  const start = performance.now()
  const end = start + plan.loadSeconds * 1000
  const connection = async (first: number): Promise<void> => {
    for (let turn = first; performance.now() < end; turn += plan.connections) times.push((await ask(client, turn)).ms)
  }
  await Promise.all(Array.from({ length: plan.connections }, (_, index) => connection(index)))
  const { p50, p99 } = percentiles(times)
  return { perSecond: times.length / ((performance.now() - start) / 1000), p50, p99 }
}

/** Users without an earlier recall, each once; their index is not in memory. */
async function firstRecalls(client: HttpClient, scenario: Scenario, plan: Plan): Promise<Percentiles> {
  const times: number[] = []
  // User 0 made the first recall after the start.
  for (let user = 1; user < Math.min(scenario.users, plan.requests); user++) {
    times.push((await recallOnce(client, scenario, user, 0)).ms)
  }
  return percentiles(times)
}

/** Goes through the questions of all memories before it repeats one (with fewer memories than requests it repeats). */
function recaller(scenario: Scenario, options: object = {}): Ask {
  let asked = 0
  return (client, turn) => {
    const memory = (asked++ * 7919) % scenario.memoriesPerUser
    return recallOnce(client, scenario, turn % scenario.users, memory, options)
  }
}

async function recallOnce(
  client: HttpClient,
  scenario: Scenario,
  user: number,
  memory: number,
  options: object = {},
): Promise<Answer> {
  const { question } = sentence(sentenceNumber(scenario, user, memory))
  const answer = await client.send('POST', '/api/v1/recall', {
    query: question,
    user_id: userId(scenario, user),
    limit: 10,
    ...options,
  })
  const { memories } = accepted(answer, 'recall')
  // A fast answer without memories would be a meaningless result.
  if (asRecords(memories, 'recall').length === 0) throw new Error(`recall found nothing for "${question}"`)
  return answer
}

function storer(scenario: Scenario): Ask {
  let number = firstUnusedNumber(scenario)
  return async (client, turn) => {
    const answer = await client.send('POST', '/api/v1/store', {
      content: sentence(number++).text,
      user_id: userId(scenario, turn % scenario.users),
    })
    accepted(answer, 'store')
    return answer
  }
}

/** Nearest rank. */
export function percentiles(values: readonly number[]): Percentiles {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
