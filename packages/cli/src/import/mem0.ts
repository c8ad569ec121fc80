/** Reads the results of mem0's `getAll`, `get_all` and exports: an array, or an object with `results` or `memories`. */
import { cleanMetadata, cleanText, isBlank, momentOf } from './clean.js'
import { fieldsOf, leftOut, listOf, type Read, textOf } from './item.js'
import type { JsonElement } from './json-elements.js'
import { elementsOf } from './json-source.js'
import { itemsOf, textPieces } from './pieces.js'
import type { Reader } from './reader.js'

const arrays: ReadonlySet<string | null> = new Set([null, 'results', 'memories'])

export const mem0: Reader = {
  isFile: (name) => /\.(?:json|jsonl|ndjson)$/i.test(name),
  isJson: (value) => isMem0(value) || ['results', 'memories'].some((key) => listOf(fieldsOf(value)[key]).some(isMem0)),
  users: (file) => mem0Users(elementsOf(file)),
  read: (file, options) => readMem0(elementsOf(file), options),
}

function isMem0(value: unknown): boolean {
  return typeof fieldsOf(value).memory === 'string'
}

export interface Mem0Options {
  readonly nowMs: number
  /** Read only the memories of this mem0 user. */
  readonly fromUser?: string | undefined
}

export async function* readMem0(elements: AsyncIterable<JsonElement>, options: Mem0Options): AsyncGenerator<Read> {
  let place = 0
  for await (const { key, value } of elements) {
    if (!arrays.has(key)) continue
    place += 1
    const fields = fieldsOf(value)
    const name = textOf(fields.id) || `memory ${place}`
    const isWanted = options.fromUser === undefined || fields.user_id === options.fromUser
    if (isWanted) yield* readMemory(fields, name, options.nowMs)
  }
}

/** The users in the file. Several users must not be merged into one by mistake. */
export async function mem0Users(elements: AsyncIterable<JsonElement>): Promise<string[]> {
  const users = new Set<string>()
  for await (const { key, value } of elements) {
    const user = textOf(fieldsOf(value).user_id)
    if (arrays.has(key) && user !== '') users.add(user)
  }
  return [...users]
}

/** mem0 fields to keep as metadata. Its hash and score have no meaning here. */
const labels = ['user_id', 'agent_id', 'app_id', 'run_id', 'actor_id', 'role', 'categories', 'expiration_date'] as const

function* readMemory(fields: Readonly<Record<string, unknown>>, name: string, nowMs: number): Generator<Read> {
  const text = cleanText(textOf(fields.memory))
  if (isBlank(text)) return yield leftOut(name, 'it has no text')
  const expires = momentOf(fields.expiration_date, Number.POSITIVE_INFINITY)
  if (expires !== undefined && Date.parse(expires) <= nowMs) return yield leftOut(name, 'it has expired')
  // The text is from the last update, and dates decide which of two facts is newer.
  const createdAt = momentOf(fields.updated_at, nowMs) ?? momentOf(fields.created_at, nowMs)
  const own = labels.flatMap((label) => (isTold(fields[label]) ? [[`mem0_${label}`, fields[label]]] : []))
  const metadata = cleanMetadata({
    ...fieldsOf(fields.metadata),
    ...Object.fromEntries(own),
    mem0_id: fields.id ?? null,
  })
  yield* itemsOf(name, textPieces(text), { source: 'mem0', metadata, createdAt })
}

function isTold(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}
