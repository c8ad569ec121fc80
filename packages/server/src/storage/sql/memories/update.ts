import type { Memory } from '../../../core/memory.js'
import type { Scope } from '../../../core/scope.js'
import type { VersionChange } from '../../ports/memory-writes.js'
import { eventOf, type FlagColumn, type OutdatedColumn, outdatedOf } from '../columns.js'
import { endUnsupported, relationshipsToldBy } from '../relationships/write-relationships.js'
import type { Session } from '../session.js'
import { memoriesIn, notExpired } from '../user-data.js'
import { lockOwner, type UserWrite } from '../user-write.js'
import { trimVersions } from './erase-versions.js'
import { loadMemories } from './memory-rows.js'
import { endCurrent } from './supersede.js'
import { carryFindings, insertVersion, type VersionFields, writeFindings } from './write-version.js'

interface CurrentVersion {
  readonly key: number
  readonly created_at: number
  readonly content_key: string
  readonly row: number
  readonly version: number
  readonly valid_from: number
  readonly content: string
  readonly outdated: OutdatedColumn
  readonly checksum: string
  readonly metadata: string
  readonly project: string | null
  readonly expires_at: number | null
  readonly trust_score: number
  readonly flagged: FlagColumn
  readonly model_id: string
  readonly event_from: number | null
  readonly event_to: number | null
}

export async function update(
  session: Session,
  scope: Scope,
  memoryId: string,
  change: VersionChange,
): Promise<Memory | null> {
  const write = await lockOwner(session, scope, 'memories', memoryId)
  const old = write && (await findCurrent(write, scope, memoryId, change.now))
  if (!old) return null
  // If the clock stood still or went back, the old version has an empty validity, and the order is kept.
  const validFrom = Math.max(change.now, old.valid_from)
  const version = {
    row: write.nextRow(),
    memory: old.key,
    memoryCreatedAt: old.created_at,
    version: old.version + 1,
    validFrom,
    storedAt: change.now,
    revision: write.revision,
  }
  const fields = changed(old, change)
  await insertVersion(write, version, fields)
  await endCurrent(write, old.row)
  await write.send(
    'UPDATE versions SET valid_to = ?, revision = ? WHERE user_id = @user AND row = ?',
    validFrom,
    write.revision,
    old.row,
  )
  await write.send(
    `UPDATE memories SET current_row = ?, project = ?, expires_at = ?, content_key = ?
     WHERE user_id = @user AND key = ?`,
    version.row,
    fields.project,
    fields.expiresAt,
    change.content?.contentKey ?? old.content_key,
    old.key,
  )
  if (change.content) await writeFindings(write, version, change.content)
  else await carryFindings(write, old.row, version.row)
  await endUnsupported(write, await relationshipsToldBy(write, [old.row]))
  await trimVersions(write, old.key)
  await write.requireRoom()
  write.tell({
    type: 'memory.updated',
    action: 'UPDATE',
    memoryId,
    project: fields.project,
    checksum: fields.checksum,
    relatedIds: [],
    at: change.now,
  })
  await write.end()
  return (await loadMemories(write, [version.row]))[0]?.memory ?? null
}

async function findCurrent(
  write: UserWrite,
  scope: Scope,
  memoryId: string,
  now: number,
): Promise<CurrentVersion | undefined> {
  const within = await memoriesIn(write.session, scope)
  if (!within) return undefined
  return write.get<CurrentVersion>(
    `SELECT m.key, m.created_at, m.content_key, v.row, v.version, v.valid_from, v.content, v.checksum,
       ${write.dialect.jsonText('v.outdated')} AS outdated,
       ${write.dialect.jsonText('v.metadata')} AS metadata, v.project, v.expires_at, v.trust_score, v.flagged, v.model_id,
       v.event_from, v.event_to
     FROM memories m JOIN versions v ON v.user_id = m.user_id AND v.row = m.current_row
     WHERE m.user_id = @user AND m.id = ? AND ${within.sql} AND m.superseded_at IS NULL AND ${notExpired}`,
    memoryId,
    ...within.values,
    now,
  )
}

function changed(old: CurrentVersion, change: VersionChange): VersionFields {
  return {
    content: change.content?.content ?? old.content,
    outdated: change.content ? (change.content.outdated ?? []) : outdatedOf(old.outdated),
    checksum: change.content?.checksum ?? old.checksum,
    trustScore: (change.content ?? change.trust)?.trustScore ?? old.trust_score,
    flagged: (change.content ?? change.trust)?.flagged ?? Boolean(old.flagged),
    modelId: change.content?.modelId ?? old.model_id,
    event: change.content ? (change.content.event ?? null) : eventOf(old),
    metadata: change.metadata === undefined ? JSON.parse(old.metadata) : change.metadata,
    project: change.project === undefined ? old.project : change.project,
    expiresAt: change.expiresAt === undefined ? old.expires_at : change.expiresAt,
  }
}
