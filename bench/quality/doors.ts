/**
 * The same conversations through each way in which an application may send them, with the settings of a new installation:
 * stored by `POST /store`, asked by `POST /recall`. A memory answers a question if it was made from a turn that does.
 */
import { compose, type Service } from '../../packages/server/src/boot/compose.js'
import type { Overrides } from '../../packages/server/src/boot/overrides.js'
import { loadConfig } from '../../packages/server/src/config/config.js'
import { markdownTable } from '../table.js'
import { type Outcome, shareInterval, summarize } from './metrics.js'
import {
  type Corpus,
  type Document,
  type Question,
  type RetrievalTask,
  requestsOf,
  type Source,
  saidIn,
} from './task.js'

/** Each turn as the content "Name: text", each turn as one message, and many messages per request. */
export const doors = ['content', 'messages', 'batches'] as const
export type Door = (typeof doors)[number]

export function isDoor(name: string): name is Door {
  return doors.some((door) => door === name)
}

export interface DoorResult {
  readonly door: Door
  readonly task: RetrievalTask
  readonly split: string
  readonly turns: number
  /** Those that recall may return, after everything was stored. */
  readonly memories: number
  /** Requests that content protection refused. */
  readonly refused: number
  readonly outcomes: readonly Outcome[]
}

export interface DoorService {
  readonly app: Service['app']
  setTime(ms: number): void
  close(): Promise<void>
}

export async function openDoorService(
  dataDir: string,
  models: Pick<Overrides, 'openEmbedder' | 'openSpanReader'>,
): Promise<DoorService> {
  const { config } = loadConfig({
    SERVICE_DATA_DIR: dataDir,
    SERVICE_RATE_LIMIT_ENABLED: 'false',
    SERVICE_LOG_LEVEL: 'fatal',
  })
  let now = 0
  const service = await compose(config, { ...models, clock: { now: () => now }, writeAuditLine: () => undefined })
  await service.app.ready()
  return {
    app: service.app,
    setTime(ms) {
      now = ms
    },
    close: () => service.close(),
  }
}

export async function throughDoor(
  service: DoorService,
  task: RetrievalTask,
  source: Source,
  door: Door,
): Promise<DoorResult> {
  const outcomes: Outcome[] = []
  let [turns, memories, refused] = [0, 0, 0]
  for await (const loaded of task.load(source)) {
    const corpus = { ...loaded, documents: withTimesApart(loaded.documents) }
    const userId = `${corpus.id}/${door}`
    service.setTime(afterAll(corpus))
    const unitAt = unitsByTime(corpus, task.unit)
    let stored = 0
    const storeUpTo = async (end: number) => {
      refused += await storeAll(service, corpus.documents.slice(stored, end), userId, door)
      stored = Math.max(stored, end)
    }
    for (const question of inOrder(corpus)) {
      await storeUpTo(question.seen ?? corpus.documents.length)
      if (question.answerable) outcomes.push(await asked(service, userId, question, unitAt, task))
    }
    await storeUpTo(corpus.documents.length)
    turns += corpus.documents.length
    memories += await countMemories(service, userId)
  }
  const split = source.full ? 'all' : task.smallSplit
  return { door, task, split, turns, memories, refused, outcomes }
}

const dayMs = 86_400_000

function afterAll({ documents }: Corpus): number {
  return documents.reduce((latest, { createdAt }) => Math.max(latest, createdAt), 0) + dayMs
}

/** Two sessions of one minute: a millisecond later is close enough. */
function withTimesApart(documents: readonly Document[]): Document[] {
  const taken = new Set<number>()
  return documents.map((document) => {
    let { createdAt } = document
    while (taken.has(createdAt)) createdAt += 1
    taken.add(createdAt)
    return { ...document, createdAt }
  })
}

/** Questions that see fewer documents come first. */
function inOrder({ documents, questions }: Corpus): Question[] {
  const seen = (question: Question) => question.seen ?? documents.length
  return questions.toSorted((a, b) => seen(a) - seen(b))
}

/** The store does not say which message a memory was made from, but the memory has the message's time. */
function unitsByTime({ documents }: Corpus, unit: RetrievalTask['unit']): ReadonlyMap<number, string> {
  const unitAt = new Map(documents.map((document) => [document.createdAt, document[unit]]))
  if (unitAt.size < documents.length) throw new Error('two turns have the same time')
  return unitAt
}

/* ------------------------------------------------------------------ store */

