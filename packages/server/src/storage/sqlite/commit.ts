import { type UserScope, userScope } from '../../core/scope.js'
import { storable } from '../domain/storable-text.js'
import {
  type Committed,
  type NewMemory,
  RevisionConflict,
  type SegmentRange,
  type Sighting,
  type StoreCommit,
} from '../ports/storage.js'
import { keepAnswer, refuseSecond } from './answers.js'
import type { Database } from './database.js'
import { takeOut } from './inbox.js'
import { type OwnMemory, supersede } from './supersede.js'
import { update } from './update.js'
import { createUser, findUser, UserWrite } from './user-rows.js'
import { endUnsupported, relationshipsToldBy } from './write-relationships.js'
import { insertVersion, type NewVersion, writeFindings } from './write-version.js'

export function commit(db: Database, scope: UserScope, store: StoreCommit): Committed {
  const known = findUser(db, scope.userId)
  refuseSecond(db, known?.key, store.answer)
  const revision = known?.revision ?? 0
  if (revision !== store.expectedRevision) {
    throw new RevisionConflict(`the user is at revision ${revision}, not ${store.expectedRevision}`)
  }
  if (store.rawId !== undefined) takeOut(db, scope, store.rawId)
  const write = UserWrite.begin(db, known?.key ?? createUser(db, storable(scope.userId, 'user_id')))
  const documentKey = insertDocument(db, store)
  const entityNames: (readonly string[])[] = []
  let relationshipsCreated = 0
  for (const memory of store.memories) {
    const version = insertMemory(db, write, memory, store.now)
    const written = writeFindings(db, version, memory.version)
    entityNames.push(written.entityNames)
    relationshipsCreated += written.relationshipsCreated
    tellStored(write, memory, store.now)
    replaceOld(db, write, memory, version.memory, store.now)
    insertContradictions(db, write, memory, version, store.now)
    insertSource(db, version.memory, documentKey, memory.segments)
  }
  for (const { memoryId, segments } of store.sightings) {
    insertSource(db, currentMemory(db, write.key, memoryId).key, documentKey, segments)
  }
  write.end()
  const prolonged = store.sightings.filter((sighting) => prolong(db, scope, sighting, store.now)).length
  if (store.answer) {
    const { memories, now } = store
    keepAnswer(db, write.key, store.answer, { memories, entityNames, relationshipsCreated, now })
  }
  return { revision: write.revision + prolonged, relationshipsCreated, entityNames }
}

/** A version of its own: true when there is one. */
function prolong(db: Database, { userId }: UserScope, { memoryId, expiresAt }: Sighting, now: number): boolean {
  return expiresAt !== undefined && update(db, userScope(userId), memoryId, { now, expiresAt }) !== null
}

function insertMemory(db: Database, write: UserWrite, memory: NewMemory, now: number): NewVersion {
  const row = write.nextRow()
  const draft = memory.version
  db.run(
    `INSERT INTO memories (key, id, user, source, created_at, current_row, project, expires_at, content_key)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row,
    memory.id,
    write.key,
    storable(memory.source, 'source'),
    memory.createdAt,
    row,
    draft.project,
    draft.expiresAt,
    draft.contentKey,
  )
  const version: NewVersion = {
    row,
    user: write.key,
    memory: row,
    memoryCreatedAt: memory.createdAt,
    version: 1,
    validFrom: memory.createdAt,
    storedAt: now,
    revision: write.revision,
  }
  insertVersion(db, version, { ...draft, metadataJson: JSON.stringify(draft.metadata) })
  return version
}

function tellStored(write: UserWrite, { id, version, supersedes }: NewMemory, at: number): void {
  write.tell({
    type: 'memory.stored',
    action: supersedes.length > 0 ? 'UPDATE' : 'ADD',
    memoryId: id,
    project: version.project,
    checksum: version.checksum,
    relatedIds: supersedes,
    at,
  })
}

function replaceOld(db: Database, write: UserWrite, by: NewMemory, byKey: number, now: number): void {
  const replacedRows: number[] = []
  for (const memoryId of by.supersedes) {
    const old = currentMemory(db, write.key, memoryId)
    if (old.superseded_at !== null || old.key === byKey) {
      throw new RevisionConflict(`${memoryId} is not current any more`)
    }
    supersede(db, write, old, { key: byKey, id: by.id }, { from: by.createdAt, now })
    replacedRows.push(old.current_row)
  }
  if (replacedRows.length > 0) endUnsupported(db, relationshipsToldBy(db, replacedRows))
}

function insertContradictions(db: Database, write: UserWrite, by: NewMemory, version: NewVersion, now: number): void {
  for (const { id, memoryId, why, reason } of by.contradictions ?? []) {
    const old = currentMemory(db, write.key, memoryId)
    db.run(
      `INSERT INTO contradictions (id, user, old_memory, new_memory, old_version, new_version, status, why, reason, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      write.key,
      old.key,
      version.memory,
      old.current_row,
      version.row,
      by.supersedes.includes(memoryId) ? 'applied' : 'open',
      storable(why, 'why'),
      reason === null ? null : storable(JSON.stringify(reason), 'reason'),
      now,
    )
  }
}

function currentMemory(db: Database, user: number, memoryId: string): OwnMemory {
  const memory = db.get<OwnMemory>(
    'SELECT key, id, project, current_row, superseded_at FROM memories WHERE id = ? AND user = ?',
    memoryId,
    user,
  )
  if (!memory) throw new RevisionConflict(`${memoryId} is not there any more`)
  return memory
}

/** A text that yielded and repeated nothing is not kept: nobody could ever see or erase it. */
function insertDocument(db: Database, store: StoreCommit): number | null {
  if (store.memories.length === 0 && store.sightings.length === 0) return null
  const { id, source, segments } = store.document
  const key = db.insert(
    'INSERT INTO documents (id, source, stored_at) VALUES (?, ?, ?)',
    id,
    storable(source, 'source'),
    store.now,
  )
  for (const [position, text] of segments.entries()) {
    db.run('INSERT INTO segments (document, position, text) VALUES (?, ?, ?)', key, position, storable(text, 'content'))
  }
  return key
}

function insertSource(db: Database, memory: number, document: number | null, segments: SegmentRange): void {
  db.run(
    `INSERT INTO memory_sources (memory, document, first_segment, last_segment) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    memory,
    document,
    ...segments,
  )
}
