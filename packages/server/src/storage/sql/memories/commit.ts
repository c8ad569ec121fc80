/**
 * One store: new memories, the memories that they replace and contradict, repetitions of known ones, and the text that they came
 * from.
 */
import type { PartRange } from '../../../core/outdated.js'
import { type UserScope, userScope } from '../../../core/scope.js'
import { storable } from '../../domain/storable-text.js'
import {
  type Committed,
  type NewMemory,
  RevisionConflict,
  type SegmentRange,
  type StoreCommit,
} from '../../ports/memory-writes.js'
import { insertContradiction } from '../contradictions/insert.js'
import { keepTurns, openConversation } from '../conversations/conversations.js'
import { markFirstRead } from '../facts/write-facts.js'
import { ownRows } from '../own-rows.js'
import { endUnsupported, relationshipsToldBy } from '../relationships/write-relationships.js'
import type { Session } from '../session.js'
import { requireOpenSpace } from '../spaces/spaces.js'
import { statement } from '../statement.js'
import { textSize } from '../user-bytes.js'
import type { UserData } from '../user-data.js'
import { UserWrite } from '../user-write.js'
import { keepAnswer, refuseSecond } from './answers.js'
import { trimVersions } from './erase-versions.js'
import { takeOut } from './inbox.js'
import { endParts } from './outdate.js'
import { type OwnMemory, supersede } from './supersede.js'
import { update } from './update.js'
import { insertVersion, type NewVersion, writeFindings } from './write-version.js'

export async function commit(session: Session, scope: UserScope, store: StoreCommit): Promise<Committed> {
  const write = await UserWrite.beginOrCreate(session, storable(scope.userId, 'user_id'))
  await requireOpenSpace(session, scope)
  await refuseSecond(write, store.answer)
  await markFirstRead(write, store.factsModel)
  const revision = write.revision - 1
  if (revision !== store.expectedRevision) {
    throw new RevisionConflict(`the user is at revision ${revision}, not ${store.expectedRevision}`)
  }
  if (store.rawId !== undefined) await takeOut(session, scope, store.rawId)
  const conversation = await openConversation(write, store.conversation, store.now)
  const continues = store.conversation?.continues ? (conversation?.document ?? null) : null
  const documentKey = await insertDocument(write, store, continues)
  const entityNames: (readonly string[])[] = []
  let relationshipsCreated = 0
  for (const memory of store.memories) {
    const version = await insertMemory(write, memory, store.now)
    const written = await writeFindings(write, version, memory.version)
    entityNames.push(written.entityNames)
    relationshipsCreated += written.relationshipsCreated
    tellStored(write, memory, store.now)
    await replaceOld(write, memory, version.memory, store.now)
    await insertContradictions(write, memory, version, store.now)
    // After the contradictions, which name the versions that still have the parts.
    await endParts(write, memory, (memoryId) => currentMemory(write, memoryId), store.now)
    await insertSource(write, version.memory, documentKey, memory.segments)
  }
  for (const { memoryId, segments } of store.sightings) {
    await insertSource(write, (await currentMemory(write, memoryId)).key, documentKey, segments)
  }
  if (conversation) await keepTurns(write, conversation, documentKey, store.now)
  for (const memory of write.grown) await trimVersions(write, memory)
  write.countMemories(store.memories.length)
  await write.requireRoom()
  await write.end()
  const prolonged = await prolong(session, scope, store)
  if (store.answer) {
    const { memories, now } = store
    await keepAnswer(write, store.answer, { memories, entityNames, relationshipsCreated, now })
  }
  return { revision: write.revision + prolonged, relationshipsCreated, entityNames }
}

/** In the order of the stores. The first one must find the revision that it expects, and nobody can come between the others. */
export async function commitAll(
  session: Session,
  scope: UserScope,
  stores: readonly StoreCommit[],
): Promise<Committed[]> {
  const committed: Committed[] = []
  for (const store of stores) {
    const expectedRevision = committed.at(-1)?.revision ?? store.expectedRevision
    committed.push(await commit(session, scope, { ...store, expectedRevision }))
  }
  return committed
}

