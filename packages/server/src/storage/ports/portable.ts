/**
 * Everything that a store keeps, as records that do not depend on an engine. `keepsake export`, `import` and `migrate` transfer
 * them. Every engine uses the same order: user by user (by id, byte by byte), and for each user entities, memories with their
 * versions, relationships, documents, contradictions, merges and items; after all users pending texts, spaces, webhooks and keys.
 *
 * Rows are identified by numbers per user. Memories and versions keep their numbers, because recall and history depend on their
 * order; a memory has the number of its first version. Entities are counted from 1. Records that no other record refers to have
 * no number: their position among records of the same kind is enough.
 */
import { z } from 'zod'
import { itemKeyProblem, namespaceProblem } from '../../core/item.js'
import { keyAccesses } from '../../core/key-access.js'
import { roles } from '../../core/space.js'
import { notEmbedded } from '../domain/not-embedded.js'
import { isStorable, isStorableJson } from '../domain/storable-text.js'

/** How many row numbers a user has in every engine. */
export const rowsPerUser = 2 ** 28

const text = z.string().refine(isStorable, 'contains a NUL or half of a surrogate pair, which cannot be stored')
const name = text.min(1)
const moment = z.int()
const momentOrNull = moment.nullable()
const count = z.int().nonnegative()
const number = z
  .int()
  .nonnegative()
  .max(rowsPerUser - 2)

/** JSON from the user: its strings must be storable like other texts. */
const json = z.json().superRefine((value, context) => {
  if (!isStorableJson(value)) context.addIssue('contains a NUL or half of a surrogate pair, which cannot be stored')
})