/** Returns the number of refused requests. */
async function storeAll(
  { app }: DoorService,
  documents: readonly Document[],
  userId: string,
  door: Door,
): Promise<number> {
  let refused = 0
  for (const body of bodiesOf(documents, door)) {
    const { status, payload } = await call(app, 'POST', '/store', {
      user_id: userId,
      // Some questions of LongMemEval are about the assistant's answers.
      remember_assistant: true,
      ...body,
    })
    if (status === 400 && payload.includes('trust')) refused += 1
    else if (status !== 200) throw new Error(`POST /store: ${status} ${payload}`)
  }
  return refused
}

function* bodiesOf(documents: readonly Document[], door: Door): Generator<object> {
  if (door === 'batches') {
    for (const turns of requestsOf(documents)) yield { messages: turns.map(messageOf) }
    return
  }
  for (const document of documents) {
    if (door === 'messages') yield { messages: [messageOf(document)] }
    else yield { content: document.content, created_at: timeOf(document) }
  }
}

function messageOf(document: Document): object {
  const { speakerName } = document
  const isAssistant = speakerName === 'Assistant'
  return {
    role: isAssistant ? 'assistant' : 'user',
    content: saidIn(document),
    created_at: timeOf(document),
    ...(speakerName === undefined || isAssistant ? {} : { name: speakerName }),
  }
}

function timeOf({ createdAt }: Document): string {
  return new Date(createdAt).toISOString()
}

/* ------------------------------------------------------------------ recall */

async function asked(
  { app }: DoorService,
  userId: string,
  { id, text, category, gold }: Question,
  unitAt: ReadonlyMap<number, string>,
  { unit, recallLimit }: RetrievalTask,
): Promise<Outcome> {
  const body = { user_id: userId, query: text, limit: recallLimit }
  const { status, payload } = await call(app, 'POST', '/recall', body)
  if (status !== 200) throw new Error(`POST /recall: ${status} ${payload}`)
  // The service validates its own responses in the tests.
  const { memories } = JSON.parse(payload) as { memories: { created_at: string; score: number }[] }
  const places = memories.map(({ created_at: time }) => unitAt.get(Date.parse(time)))
  // A session ranks by its best memory.
  const found = unit === 'session' ? [...new Set(places)] : places
  const ranks = gold.map((key) => found.indexOf(key) + 1).filter((rank) => rank > 0)
  return {
    id,
    category,
    answerable: true,
    goldCount: gold.length,
    ranks: ranks.sort((a, b) => a - b),
    topScore: memories[0]?.score ?? 0,
  }
}

async function countMemories({ app }: DoorService, userId: string): Promise<number> {
  const { payload } = await call(app, 'GET', `/memories?limit=1&user_id=${encodeURIComponent(userId)}`)
  return (JSON.parse(payload) as { total: number }).total
}

async function call(
  app: Service['app'],
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly payload: string }> {
  const response = await app.inject({
    method,
    url: `/api/v1${path}`,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) }),
  })
  return { status: response.statusCode, payload: response.payload }
}

/* ------------------------------------------------------------------ report */

const columns = ['any@1', 'any@5', 'any@10'] as const

export function doorTable(results: readonly DoorResult[]): string {
  return markdownTable(
    ['through POST /store', 'turns', 'memories', 'refused', 'questions', ...columns, '95% interval of any@10'],
    results.map(({ door, task, split, turns, memories, refused, outcomes }) => {
      const summary = summarize(outcomes)
      const figures = columns.map((column) => (100 * (summary?.metrics[column] ?? 0)).toFixed(1))
      const counts = [turns, memories, refused, summary?.questions ?? 0].map(String)
      return [`${task.title} (${split}): ${door}`, ...counts, ...figures, intervalText(outcomes)]
    }),
  )
}

function intervalText(outcomes: readonly Outcome[]): string {
  const summary = summarize(outcomes)
  if (summary === undefined) return ''
  return shareInterval(summary.metrics['any@10'], summary.questions)
    .map((share) => (100 * share).toFixed(1))
    .join(' to ')
}

export function doorJson({ door, task, split, turns, memories, refused, outcomes }: DoorResult) {
  return {
    task: task.name,
    split,
    door,
    turns,
    memories,
    refused,
    ...summarize(outcomes),
    outcomes: outcomes.map(({ id, goldCount, ranks }) => ({ id, goldCount, ranks })),
  }
}
