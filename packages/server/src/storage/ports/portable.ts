/**
 * All that a store keeps, as records that no engine owns: what `keepsake export`, `import` and `migrate` carry. Records come
 * in one order whatever the engine: user by user (by id, byte by byte), and in each user entities, memories with their
 * versions, relationships, documents, contradictions, merges; after all users the texts that wait, webhooks and keys.
 *
 * Rows are named by the user's own numbers. Memories and versions keep theirs, because recall and history go by their
 * order; a memory has the number of its first version. Entities are counted from 1. What nothing refers to has no number:
 * its place among its kind says enough.
 */
import { z } from 'zod'
import { isStorable } from '../domain/storable-text.js'

/** As many row numbers as a user has in every engine. */
export const rowsPerUser = 2 ** 28

/** The model of a version that waits for its vector: found by words until the service has embedded it. */
export const notEmbedded = 'none'

const text = z.string().refine(isStorable, 'has a NUL or half of a surrogate pair, which no store can keep')
const name = text.min(1)
const moment = z.int()
const momentOrNull = moment.nullable()
const count = z.int().nonnegative()
const number = z
  .int()
  .nonnegative()
  .max(rowsPerUser - 2)

/** JSON of the user's making: its strings are texts like any other. */
const json = z.json().superRefine((value, context) => {
  if (!isStorableJson(value)) context.addIssue('has a NUL or half of a surrogate pair, which no store can keep')
})

function isStorableJson(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorableJson(inner))
}

const user = z.strictObject({
  record: z.literal('user'),
  id: name,
  /** Past the highest number of a version: those below are taken. */
  numbers: z
    .int()
    .nonnegative()
    .max(rowsPerUser - 1),
  /** How many follow. */
  entities: count,
  /** What expired up to this moment has been told of. */
  expiry_told: moment,
})

const entity = z.strictObject({
  record: z.literal('entity'),
  number: z.int().positive(),
  id: name,
  type: name,
  name: text,
  name_key: text,
  merged_into: z.int().positive().nullable(),
  spellings: z.array(z.strictObject({ spelling: text, spelling_key: text, uses: count })),
})

const memory = z.strictObject({
  record: z.literal('memory'),
  number,
  id: name,
  source: text,
  created_at: moment,
  /** Number of the version that stands. */
  current: number,
  project: text.nullable(),
  expires_at: momentOrNull,
  content_key: text,
  superseded_at: momentOrNull,
  superseded_by: number.nullable(),
  withdrawn: z.boolean(),
  access_count: count,
  last_accessed: momentOrNull,
})

const version = z.strictObject({
  record: z.literal('version'),
  number,
  memory: number,
  version: z.int().positive(),
  content: text,
  checksum: text,
  metadata: z.record(z.string(), json),
  project: text.nullable(),
  expires_at: momentOrNull,
  trust_score: z.number(),
  flagged: z.boolean(),
  valid_from: moment,
  valid_to: momentOrNull,
  mentions: z.array(z.strictObject({ entity: z.int().positive(), position: count, spellings: z.array(text) })),
  slots: z.array(z.strictObject({ slot: text, value: text })),
  /** Absent where vectors were not asked for, null where there is none yet. The vector: float32, little-endian, base64. */
  embedding: z
    .strictObject({ model: name, vector: z.base64().min(1) })
    .nullable()
    .optional(),
})

const relationship = z.strictObject({
  record: z.literal('relationship'),
  id: name,
  source: z.int().positive(),
  target: z.int().positive(),
  type: name,
  valid_from: moment,
  valid_to: momentOrNull,
  told_at: moment,
  exclusive: z.boolean(),
  tellings: z.array(
    z.strictObject({
      version: number,
      properties: z.record(z.string(), json),
      exclusive: z.boolean(),
      starts_at: momentOrNull,
      ends_at: momentOrNull,
    }),
  ),
  ends: z.array(z.strictObject({ version: number, ends_at: moment })),
})

const document = z.strictObject({
  record: z.literal('document'),
  id: name,
  source: text,
  stored_at: moment,
  /** Positions have gaps where parts were erased. */
  segments: z.array(z.strictObject({ position: count, text })),
  memories: z.array(z.strictObject({ memory: number, first_segment: count, last_segment: count })),
})

const contradiction = z.strictObject({
  record: z.literal('contradiction'),
  id: name,
  old_memory: number,
  new_memory: number,
  old_version: number,
  new_version: number,
  status: name,
  why: text,
  reason: json.nullable(),
  created_at: moment,
  decided_at: momentOrNull,
})

const entityMerge = z.strictObject({
  record: z.literal('entity_merge'),
  id: name,
  entity: z.int().positive(),
  into_entity: z.int().positive(),
  rule: name,
  why: text,
  created_at: moment,
  reverted_at: momentOrNull,
  reverted_by: text.nullable(),
})

/** A text that was taken and is not stored yet. */
const pending = z.strictObject({
  record: z.literal('pending'),
  user: name,
  id: name,
  project: text.nullable(),
  payload: text,
})

/** With its secret. What is new after it was taken over is sent; what was under way before is not. */
const webhook = z.strictObject({
  record: z.literal('webhook'),
  id: name,
  user: name,
  url: text,
  types: z.array(text),
  project: text.nullable(),
  secret: text,
  created_at: moment,
  created_by: text.nullable(),
})

/** An API key: its hash, which opens nothing by itself. */
const key = z.strictObject({
  record: z.literal('key'),
  id: name,
  user: name,
  name: text,
  preview: text,
  hash: text,
  created_at: moment,
  last_used_at: momentOrNull,
  revoked_at: momentOrNull,
})