const user = z.strictObject({
  record: z.literal('user'),
  id: name,
  /** Higher than every version number: the numbers below it are taken. */
  numbers: z
    .int()
    .nonnegative()
    .max(rowsPerUser - 1),
  /** The number of entity records that follow. */
  entities: count,
  /** Expiries up to this moment have been reported as events. */
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
  /** Number of the current version. */
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

/** Characters of a content, from `start` up to, but not including, `end`. */
const range = { start: count, end: z.int().positive() }

/** Sorted and without overlaps. */
const outdated = z
  .array(z.strictObject({ ...range, since: moment, by: name.nullable() }))
  .min(1)
  .refine(
    (parts) => parts.every(({ start, end }, index) => (parts[index - 1]?.end ?? 0) <= start && start < end),
    'has parts that overlap or are not sorted',
  )

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
  /** Absent if nothing is outdated, and in records of releases that knew no outdated parts. */
  outdated: outdated.optional(),
  /** The period that the content is about. Absent if it mentions no date. */
  event: z.strictObject({ from: moment, to: moment }).optional(),
  /** Absent if vectors were not requested, null if there is none yet. The vector is float32, little-endian, in base64. */
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
  /** Absent if it is about all of the old memory, and in records of releases that knew no parts. */
  part: z.strictObject(range).optional(),
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

/** One version of an item, by project (null first), namespace, key and version. It has no vector: the service makes a new one. */
const item = z.strictObject({
  record: z.literal('item'),
  project: text.nullable(),
  namespace: name.refine((namespace) => namespaceProblem(namespace) === undefined, 'is not a namespace'),
  key: name.refine((key) => itemKeyProblem(key) === undefined, 'is not a key'),
  version: z.int().positive(),
  value: json,
  fields: z.array(text).nullable(),
  trust_score: z.number(),
  flagged: z.boolean(),
  created_at: moment,
  ...{ valid_from: moment, valid_to: momentOrNull, expires_at: momentOrNull },
})

/** A text that was accepted but not stored yet. */
const pending = z.strictObject({
  record: z.literal('pending'),
  user: name,
  id: name,
  project: text.nullable(),
  payload: text,
})

/** The memories of a space are those of the user with its id. */
const space = z.strictObject({
  record: z.literal('space'),
  id: name,
  name: text,
  created_at: moment,
  /** In the order of their ids. `founded`: the member created the space. */
  members: z.array(z.strictObject({ user: name, role: z.enum(roles), founded: z.boolean(), joined_at: moment })),
})

/** Includes its secret. It receives events from after the import, but no deliveries that were pending before. */
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

/** An API key: only its hash, which gives no access. */
const key = z.strictObject({
  record: z.literal('key'),
  id: name,
  /** Empty for an application key. */
  user: text,
  name: text,
  preview: text,
  hash: text,
  created_at: moment,
  last_used_at: momentOrNull,
  revoked_at: momentOrNull,
  /** Absent in records of releases that knew no limits of keys: those keys have none. */
  access: z.enum(keyAccesses).optional(),
  project: text.nullable().optional(),
  expires_at: momentOrNull.optional(),
  /** Absent or null: a key of one user. */
  user_prefix: text.nullable().optional(),
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
  item,
  pending,
  space,
  webhook,
  key,
])

export type PortableRecord = z.infer<typeof portableRecord>
export type RecordKind = PortableRecord['record']
export type PortableOf<Kind extends RecordKind> = Extract<PortableRecord, { record: Kind }>

/** Throws `PortableRefused` if the value is not a valid record. */
export function parsePortable(value: unknown): PortableRecord {
  const parsed = portableRecord.safeParse(value)
  // Not the parsed copy, which loses fields that are named like built-in properties of JavaScript objects.
  if (parsed.success) return value as PortableRecord
  const [issue] = parsed.error.issues
  throw new PortableRefused(`${issue?.path.join('.') || 'the record'}: ${issue?.message ?? 'is not valid'}`)
}

/** The operator can fix it and needs no stack trace. */
export class PortableRefused extends Error {
  override readonly name = 'PortableRefused'
  readonly operatorMessage = true
  /** There is nothing to read yet: no service and no import has used this store. */
  readonly isEmpty: boolean = false
}

export class StoreEmpty extends PortableRefused {
  override readonly isEmpty = true
}

export interface PortableSelection {
  /** Undefined: all users. */
  readonly user?: string
  readonly vectors: boolean
  /** Includes webhooks, which have secrets too. */
  readonly keys: boolean
}

/** False for a user id that no store could keep: an engine might take it for the id of another user. */
export function isPossible({ user }: PortableSelection): boolean {
  return user === undefined || isStorable(user)
}

/** One snapshot of a store, unaffected by concurrent writes. */
export interface PortableReader {
  /** Those of the users that exist in the store. */
  existing(userIds: readonly string[]): Promise<string[]>
  /** The number of records that `read` will yield. */
  count(selection: PortableSelection): Promise<number>
  read(selection: PortableSelection): AsyncIterable<PortableRecord>
  close(): Promise<void>
}

/**
 * Writes records in the order in which they are read. Each batch also saves the progress, so an interrupted import resumes
 * where it stopped, even after a crash.
 */
export interface PortableWriter {
  /** Those of the users that already exist in the store. */
  existing(userIds: readonly string[]): Promise<string[]>
  /**
   * The number of records of this source that an earlier run has written. `source` is derived from its whole content.
   * Throws if another source was left half-written.
   */
  begin(source: string): Promise<number>
  /** One transaction. */
  write(records: readonly PortableRecord[]): Promise<void>
  /** Everything is written: deletes the saved progress. */
  finish(): Promise<void>
  close(): Promise<void>
}

export type Embedding = NonNullable<PortableOf<'version'>['embedding']>

export function packVector(vector: Uint8Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
}

function unpackVector(packed: string): Float32Array {
  const bytes = Buffer.from(packed, 'base64')
  if (bytes.length === 0 || bytes.length % 4 !== 0) throw new PortableRefused('a vector is truncated')
  // Copied: a part of a shared buffer may start at any byte, a Float32Array must start at a multiple of four.
  const vector = new Float32Array(bytes.length / 4)
  new Uint8Array(vector.buffer).set(bytes)
  if (!vector.every(Number.isFinite)) throw new PortableRefused('a vector has a component that is not a number')
  return vector
}

/** The vector of a version, or a placeholder: then only its words can be searched until it is embedded. */
export function embeddingOf(record: PortableOf<'version'>): { readonly model: string; readonly vector: Float32Array } {
  const { embedding } = record
  if (!embedding) return { model: notEmbedded, vector: new Float32Array(1) }
  return { model: embedding.model, vector: unpackVector(embedding.vector) }
}

/** Sorted by name, whatever the order of the engine. */
export function sorted<Value>(properties: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}

/** A rejection that every engine words alike. */
export const hasRecordsAlready = 'the store already has some of these records'
