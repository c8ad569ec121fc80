/** Stores a person's turns through one door and asks everything, over HTTP in this process with default settings. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compose, type Service } from '../../packages/server/src/boot/compose.js'
import { loadConfig } from '../../packages/server/src/config/config.js'
import { openLocalEmbedder } from '../../packages/server/src/models/embedder/local-embedder.js'
import { openSpanReader } from '../../packages/server/src/models/tagger/span-reader.js'
import type { Turn } from '../natural/cases.js'
import { contentOf } from '../natural/doors.js'
import { cachedReader } from '../quality/reading-cache.js'
import { writeUser } from '../quality/service.js'
import { cachedEmbedder } from '../quality/vector-cache.js'
import type { Person } from './cases.js'
import { fillerUntil } from './filler.js'
import type { Door, Options } from './options.js'
import type { Result } from './score.js'

export interface Observation {
  /** One per question. */
  readonly results: readonly (readonly Result[])[]
  /** One per plan. */
  readonly contexts: readonly string[]
  /** Turns that content protection refused. */
  readonly refused: number
}

export interface Observer {
  /** A person may be observed only once. */
  observe(person: Person, door: Door): Promise<Observation>
  close(): Promise<void>
}

const cacheDirectory = fileURLToPath(new URL('../../.cache/recall/', import.meta.url))
const dayMs = 86_400_000
const contextTokens = 500

/** A new installation with the settings of production; only rate limits are off. */
export async function openObserver(dataDir: string, options: Options): Promise<Observer> {
  const { config } = loadConfig({
    SERVICE_DATA_DIR: dataDir,
    SERVICE_RATE_LIMIT_ENABLED: 'false',
    SERVICE_LOG_LEVEL: 'fatal',
  })
  let now = 0
  const service = await compose(config, {
    ...(options.dilute ? cachedModels() : {}),
    clock: { now: () => now },
    writeAuditLine: () => undefined,
  })
  await service.app.ready()
  const post = posterOf(service.app, !options.sealed)
  return {
    async observe(person, door) {
      const end = Math.max(...person.turns.map(({ at }) => Date.parse(at)))
      now = end + dayMs
      if (options.dilute) await writeUser(service.deps, { documents: fillerUntil(end) }, person.id, false)
      const { turnsOf, refused } = await storeAll(post, person, door)
      const results: Result[][] = []
      const common = { user_id: person.id, enable_rerank: options.rerank }
      for (const { ask } of person.questions) {
        const { memories } = await recall(post, { ...common, query: ask })
        results.push(memories.map(({ id, content, score }) => ({ turns: turnsOf.get(id) ?? [], content, score })))
      }
      const contexts: string[] = []
      for (const { ask } of person.plans) {
        const { context } = await recall(post, { ...common, query: ask, max_tokens: contextTokens })
        contexts.push(context)
      }
      return { results, contexts, refused }
    },
    close: () => service.close(),
  }
}

/** The unrelated memories are the same for everyone, so each text needs the models once. */
function cachedModels() {
  return {
    openEmbedder: async () => cachedEmbedder(await openLocalEmbedder(), cacheDirectory, console.log),
    openSpanReader: async () => cachedReader(await openSpanReader(), join(cacheDirectory, 'readings')),
  }
}

/* ------------------------------------------------------------------ store */

async function storeAll(post: Post, { id: user, turns }: Person, door: Door) {
  const turnsOf = new Map<string, number[]>()
  let refused = 0
  for (const [index, turn] of turns.entries()) {
    const { status, json } = await post('/store', { user_id: user, created_at: turn.at, ...textOf(turn, door) })
    if (status === 400) {
      refused += 1
      continue
    }
    // The service validates its own responses in the tests.
    const { memories } = json as { memories: { id: string }[] }
    // A repetition returns the existing memory, which then belongs to both turns.
    for (const { id } of memories) turnsOf.set(id, [...(turnsOf.get(id) ?? []), index])
  }
  return { turnsOf, refused }
}

function textOf(turn: Turn, door: Door): object {
  if (door === 'content') return { content: contentOf(turn) }
  const { role, name, content } = turn
  return { messages: [{ role, content, ...(name === undefined ? {} : { name }) }] }
}

/* ------------------------------------------------------------------ recall */

interface Recalled {
  readonly memories: readonly { readonly id: string; readonly content: string; readonly score: number }[]
  readonly context: string
}

async function recall(post: Post, body: object): Promise<Recalled> {
  const { json } = await post('/recall', body)
  // The service validates its own responses in the tests.
  return json as Recalled
}

type Post = (path: string, body: object) => Promise<{ readonly status: number; readonly json: unknown }>

/** Only a store may be refused, by content protection. An error shows the response only if that is no secret. */
function posterOf(app: Service['app'], showPayloads: boolean): Post {
  return async (path, body) => {
    const { statusCode: status, payload } = await app.inject({ method: 'POST', url: `/api/v1${path}`, payload: body })
    const isRefused = path === '/store' && status === 400 && payload.includes('trust')
    if (status === 200 || isRefused) return { status, json: JSON.parse(payload) }
    throw new Error(showPayloads ? `POST ${path}: ${status} ${payload}` : `POST ${path}: ${status}`)
  }
}