/** Each repetition with a new expiry is a new version. Returns how many there are. */
async function prolong(session: Session, { userId }: UserScope, { sightings, now }: StoreCommit): Promise<number> {
  let prolonged = 0
  for (const { memoryId, expiresAt } of sightings) {
    if (expiresAt === undefined) continue
    if (await update(session, userScope(userId), memoryId, { now, expiresAt })) prolonged += 1
  }
  return prolonged
}

async function insertMemory(write: UserWrite, memory: NewMemory, now: number): Promise<NewVersion> {
  const row = write.nextRow()
  const draft = memory.version
  await write.send(
    `INSERT INTO memories (user_id, key, id, source, created_at, current_row, project, expires_at, content_key)
     VALUES (@user, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row,
    memory.id,
    storable(memory.source, 'source'),
    memory.createdAt,
    row,
    draft.project === null ? null : storable(draft.project, 'project'),
    draft.expiresAt,
    draft.contentKey,
  )
  const version: NewVersion = {
    row,
    memory: row,
    memoryCreatedAt: memory.createdAt,
    version: 1,
    validFrom: memory.createdAt,
    storedAt: now,
    revision: write.revision,
  }
  await insertVersion(write, version, draft)
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

async function replaceOld(write: UserWrite, by: NewMemory, byKey: number, now: number): Promise<void> {
  const replacedRows: number[] = []
  for (const memoryId of by.supersedes) {
    const old = await currentMemory(write, memoryId)
    if (old.superseded_at !== null || old.key === byKey) {
      throw new RevisionConflict(`${memoryId} is no longer current`)
    }
    await supersede(write, old, { key: byKey, id: by.id }, { from: by.createdAt, now })
    replacedRows.push(old.current_row)
  }
  if (replacedRows.length > 0) await endUnsupported(write, await relationshipsToldBy(write, replacedRows))
}

async function insertContradictions(write: UserWrite, by: NewMemory, version: NewVersion, now: number): Promise<void> {
  for (const contradiction of by.contradictions ?? []) {
    const { memoryId, part } = contradiction
    const old = await currentMemory(write, memoryId)
    await insertContradiction(write, contradiction, {
      old: { memory: old.key, version: old.current_row },
      new: { memory: version.memory, version: version.row },
      status: isApplied(by, memoryId, part) ? 'applied' : 'open',
      now,
    })
  }
}

function isApplied({ supersedes, endings }: NewMemory, memoryId: string, part: PartRange | null): boolean {
  if (supersedes.includes(memoryId)) return true
  if (part === null) return false
  return endings.some((each) => each.memoryId === memoryId && each.start <= part.start && each.end >= part.end)
}

async function currentMemory(user: UserData, memoryId: string): Promise<OwnMemory> {
  const memory = await user.get<OwnMemory>(
    'SELECT key, id, project, current_row, superseded_at FROM memories WHERE id = ? AND user_id = @user',
    memoryId,
  )
  if (!memory) throw new RevisionConflict(`${memoryId} no longer exists`)
  return memory
}

const insertSegments = statement(
  (dialect) =>
    `INSERT INTO segments (user_id, document, position, text)
     SELECT own.user_id, CAST(? AS bigint), s.position, s.text
     FROM ${ownRows(dialect, 's', { position: 'bigint', text: 'text' })}`,
)

/** A text that yielded and repeated nothing is not kept: nobody could ever see or erase it. */
async function insertDocument(write: UserWrite, store: StoreCommit, continues: number | null): Promise<number | null> {
  if (store.memories.length === 0 && store.sightings.length === 0) return null
  const { id, source, segments } = store.document
  const key = write.nextRow()
  if (write.isCounted) write.countBytes(textSize(segments))
  await write.send(
    'INSERT INTO documents (user_id, key, id, source, stored_at, continues) VALUES (@user, ?, ?, ?, ?, ?)',
    key,
    id,
    storable(source, 'source'),
    store.now,
    continues,
  )
  await write.send(
    insertSegments(write),
    key,
    JSON.stringify(segments.map((text, position) => ({ position, text: storable(text, 'content') }))),
  )
  return key
}

async function insertSource(
  user: UserData,
  memory: number,
  document: number | null,
  segments: SegmentRange,
): Promise<void> {
  await user.send(
    `INSERT INTO memory_sources (user_id, memory, document, first_segment, last_segment) VALUES (@user, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    memory,
    document,
    ...segments,
  )
}
