import { quantize } from '../domain/quantize.js'
import { storable } from '../domain/storable-text.js'
import type { VersionDraft } from '../ports/storage.js'
import type { Database } from './database.js'
import { carryMentions, writeMentions } from './write-entities.js'
import { carryRelationships, writeRelationships } from './write-relationships.js'

/** Where a version belongs. */
export interface NewVersion {
  readonly row: number
  readonly user: number
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
> & { readonly metadataJson: string }

/** What was found in a content: it changes with the content only. */
type Findings = Pick<VersionDraft, 'vector' | 'entities' | 'relationships' | 'slots'>

export function insertVersion(db: Database, version: NewVersion, fields: VersionFields): void {
  db.run(
    `INSERT INTO versions (row, user, memory, version, content, checksum, metadata, project, expires_at,
       trust_score, flagged, model_id, valid_from, valid_to, revision)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)`,
    version.row,
    version.user,
    version.memory,
    version.version,
    storable(fields.content, 'content'),
    fields.checksum,
    fields.metadataJson,
    fields.project === null ? null : storable(fields.project, 'project'),
    fields.expiresAt,
    fields.trustScore,
    fields.flagged ? 1 : 0,
    fields.modelId,
    version.validFrom,
    version.revision,
  )
}

export function writeFindings(
  db: Database,
  version: NewVersion,
  findings: Findings,
): { readonly entityNames: readonly string[]; readonly relationshipsCreated: number } {
  writeVectors(db, version.row, findings.vector)
  const mentioned = writeMentions(db, version, findings.entities)
  const relationshipsCreated = writeRelationships(db, version, findings.relationships, mentioned.entityByKey)
  for (const { slot, value } of findings.slots) {
    db.run(
      `INSERT INTO slots (version, slot, value, user, memory, current) VALUES (?, ?, ?, ?, ?, 1)
       ON CONFLICT DO NOTHING`,
      version.row,
      storable(slot, 'slot'),
      storable(value, 'slot'),
      version.user,
      version.memory,
    )
  }
  return { entityNames: mentioned.names, relationshipsCreated }
}

export function carryFindings(db: Database, from: number, to: number): void {
  db.run('INSERT INTO vectors (row, vector) SELECT ?, vector FROM vectors WHERE row = ?', to, from)
  db.run(
    'INSERT INTO vectors_quantized (row, scale, quantized) SELECT ?, scale, quantized FROM vectors_quantized WHERE row = ?',
    to,
    from,
  )
  carryMentions(db, from, to)
  carryRelationships(db, from, to)
  db.run(
    `INSERT INTO slots (version, slot, value, user, memory, current)
     SELECT ?, slot, value, user, memory, 1 FROM slots WHERE version = ?`,
    to,
    from,
  )
}

/** Those that the version has are replaced, whatever their length. */
export function writeVectors(db: Database, row: number, vector: Float32Array): void {
  const { scale, quantized } = quantize(vector)
  db.run(
    'INSERT INTO vectors (row, vector) VALUES (?, ?) ON CONFLICT (row) DO UPDATE SET vector = excluded.vector',
    row,
    bytesOf(vector),
  )
  db.run(
    `INSERT INTO vectors_quantized (row, scale, quantized) VALUES (?, ?, ?)
     ON CONFLICT (row) DO UPDATE SET scale = excluded.scale, quantized = excluded.quantized`,
    row,
    scale,
    bytesOf(quantized),
  )
}

function bytesOf(view: Float32Array | Int8Array): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
}
