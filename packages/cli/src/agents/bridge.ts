/**
 * `keepsake mcp --shared`: passes MCP messages from standard input to the service that agents share, and starts it if needed. Several
 * agents can use one memory this way, although only one process can open a data directory.
 */
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { listen } from './listen.js'
import { type Environment, homeOf, type Place, placeIn, type Service, serviceOf, settingsIn } from './place.js'
import { projectOf } from './project.js'
import { send } from './request.js'
import { saveSettings, settingsFor } from './settings.js'
import { startService } from './start.js'
import { isPersonal } from './words.js'

const startTimeoutMs = 120_000
const answerTimeoutMs = 120_000
const internalError = -32603

type Fields = Readonly<Record<string, unknown>>

/** Runs until the input ends. Messages are answered independently, as the protocol allows. */
export async function bridge(input: Readable, output: Writable, env: Environment, directory: string): Promise<void> {
  const place = placeIn(env)
  if (settingsIn(place) === undefined) saveSettings(place, settingsFor(place, {}, env))
  const scope = { project: projectOf(directory, homeOf(env)) }
  let version: string | undefined
  const pending = new Set<Promise<void>>()
  const write = (message: unknown) => void output.write(`${JSON.stringify(message)}\n`)
  const streams = new Map<unknown, AbortController>()
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    const message = fieldsIn(line)
    if (message === undefined) continue
    if (message.method === 'subscriptions/listen') {
      const ended = new AbortController()
      streams.set(message.id, ended)
      void passListen(place, message, version, ended.signal, write).finally(() => streams.delete(message.id))
      continue
    }
    const cancelled = message.method === 'notifications/cancelled' ? fieldsOf(message.params).requestId : undefined
    const stream = cancelled === undefined ? undefined : streams.get(cancelled)
    if (stream !== undefined) {
      stream.abort()
      continue
    }
    const handled = pass(place, scoped(message, scope.project), version).then((answers) => {
      for (const answer of answers) {
        version = negotiated(message, answer) ?? version
        write(answer)
      }
    })
    pending.add(handled)
    void handled.finally(() => pending.delete(handled))
    // The version that the service chooses is a header of every later message.
    if (message.method === 'initialize') await handled
  }
  for (const stream of streams.values()) stream.abort()
  await Promise.all(pending)
}

async function passListen(
  place: Place,
  message: Fields,
  version: string | undefined,
  signal: AbortSignal,
  write: (message: unknown) => void,
): Promise<void> {
  try {
    const sent = { path: '/mcp', body: message, headers: headersOf(message, version) }
    await listen(await running(place), sent, signal, write)
  } catch (error) {
    write(failure(message.id, error))
  }
}

function failure(id: unknown, error: unknown): object {
  const words = error instanceof Error ? error.message : 'failed'
  return { jsonrpc: '2.0', id, error: { code: internalError, message: `Keepsake: ${words}` } }
}

async function pass(place: Place, message: Fields, version: string | undefined): Promise<unknown[]> {
  try {
    const service = await running(place)
    const sent = { method: 'POST', path: '/mcp', body: message, headers: headersOf(message, version) } as const
    const { status, headers, text } = await send(service, { ...sent, timeoutMs: answerTimeoutMs })
    if (status === 202 || text.trim() === '') return []
    const isStream = headers['content-type']?.startsWith('text/event-stream') ?? false
    return isStream ? eventsIn(text) : [JSON.parse(text)]
  } catch (error) {
    // A notification gets no answer, not even an error.
    if (message.id === undefined) return []
    return [failure(message.id, error)]
  }
}

async function running(place: Place): Promise<Service> {
  for (const end = Date.now() + startTimeoutMs; Date.now() < end; ) {
    const settings = settingsIn(place)
    const service = settings === undefined ? undefined : serviceOf(place, settings)
    if (service !== undefined) return service
    startService(place)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`the service did not start; see ${place.log}`)
}

function headersOf({ method, params }: Fields, version: string | undefined): Record<string, string> {
  const { name, uri, _meta } = fieldsOf(params)
  const stated = fieldsOf(_meta)['io.modelcontextprotocol/protocolVersion']
  const spoken = typeof stated === 'string' ? stated : version
  const subject = typeof name === 'string' ? name : uri
  return {
    accept: 'application/json, text/event-stream',
    ...(spoken === undefined ? {} : { 'mcp-protocol-version': spoken }),
    ...(typeof method === 'string' ? { 'mcp-method': method } : {}),
    ...(typeof subject === 'string' && /^[\x20-\x7e]*$/.test(subject) ? { 'mcp-name': subject } : {}),
  }
}

/**
 * Keeps a model within the project it works in: it stores there and searches there and among the user’s own memories, unless it
 * names a project or filters itself.
 */
export function scoped(message: Fields, project: string | undefined): Fields {
  if (message.method !== 'tools/call' || project === undefined) return message
  const params = fieldsOf(message.params)
  const given = fieldsOf(params.arguments)
  if (['project', 'filter', 'space', 'spaces', 'memory_ids'].some((field) => given[field] !== undefined)) return message
  const more = scopeOf(params.name, given, project)
  return more === undefined ? message : { ...message, params: { ...params, arguments: { ...given, ...more } } }
}

function scopeOf(tool: unknown, { content, all }: Fields, project: string): object | undefined {
  // "Forget everything" is said in one project and must not erase the others.
  if (tool === 'forget_memories') return all === true ? { project } : undefined
  if (tool === 'recall_memories' || tool === 'list_memories')
    return { filter: { or: [{ project }, { project: null }] } }
  if (tool !== 'store_memory') return undefined
  return typeof content === 'string' && isPersonal(content) ? undefined : { project }
}

function negotiated({ method }: Fields, answer: unknown): string | undefined {
  const { protocolVersion } = fieldsOf(fieldsOf(answer).result)
  return method === 'initialize' && typeof protocolVersion === 'string' ? protocolVersion : undefined
}

function eventsIn(text: string): unknown[] {
  return text
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith('data:') && line.length > 6 ? [JSON.parse(line.slice(5))] : []))
}

function fieldsIn(line: string): Fields | undefined {
  if (line.trim() === '') return undefined
  try {
    return fieldsOf(JSON.parse(line))
  } catch {
    // Passed on as it cannot be: the client’s mistake has no id to answer.
    return undefined
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
