import type { Memory } from '../../core/memory.js'
import type { Scope } from '../../core/scope.js'
import type { VersionChange } from '../ports/storage.js'
import type { Database } from './database.js'
import { loadMemories } from './memory-rows.js'
import { memoriesIn, notExpired, UserWrite } from './user-rows.js'
import { endUnsupported, relationshipsToldBy } from './write-relationships.js'
import { carryFindings, insertVersion, type VersionFields, writeFindings } from './write-version.js'

interface CurrentVersion {
  readonly key: number
  readonly user: number
  readonly created_at: number
  readonly content_key: string
  readonly row: number
  readonly version: number
  readonly valid_from: number
  readonly content: string
  readonly checksum: string
  readonly metadata: string
  readonly project: string | null
  readonly expires_at: number | null
  readonly trust_score: number
  readonly flagged: number
  readonly model_id: string
}

export function update(db: Database, scope: Scope, memoryId: string, change: VersionChange): Memory | null {
  const old = findCurrent(db, scope, memoryId, change.now)
  if (!old) return null
  const write = UserWrite.begin(db, old.user)
  // When the clock stood still or went back, the old version keeps an empty range: the order stays.
  const validFrom = Math.max(change.now, old.valid_from)
  const version = {
    row: write.nextRow(),
    user: old.user,
    memory: old.key,
    memoryCreatedAt: old.created_at,
    version: old.version + 1,
    validFrom,
    storedAt: change.now,
    revision: write.revision,
  }
  const fields = changed(old, change)
  insertVersion(db, version, fields)
  db.run('UPDATE mentions SET current = 0 WHERE version = ?', old.row)
  db.run('UPDATE slots SET current = 0 WHERE version = ?', old.row)
  db.run('UPDATE versions SET valid_to = ?, revision = ? WHERE row = ?', validFrom, write.revision, old.row)
  db.run(
    'UPDATE memories SET current_row = ?, project = ?, expires_at = ?, content_key = ? WHERE key = ?',
    version.row,
    fields.project,
    fields.expiresAt,
    change.content?.contentKey ?? old.content_key,
    old.key,
  )
  if (change.content) writeFindings(db, version, change.content)
  else carryFindings(db, old.row, version.row)
  endUnsupported(db, relationshipsToldBy(db, [old.row]))
  write.tell({
    type: 'memory.updated',
    action: 'UPDATE',
    memoryId,
    project: fields.project,
    checksum: fields.checksum,
    relatedIds: [],
    at: change.now,
  })
  write.end()
  return loadMemories(db, [version.row])[0]?.memory ?? null
}

function findCurrent(db: Database, scope: Scope, memoryId: string, now: number): CurrentVersion | undefined {
  const within = memoriesIn(db, scope)
  if (!within) return undefined
  return db.get<CurrentVersion>(
    `SELECT m.key, m.user, m.created_at, m.content_key, v.row, v.version, v.valid_from, v.content, v.checksum,
       v.metadata, v.project, v.expires_at, v.trust_score, v.flagged, v.model_id
     FROM memories m JOIN versions v ON v.row = m.current_row
     WHERE m.id = ? AND ${within.sql} AND m.superseded_at IS NULL AND ${notExpired}`,
    memoryId,
    ...within.values,
    now,
  )
}

function changed(old: CurrentVersion, change: VersionChange): VersionFields {
  return {
    content: change.content?.content ?? old.content,
    checksum: change.content?.checksum ?? old.checksum,
    trustScore: change.content?.trustScore ?? old.trust_score,
    flagged: change.content?.flagged ?? old.flagged === 1,
    modelId: change.content?.modelId ?? old.model_id,
    metadataJson: change.metadata === undefined ? old.metadata : JSON.stringify(change.metadata),
    project: change.project === undefined ? old.project : change.project,
    expiresAt: change.expiresAt === undefined ? old.expires_at : change.expiresAt,
  }
}
