/** The Python client as a door: one Python process calls the matching method for each operation. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Door, Outcome } from '../../server/test/attack/door.js'
import { type Address, type Fields, fieldsOf, placeIn } from './doors.js'

const python = process.env.PYTHON ?? 'python3'
const script = fileURLToPath(new URL('./python-door.py', import.meta.url))
const sources = fileURLToPath(new URL('../../../clients/python/src', import.meta.url))

interface Call {
  readonly method: string
  /** By position. Fields with these names are not passed again. */
  readonly arguments: readonly unknown[]
  readonly options: Fields
  /** The name of the answer, where the client returns only a part of it. */
  readonly as?: string
}

type Write = (fields: Fields, id: string) => Call

const byId =
  (method: string, as?: string): Write =>
  (options, id) => ({ method, arguments: [id], options, ...(as === undefined ? {} : { as }) })
const byFields =
  (method: string, as?: string): Write =>
  (options) => ({ method, arguments: [], options, ...(as === undefined ? {} : { as }) })

function ofItem(method: string, as?: string): Write {
  return ({ value, ...options }, id) => {
    const { namespace, key } = placeIn(id)
    const given = method === 'items.put' ? [namespace, key, value ?? null] : [namespace, key]
    return { method, arguments: given, options, ...(as === undefined ? {} : { as }) }
  }
}

const calls: Readonly<Record<string, Write>> = {
  storeMemories: ({ content, messages, ...options }) => ({
    method: 'store',
    arguments: [content ?? messages],
    options,
  }),
  recallMemories: ({ query, ...options }) => ({ method: 'recall', arguments: [String(query)], options }),
  getProfile: ({ topics, ...rest }, id) => ({
    method: 'profile',
    arguments: [],
    options: { ...rest, user_id: id, ...(topics === undefined ? {} : { topics: listOf(topics) }) },
  }),
  listMemories: byFields('list_page'),
  getMemory: byId('get', 'memory'),
  getMemoryHistory: byId('history_page'),
  updateMemory: byId('update'),
  releaseMemory: byId('release', 'memory'),
  deleteMemories({ memory_ids: ids, all, ...options }) {
    if (all !== undefined) return { method: 'forget', arguments: [], options: { ...options, all: true } }
    return { method: 'forget', arguments: ids === undefined ? [] : [listOf(ids)], options }
  },
  deleteMemory: byId('forget'),
  listEntities: byFields('entities.list_page'),
  getEntity: byId('entities.get', 'entity'),
  getEntityRelationships: byId('entities.relationships'),
  getEntityMemories: byId('entities.memories_page'),
  getGraph: byFields('entities.graph'),
  listContradictions: byFields('contradictions.list_page'),
  getContradiction: byId('contradictions.get', 'contradiction'),
  acceptContradiction: byId('contradictions.accept', 'contradiction'),
  revertContradiction: byId('contradictions.revert', 'contradiction'),
  getDecayReport: byFields('decay.report'),
  runCleanup: byFields('cleanup'),
  listEvents: byFields('events_page'),
  putItem: ofItem('items.put'),
  getItem: ofItem('items.get', 'item'),
  listItemVersions: ofItem('items.versions', 'versions'),
  deleteItem: ofItem('items.delete', 'deleted'),
  deleteItems: byFields('items.delete_all', 'deleted'),
  listItems: byFields('items.list_page'),
  listNamespaces: byFields('items.namespaces_page'),
  searchItems: ({ query, ...options }) => ({
    method: 'items.search',
    arguments: query === undefined ? [] : [query],
    options,
  }),
  createSpace: ({ name, ...options }) => ({ method: 'spaces.create', arguments: [String(name)], options }),
  listSpaces: byFields('spaces.list', 'spaces'),
  getSpace: byId('spaces.get'),
  renameSpace: ({ name, ...options }, id) => ({ method: 'spaces.rename', arguments: [id, String(name)], options }),
  deleteSpace: byId('spaces.delete', 'deleted'),
  listMembers: byId('spaces.members', 'members'),
  setMember: ({ member, role, ...options }, id) => ({
    method: 'spaces.set_member',
    arguments: [id, String(member), String(role)],
    options,
  }),
  removeMember: ({ member, ...options }, id) => ({
    method: 'spaces.remove_member',
    arguments: [id, String(member)],
    options,
  }),
  listGrants: byFields('grants.list', 'grants'),
  listKeys: byFields('keys.list', 'keys'),
}

/** In a query string, lists are separated by commas. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : String(value).split(',')
}

interface Answered {
  readonly answer?: unknown
  readonly status?: number | null
  readonly error?: object
}

export interface PythonDoors {
  door(url: Address): Door
  close(): void
}

/** Null: there is no Python here. */
export function pythonDoors(): PythonDoors | null {
  if (spawnSync(python, ['--version']).status !== 0) return null
  const child = spawn(python, [script], {
    env: { PATH: process.env.PATH ?? '', PYTHONPATH: sources, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ask = asking(child)
  return {
    door: (url) => ({
      name: 'Python client',
      offers: ({ description }) => Object.hasOwn(calls, String(description.operationId)),
      async perform({ operation, key, id = '', ...attempt }) {
        const write = calls[String(operation.description.operationId)]
        if (write === undefined) throw new Error('the Python client has no such method')
        const { as, ...call } = write(typed(fieldsOf(attempt)), id)
        return outcomeOf(await ask({ ...call, url: await url(), key }), as)
      },
    }),
    close: () => child.stdin?.end(),
  }
}

/** Answers arrive in the order of the requests. */
function asking({ stdin, stdout }: ChildProcess): (request: object) => Promise<Answered> {
  if (!stdin || !stdout) throw new Error('Python has no pipes')
  const waiting: { resolve(answered: Answered): void; reject(error: Error): void }[] = []
  const lines = createInterface({ input: stdout })
  lines.on('line', (line) => waiting.shift()?.resolve(JSON.parse(line) as Answered))
  lines.on('close', () => {
    for (const { reject } of waiting.splice(0)) reject(new Error('the Python process has ended; its error is above'))
  })
  return (request) =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject })
      stdin.write(`${JSON.stringify(request)}\n`)
    })
}

/** A query string has only text, whereas a program passes booleans and objects. */
function typed(fields: Fields): Fields {
  const meant = (name: string, value: unknown) => {
    if (value === 'true' || value === 'false') return value === 'true'
    return name === 'filter' && typeof value === 'string' ? JSON.parse(value) : value
  }
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, meant(name, value)]))
}

function outcomeOf({ answer, status, error }: Answered, as: string | undefined): Outcome {
  if (error !== undefined) {
    const body = { error }
    // A request that the client refuses to send has no status and counts as a bad request.
    return { status: status ?? 400, answer: JSON.stringify(body), body, aside: '' }
  }
  const isMissing = as === 'item' && answer === null
  const body = as === undefined ? answer : { [as]: typeof answer === 'boolean' ? Number(answer) : answer }
  return { status: isMissing ? 404 : 200, answer: JSON.stringify(body), body, aside: '' }
}
