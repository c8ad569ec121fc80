/** Sends a case to the service through one door, asks its questions, and reads everything that it left. */
import { type DoorService, openDoorService } from '../quality/doors.js'
import type { NaturalCase, Turn } from './cases.js'
import type { FinalMemory, FoundContradiction, Observed, ObservedTurn, OutdatedPart, Result } from './observed.js'

/** Each turn as content, each turn as one message, and all turns in one request. */
export const doors = ['content', 'messages', 'batch'] as const
export type Door = (typeof doors)[number]

export interface Observation {
  readonly observed: Observed
  /** Processor time of each store, in milliseconds. */
  readonly storeMs: readonly number[]
}

export interface Observer {
  observe(one: NaturalCase, door: Door): Promise<Observation>
  close(): Promise<void>
}

/** A new installation with the settings of production; only rate limits are off. A case may be observed only once. */
export async function openObserver(dataDir: string, showPayloads: boolean): Promise<Observer> {
  const service = await openDoorService(dataDir, {})
  const api = apiOf(service, showPayloads)
  return { observe: (one, door) => observe(service, api, one, door), close: () => service.close() }
}

const dayMs = 86_400_000

async function observe(service: DoorService, api: Api, one: NaturalCase, door: Door): Promise<Observation> {
  const user = one.id
  service.setTime(Math.max(...one.turns.map(({ at }) => Date.parse(at))) + dayMs)
  const storeMs: number[] = []
  const turns = await storeAll(api, one, door, user, storeMs)
  const answers: Result[][] = []
  for (const { ask } of one.questions) answers.push(await recall(api, user, ask))
  const memories = await allMemories(api, user, turns)
  const contradictions = await allContradictions(api, user)
  return { observed: { turns, repeatsAreSilent: door === 'batch', memories, contradictions, answers }, storeMs }
}

/* ------------------------------------------------------------------ store */

async function storeAll(
  api: Api,
  { turns }: NaturalCase,
  door: Door,
  user: string,
  storeMs: number[],
): Promise<ObservedTurn[]> {
  const send = async (body: object) => {
    const before = process.cpuUsage()
    const stored = await store(api, { user_id: user, ...body })
    const { user: own, system } = process.cpuUsage(before)
    storeMs.push((own + system) / 1000)
    return stored
  }
  if (door === 'batch') {
    const stored = await send({ messages: turns.map((turn) => ({ ...messageOf(turn), created_at: turn.at })) })
    return turns.map(({ at }) => byTime(stored, at))
  }
  const observed: ObservedTurn[] = []
  for (const turn of turns) {
    const text = door === 'content' ? { content: contentOf(turn) } : { messages: [messageOf(turn)] }
    observed.push(await send({ ...text, created_at: turn.at }))
  }
  return observed
}

export function contentOf({ role, name, content }: Turn): string {
  if (name !== undefined) return `${name}: ${content}`
  return role === 'assistant' ? `Assistant: ${content}` : content
}

function messageOf({ role, name, content }: Turn): object {
  return { role, content, ...(name === undefined ? {} : { name }) }
}

interface StoredMemory {
  readonly id: string
  readonly content: string
  readonly action: 'ADD' | 'UPDATE' | 'NOOP'
  readonly created_at: string
}

interface Stored extends ObservedTurn {
  readonly stored: readonly StoredMemory[]
}

async function store(api: Api, body: object): Promise<Stored> {
  const { status, json } = await api('POST', '/store', body)
  if (status === 400) return { stored: [], refused: true }
  const { memories } = json as { memories: StoredMemory[] }
  return { stored: memories, refused: false }
}

/** The response does not say which message a memory was made from, but the memory has the message's time. */
function byTime({ stored, refused }: Stored, at: string): ObservedTurn {
  return { stored: stored.filter(({ created_at: time }) => Date.parse(time) === Date.parse(at)), refused }
}

/* ------------------------------------------------------------------ read */

interface RecalledMemory {
  readonly id: string
  readonly content: string
  readonly score: number
  readonly outdated?: readonly OutdatedPart[]
}

async function recall(api: Api, user: string, query: string): Promise<Result[]> {
  const { json } = await api('POST', '/recall', { user_id: user, query })
  const { memories } = json as { memories: RecalledMemory[] }
  return memories.map(({ id, content, score, outdated = [] }) => ({ id, content, score, outdated }))
}

interface ReadMemory {
  readonly id: string
  readonly content: string
  readonly superseded_at: string | null
  readonly superseded_by: string | null
  readonly outdated?: readonly OutdatedPart[]
}

/** The list has only current memories; superseded ones can be read by id. */
async function allMemories(api: Api, user: string, turns: readonly ObservedTurn[]): Promise<FinalMemory[]> {
  const listed = await api('GET', `/memories?limit=500&user_id=${encodeURIComponent(user)}`)
  const current = (listed.json as { memories: ReadMemory[] }).memories.map(({ id }) => id)
  const stored = turns.flatMap((turn) => turn.stored.map(({ id }) => id))
  const memories: FinalMemory[] = []
  for (const id of new Set([...stored, ...current])) {
    const { json } = await api('GET', `/memories/${id}?user_id=${encodeURIComponent(user)}`)
    const { memory } = json as { memory: ReadMemory }
    memories.push({
      id,
      content: memory.content,
      superseded: memory.superseded_at !== null,
      supersededBy: memory.superseded_by,
      outdated: memory.outdated ?? [],
    })
  }
  return memories
}

async function allContradictions(api: Api, user: string): Promise<FoundContradiction[]> {
  const { json } = await api('GET', `/contradictions?limit=500&user_id=${encodeURIComponent(user)}`)
  return (json as { contradictions: FoundContradiction[] }).contradictions
}

type Api = (method: 'GET' | 'POST', path: string, body?: object) => Promise<{ status: number; json: unknown }>

/** Only a store may be refused, by content protection. An error shows the response only if that is no secret. */
function apiOf({ app }: DoorService, showPayloads: boolean): Api {
  return async (method, path, body) => {
    const { statusCode, payload } = await app.inject({
      method,
      url: `/api/v1${path}`,
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) }),
    })
    const isRefused = path === '/store' && statusCode === 400 && payload.includes('trust')
    if (statusCode === 200 || isRefused) return { status: statusCode, json: JSON.parse(payload) }
    throw new Error(showPayloads ? `${method} ${path}: ${statusCode} ${payload}` : `${method}: ${statusCode}`)
  }
}