const portableRecord = z.discriminatedUnion('record', [
  user,
  entity,
  memory,
  version,
  relationship,
  document,
  contradiction,
  entityMerge,
  pending,
  webhook,
  key,
])

export type PortableRecord = z.infer<typeof portableRecord>
export type RecordKind = PortableRecord['record']
export type PortableOf<Kind extends RecordKind> = Extract<PortableRecord, { record: Kind }>

/** Throws `PortableRefused` for what is no such record. */
export function parsePortable(value: unknown): PortableRecord {
  const parsed = portableRecord.safeParse(value)
  // As it came: a copy would lose a field that is called like a part of JavaScript's own objects.
  if (parsed.success) return value as PortableRecord
  const [issue] = parsed.error.issues
  throw new PortableRefused(`${issue?.path.join('.') || 'the record'}: ${issue?.message ?? 'not understood'}`)
}

/** The operator can mend it, and needs no stack for that. */
export class PortableRefused extends Error {
  override readonly name = 'PortableRefused'
  readonly operatorMessage = true
  /** There is nothing to read yet: no service, and no import, has used the place. */
  readonly isEmpty: boolean = false
}

export class StoreEmpty extends PortableRefused {
  override readonly isEmpty = true
}

export interface PortableSelection {
  /** Undefined: everybody. */
  readonly user?: string
  readonly vectors: boolean
  /** And webhooks, which have secrets too. */
  readonly keys: boolean
}

/** No store has a user whose id it could not keep; asked for one, an engine might take it for another. */
export function isPossible({ user }: PortableSelection): boolean {
  return user === undefined || isStorable(user)
}

/** One snapshot of a store, whatever is written meanwhile. */
export interface PortableReader {
  /** Those of them whom the store has. */
  existing(userIds: readonly string[]): Promise<string[]>
  /** How many records there will be. */
  count(selection: PortableSelection): Promise<number>
  read(selection: PortableSelection): AsyncIterable<PortableRecord>
  close(): Promise<void>
}

/**
 * Writes records in the order in which they are read. How far it has come is written with each batch, so what was
 * interrupted, however hard, goes on where it stopped.
 */
export interface PortableWriter {
  /** Those of them whom the store has already. */
  existing(userIds: readonly string[]): Promise<string[]>
  /**
   * How many records of this source an earlier run has written; 0: nothing yet. `source` is made from all that it holds.
   * Throws where another source was left half-written.
   */
  begin(source: string): Promise<number>
  /** One transaction. */
  write(records: readonly PortableRecord[]): Promise<void>
  /** The progress is forgotten: all is written. */
  finish(): Promise<void>
  close(): Promise<void>
}

export type Embedding = NonNullable<PortableOf<'version'>['embedding']>

export function packVector(vector: Uint8Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
}

function unpackVector(packed: string): Float32Array {
  const bytes = Buffer.from(packed, 'base64')
  if (bytes.length === 0 || bytes.length % 4 !== 0) throw new PortableRefused('a vector is cut off')
  // Copied: a piece of a shared buffer may begin anywhere, an array of floats must not.
  const vector = new Float32Array(bytes.length / 4)
  new Uint8Array(vector.buffer).set(bytes)
  if (!vector.every(Number.isFinite)) throw new PortableRefused('a vector has a component that is no number')
  return vector
}

/** The vector of a version, or one that no model made, so that the version is found by words until it is embedded. */
export function embeddingOf(record: PortableOf<'version'>): { readonly model: string; readonly vector: Float32Array } {
  const { embedding } = record
  if (!embedding) return { model: notEmbedded, vector: new Float32Array(1) }
  return { model: embedding.model, vector: unpackVector(embedding.vector) }
}

/** By name, however an engine keeps them. */
export function sorted<Value>(properties: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}

/** Where a writer stands: the user whose records come, and the memory whose versions come. */
export interface PortablePlace {
  readonly id: string
  readonly numbers: number
  readonly entities: number
  memory: { readonly number: number; readonly created_at: number; readonly current: number } | null
}

/** Throws for a record that names what its user cannot have: it would end up among another user's rows. */
export function requireOwn(place: PortablePlace, record: PortableRecord): void {
  const [numbers, entities] = namedBy(record)
  if (numbers.some((each) => each >= place.numbers))
    throw new PortableRefused('names a version that its user does not have')
  if (entities.some((each) => each > place.entities)) {
    throw new PortableRefused('names an entity that its user does not have')
  }
  if (record.record === 'version' && record.memory !== place.memory?.number) {
    throw new PortableRefused('is a version of another memory than the one before it')
  }
}

function namedBy(record: PortableRecord): readonly [numbers: readonly number[], entities: readonly number[]] {
  switch (record.record) {
    case 'entity':
      return [[], [record.number, record.merged_into ?? 0]]
    case 'memory':
      return [[record.number, record.current, record.superseded_by ?? 0], []]
    case 'version':
      return [[record.number], record.mentions.map(({ entity }) => entity)]
    case 'relationship':
      return [[...record.tellings, ...record.ends].map(({ version }) => version), [record.source, record.target]]
    case 'document':
      return [record.memories.map(({ memory }) => memory), []]
    case 'contradiction':
      return [[record.old_memory, record.new_memory, record.old_version, record.new_version], []]
    case 'entity_merge':
      return [[], [record.entity, record.into_entity]]
    default:
      return [[], []]
  }
}
