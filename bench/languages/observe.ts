/** Stores notes and changes one by one and asks everything, over HTTP in this process with default settings. */
import { compose, type Service } from '../../packages/server/src/boot/compose.js'
import { loadConfig } from '../../packages/server/src/config/config.js'
import type { MixedQuestion, Person } from './cases.js'
import type { FoundEntity, PersonObserved, StoredMemory } from './score.js'

/** What became of one text that was stored alone. */
export type Fate = 'refused' | 'flagged' | 'stored' | 'nothing'

export interface Observer {
  /** A person may be observed only once. `mixed` returns the ids of the memories that were recalled, best first. */
  observe(person: Person, mixed: readonly MixedQuestion[]): Promise<{ own: PersonObserved; mixed: string[][] }>
  /** Under a new user, so that no other text plays a part. */
  fateOf(text: string, user: string): Promise<Fate>
  close(): Promise<void>
}

const firstDayMs = Date.UTC(2025, 2, 3, 9)
const dayMs = 86_400_000

/** A new installation with the settings of production; only rate limits are off. */
export async function openObserver(dataDir: string, showPayloads: boolean): Promise<Observer> {
  const { config } = loadConfig({
    SERVICE_DATA_DIR: dataDir,
    SERVICE_RATE_LIMIT_ENABLED: 'false',
    SERVICE_LOG_LEVEL: 'fatal',
  })
  let now = firstDayMs
  const service = await compose(config, { clock: { now: () => now }, writeAuditLine: () => undefined })
  await service.app.ready()
  const call = callerOf(service.app, showPayloads)
  return {
    async observe(person, mixed) {
      now = firstDayMs
      const stored = new Map<string, StoredMemory[] | null>()
      const store = async ({ id, text }: { id: string; text: string }) => {
        // One per day, so that none is taken for the next turn of a conversation.
        now += dayMs
        const answer = await storeText(call, person.id, text)
        stored.set(id, answer?.memories ?? null)
      }
      for (const note of person.notes) await store(note)
      const { entities } = await call<{ entities: FoundEntity[] }>('GET', `/entities?limit=500&user_id=${person.id}`)
      for (const change of person.changes) await store(change)
      now += dayMs
      const answers: string[][] = []
      for (const { text } of person.questions) answers.push(await recalled(call, person.id, text))
      const others: string[][] = []
      for (const { question } of mixed) others.push(await recalled(call, person.id, question))
      const ended = await endedOf(
        call,
        [...stored.values()].flatMap((memories) => memories ?? []),
      )
      return { own: { stored, entities, ended, answers }, mixed: others }
    },
    async fateOf(text, user) {
      const answer = await storeText(call, user, text)
      if (answer === null) return 'refused'
      if (answer.memories.length === 0) return 'nothing'
      return answer.memories.some(({ flagged }) => flagged === true) ? 'flagged' : 'stored'
    },
    close: () => service.close(),
  }
}

interface StoreAnswer {
  readonly memories: (StoredMemory & { readonly flagged?: boolean })[]
}

/** Null if content protection refused the text. */
async function storeText(call: Call, user: string, text: string): Promise<StoreAnswer | null> {
  return call<StoreAnswer | null>('POST', '/store', { user_id: user, content: text })
}

async function recalled(call: Call, user: string, query: string): Promise<string[]> {
  const { memories } = await call<{ memories: { id: string }[] }>('POST', '/recall', { user_id: user, query })
  return memories.map(({ id }) => id)
}

async function endedOf(call: Call, memories: readonly StoredMemory[]): Promise<Set<string>> {
  const ended = new Set<string>()
  for (const { id } of memories) {
    const { memory } = await call<{ memory: { superseded_at: string | null; outdated?: unknown[] } }>(
      'GET',
      `/memories/${id}`,
    )
    if (memory.superseded_at !== null || (memory.outdated ?? []).length > 0) ended.add(id)
  }
  return ended
}

type Call = <T>(method: 'GET' | 'POST', path: string, body?: object) => Promise<T>

/** Only a store may be refused, by content protection. An error shows the response only if that is no secret. */
function callerOf(app: Service['app'], showPayloads: boolean): Call {
  return async <T>(method: 'GET' | 'POST', path: string, body?: object) => {
    const { statusCode: status, payload } = await app.inject({
      method,
      url: `/api/v1${path}`,
      ...(body === undefined ? {} : { payload: body }),
    })
    const isRefused = path === '/store' && status === 400 && payload.includes('trust')
    if (status !== 200 && !isRefused)
      throw new Error(showPayloads ? `${method} ${path}: ${status} ${payload}` : `${method} ${path}: ${status}`)
    // On a busy machine the service continues without a model that is too slow, which is not measured here.
    if (payload.includes('"degraded":'))
      throw new Error(`${method} ${path} ran without a model: repeat on an idle machine`)
    // The service validates its own responses in the tests.
    return (isRefused ? null : JSON.parse(payload)) as T
  }
}
