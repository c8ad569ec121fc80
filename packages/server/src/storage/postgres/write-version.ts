import { invalid } from '../../core/errors.js'
import type { Metadata } from '../../core/memory.js'
import { quantize } from '../domain/quantize.js'
import { isStorable, storable } from '../domain/storable-text.js'
import type { VersionDraft } from '../ports/storage.js'
import type { UserData } from './user-data.js'
import type { UserWrite } from './user-rows.js'
import { carryMentions, writeMentions } from './write-entities.js'
import { carryRelationships, writeRelationships } from './write-relationships.js'

/** Where a version belongs. */
export interface NewVersion {
  readonly row: number
  readonly memory: number
  readonly memoryCreatedAt: number
  readonly version: number
  readonly validFrom: number
  /** When it is written, by the caller's clock: later than `validFrom` in an import of the past. */
  readonly storedAt: number
  readonly revision: number
}

export type VersionFields = Pick<
  VersionDraft,
  'content' | 'checksum' | 'project' | 'expiresAt' | 'trustScore' | 'flagged' | 'modelId'
> & { readonly metadata: Metadata }

/** What was found in a content: it changes with the content only. */
type Findings = Pick<VersionDraft, 'vector' | 'entities' | 'relationships' | 'slots'>

export async function insertVersion(user: UserData, version: NewVersion, fields: VersionFields): Promise<void> {
  await user.send(
    `INSERT INTO versions (user_id, row, memory, version, content, checksum, metadata, project, expires_at,
       trust_score, flagged, model_id, valid_from, valid_to, revision)
     VALUES (@user, ?, ?, ?, ?, ?, ?::text::json, ?, ?, ?, ?, ?, ?, NULL, ?)`,
    version.row,
    version.memory,
    version.version,
    storable(fields.content, 'content'),
    fields.checksum,
    metadataJson(fields.metadata),
    fields.project === null ? null : storable(fields.project, 'project'),
    fields.expiresAt,
    fields.trustScore,
    fields.flagged,
    fields.modelId,
    version.validFrom,
    version.revision,
  )
}

/** What only an escape can say in JSON, PostgreSQL cannot compare: a NUL, half of a surrogate pair. */
function metadataJson(metadata: Metadata): string {
  return JSON.stringify(metadata, (name, value: unknown) => {
    const isStored = isStorable(name) && (typeof value !== 'string' || isStorable(value))
    if (!isStored) throw invalid('metadata', 'must not contain the NUL character or a lone surrogate')
    return value
  })
}

export async function writeFindings(
  write: UserWrite,
  version: NewVersion,
  findings: Findings,
): Promise<{ readonly entityNames: readonly string[]; readonly relationshipsCreated: number }> {
  await writeVectors(write, version.row, findings.vector)
  const mentioned = await writeMentions(write, version, findings.entities)
  const relationshipsCreated = await writeRelationships(write, version, findings.relationships, mentioned.entityByKey)
  if (findings.slots.length > 0) {
    await write.send(
      `INSERT INTO slots (user_id, version, slot, value, memory, current)
       SELECT @user, ?::bigint, s.slot, s.value, ?::bigint, true FROM unnest(?::text[], ?::text[]) s (slot, value)
       ON CONFLICT DO NOTHING`,
      version.row,
      version.memory,
      findings.slots.map(({ slot }) => storable(slot, 'slot')),
      findings.slots.map(({ value }) => storable(value, 'slot')),
    )
  }
  return { entityNames: mentioned.names, relationshipsCreated }
}

export async function carryFindings(user: UserData, from: number, to: number): Promise<void> {
  await user.send(
    `INSERT INTO vectors (user_id, row, vector)
     SELECT user_id, ?::bigint, vector FROM vectors WHERE user_id = @user AND row = ?`,
    to,
    from,
  )
  await user.send(
    `INSERT INTO vectors_quantized (user_id, row, scale, quantized)
     SELECT user_id, ?::bigint, scale, quantized FROM vectors_quantized WHERE user_id = @user AND row = ?`,
    to,
    from,
  )
  await carryMentions(user, from, to)
  await carryRelationships(user, from, to)
  await user.send(
    `INSERT INTO slots (user_id, version, slot, value, memory, current)
     SELECT user_id, ?::bigint, slot, value, memory, true FROM slots WHERE user_id = @user AND version = ?`,
    to,
    from,
  )
}

/** Those that the version has are replaced, whatever their length. */
export async function writeVectors(user: UserData, row: number, vector: Float32Array): Promise<void> {
  const { scale, quantized } = quantize(vector)
  await Promise.all([
    user.send(
      `INSERT INTO vectors (user_id, row, vector) VALUES (@user, ?, ?::text::vector)
       ON CONFLICT (user_id, row) DO UPDATE SET vector = excluded.vector`,
      row,
      vectorText(vector),
    ),
    user.send(
      `INSERT INTO vectors_quantized (user_id, row, scale, quantized) VALUES (@user, ?, ?, ?)
       ON CONFLICT (user_id, row) DO UPDATE SET scale = excluded.scale, quantized = excluded.quantized`,
      row,
      scale,
      new Uint8Array(quantized.buffer, quantized.byteOffset, quantized.byteLength),
    ),
  ])
}

/** As pgvector reads it: a double has more digits than it needs to give the same float. */
export function vectorText(vector: Float32Array): string {
  return `[${vector.join(',')}]`
}

/** As `vector_send` writes it: the number of components and a reserved number, two bytes each, then the components. */
export function vectorOf(sent: Buffer): Float32Array {
  const bytes = Buffer.from(sent.subarray(4))
  // From the order of the network to that of this machine, which is little-endian wherever Node.js runs.
  bytes.swap32()
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4).slice()
}
