import type { Slot } from '../../../core/entity.js'
import { invalid } from '../../../core/errors.js'
import type { Metadata } from '../../../core/memory.js'
import type { OutdatedPart } from '../../../core/outdated.js'
import { isStorable, storable } from '../../domain/storable-text.js'
import type { VersionDraft } from '../../ports/memory-writes.js'
import { outdatedJson } from '../columns.js'
import { carryMentions, writeMentions } from '../entities/write-mentions.js'
import { replaceFacts } from '../facts/write-facts.js'
import { ownRows } from '../own-rows.js'
import { carryRelationships, writeRelationships } from '../relationships/write-relationships.js'
import { statement } from '../statement.js'
import { versionSize } from '../user-bytes.js'
import type { UserData } from '../user-data.js'
import type { UserWrite } from '../user-write.js'

/** The row of a new version, its memory and its validity. */
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

export interface VersionFields
  extends Pick<
    VersionDraft,
    'content' | 'checksum' | 'project' | 'expiresAt' | 'trustScore' | 'flagged' | 'modelId' | 'metadata' | 'event'
  > {
  readonly outdated?: readonly OutdatedPart[]
}

/** The results of reading a content, which change only with it. */
type Findings = Pick<VersionDraft, 'vector' | 'entities' | 'relationships' | 'slots' | 'facts'>

export async function insertVersion(user: UserWrite, version: NewVersion, fields: VersionFields): Promise<void> {
  const metadata = metadataJson(fields.metadata)
  if (user.isCounted) user.countBytes(versionSize(fields.content, metadata))
  await user.send(
    `INSERT INTO versions (user_id, row, memory, version, content, checksum, metadata, project, expires_at,
       trust_score, flagged, model_id, valid_from, valid_to, revision, outdated, event_from, event_to)
     VALUES (@user, ?, ?, ?, ?, ?, ${user.dialect.jsonValue}, ?, ?, ?, ?, ?, ?, NULL, ?, ${user.dialect.jsonValue}, ?, ?)`,
    version.row,
    version.memory,
    version.version,
    storable(fields.content, 'content'),
    fields.checksum,
    metadata,
    fields.project === null ? null : storable(fields.project, 'project'),
    fields.expiresAt,
    fields.trustScore,
    fields.flagged,
    fields.modelId,
    version.validFrom,
    version.revision,
    outdatedJson(fields.outdated ?? []),
    fields.event?.from ?? null,
    fields.event?.to ?? null,
  )
}

/** PostgreSQL cannot compare text that JSON can only write as an escape: a NUL, or half of a surrogate pair. */
function metadataJson(metadata: Metadata): string {
  return JSON.stringify(metadata, (name, value: unknown) => {
    const isStored = isStorable(name) && (typeof value !== 'string' || isStorable(value))
    if (!isStored) throw invalid('metadata', 'must not contain the NUL character or a lone surrogate')
    return value
  })
}

const insertSlots = statement(
  (dialect) =>
    `INSERT INTO slots (user_id, version, slot, value, memory, current)
     SELECT own.user_id, CAST(? AS bigint), s.slot, s.value, CAST(? AS bigint), TRUE
     FROM ${ownRows(dialect, 's', { slot: 'text', value: 'text' })} ON CONFLICT DO NOTHING`,
)

export async function writeFindings(
  write: UserWrite,
  version: NewVersion,
  findings: Findings,
): Promise<{ readonly entityNames: readonly string[]; readonly relationshipsCreated: number }> {
  await write.session.vectors.write(write.key, [{ row: version.row, vector: findings.vector }])
  const mentioned = await writeMentions(write, version, findings.entities)
  const relationshipsCreated = await writeRelationships(write, version, findings.relationships, mentioned.entityByKey)
  await writeSlots(write, version, findings.slots)
  await replaceFacts(write, version, findings.facts)
  return { entityNames: mentioned.names, relationshipsCreated }
}

async function writeSlots(
  user: UserData,
  { row, memory }: Pick<NewVersion, 'row' | 'memory'>,
  slots: readonly Slot[],
): Promise<void> {
  if (slots.length === 0) return
  const rows = slots.map(({ slot, value }) => ({ slot: storable(slot, 'slot'), value: storable(value, 'slot') }))
  await user.send(insertSlots(user), row, memory, JSON.stringify(rows))
}

/** Copies the findings of version `from` to version `to`, which has the same content and so the same facts. */
export async function carryFindings(user: UserData, from: number, to: number): Promise<void> {
  await user.session.vectors.carry(user.key, from, to)
  await carryNames(user, from, to)
  await user.send(
    `INSERT INTO slots (user_id, version, slot, value, memory, current)
     SELECT user_id, CAST(? AS bigint), slot, value, memory, TRUE FROM slots WHERE user_id = @user AND version = ?`,
    to,
    from,
  )
}

/** The same for a version that states less or more of the same content. `vector`: the row to copy it from, or a new one. */
export async function carryPartly(
  user: UserData,
  from: number,
  to: Pick<NewVersion, 'row' | 'memory'>,
  { vector, slots }: { readonly vector: number | Float32Array; readonly slots: readonly Slot[] },
): Promise<void> {
  const { key, session } = user
  if (typeof vector === 'number') await session.vectors.carry(key, vector, to.row)
  else await session.vectors.write(key, [{ row: to.row, vector }])
  await carryNames(user, from, to.row)
  await writeSlots(user, to, slots)
}

async function carryNames(user: UserData, from: number, to: number): Promise<void> {
  await carryMentions(user, from, to)
  await carryRelationships(user, from, to)
}
