/** Each portable record as rows. */
import { endOf } from '../../core/memory-event.js'
import {
  embeddingOf,
  type PortableOf,
  type PortablePlace,
  type PortableRecord,
  PortableRefused,
  requireOwn,
  rowsPerUser,
} from '../ports/portable.js'
import type { Database } from './database.js'
import { findUser } from './user-rows.js'
import { writeVectors } from './write-version.js'

export interface Place extends PortablePlace {
  readonly user: number
  /** An entity's key is this and its number. */
  readonly beforeEntities: number
}

export function insertRecord(
  db: Database,
  place: Place | null,
  record: PortableRecord,
  revisionOf: (user: number) => number,
): void {
  if (record.record === 'user') return
  if (record.record === 'pending') insertPending(db, record)
  else if (record.record === 'webhook') insertWebhook(db, record)
  else if (record.record === 'key') insertKey(db, record)
  else if (!place) throw new PortableRefused(`a ${record.record} comes before its user`)
  else insertOwn(db, place, record, revisionOf)
}

type Own = Exclude<PortableRecord, { record: 'user' | 'pending' | 'webhook' | 'key' }>

function insertOwn(db: Database, place: Place, record: Own, revisionOf: (user: number) => number): void {
  requireOwn(place, record)
  switch (record.record) {
    case 'entity':
      insertEntity(db, place, record)
      break
    case 'memory':
      insertMemory(db, place, record)
      break
    case 'version':
      insertVersion(db, place, record, revisionOf(place.user))
      break
    case 'relationship':
      insertRelationship(db, place, record)
      break
    case 'document':
      insertDocument(db, place, record)
      break
    case 'contradiction':
      insertContradiction(db, place, record)
      break
    case 'entity_merge':
      insertMerge(db, place, record)
  }
}

const rowOf = ({ user }: Place, number: number) => user * rowsPerUser + number
const entityOf = ({ beforeEntities }: Place, number: number) => beforeEntities + number
const bit = (value: boolean) => (value ? 1 : 0)

function insertEntity(db: Database, place: Place, record: PortableOf<'entity'>): void {
  const key = entityOf(place, record.number)
  db.run(
    'INSERT INTO entities (key, id, user, type, name, name_key, merged_into) VALUES (?, ?, ?, ?, ?, ?, ?)',
    key,
    record.id,
    place.user,
    record.type,
    record.name,
    record.name_key,
    record.merged_into === null ? null : entityOf(place, record.merged_into),
  )
  for (const { spelling, spelling_key, uses } of record.spellings) {
    db.run(
      'INSERT INTO entity_spellings (entity, spelling, user, type, spelling_key, uses) VALUES (?, ?, ?, ?, ?, ?)',
      key,
      spelling,
      place.user,
      record.type,
      spelling_key,
      uses,
    )
  }
}

function insertMemory(db: Database, place: Place, record: PortableOf<'memory'>): void {
  db.run(
    `INSERT INTO memories (key, id, user, source, created_at, current_row, project, expires_at, content_key,
       superseded_at, superseded_by, withdrawn, access_count, last_accessed)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    rowOf(place, record.number),
    record.id,
    place.user,
    record.source,
    record.created_at,
    rowOf(place, record.current),
    record.project,
    record.expires_at,
    record.content_key,
    record.superseded_at,
    record.superseded_by === null ? null : rowOf(place, record.superseded_by),
    bit(record.withdrawn),
    record.access_count,
    record.last_accessed,
  )
  place.memory = { number: record.number, created_at: record.created_at, current: record.current }
}

function insertVersion(db: Database, place: Place, record: PortableOf<'version'>, revision: number): void {
  const { memory } = place
  if (!memory) throw new PortableRefused('a version comes before its memory')
  const { model, vector } = embeddingOf(record)
  const row = rowOf(place, record.number)
  const isCurrent = bit(record.number === memory.current)
  db.run(
    `INSERT INTO versions (row, user, memory, version, content, checksum, metadata, project, expires_at,
       trust_score, flagged, model_id, valid_from, valid_to, revision)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row,
    place.user,
    rowOf(place, record.memory),
    record.version,
    record.content,
    record.checksum,
    JSON.stringify(record.metadata),
    record.project,
    record.expires_at,
    record.trust_score,
    bit(record.flagged),
    model,
    record.valid_from,
    record.valid_to,
    revision,
  )
  writeVectors(db, row, vector)
  for (const { entity, position, spellings } of record.mentions) {
    db.run(
      `INSERT INTO mentions (version, entity, memory, memory_created_at, current, position, spellings)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      row,
      entityOf(place, entity),
      rowOf(place, memory.number),
      memory.created_at,
      isCurrent,
      position,
      JSON.stringify(spellings),
    )
  }
  for (const { slot, value } of record.slots) {
    db.run(
      'INSERT INTO slots (version, slot, value, user, memory, current) VALUES (?, ?, ?, ?, ?, ?)',
      row,
      slot,
      value,
      place.user,
      rowOf(place, memory.number),
      isCurrent,
    )
  }
}

function insertRelationship(db: Database, place: Place, record: PortableOf<'relationship'>): void {
  const key = db.insert(
    `INSERT INTO relationships (id, source, target, type, valid_from, valid_to, told_at, exclusive)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    record.id,
    entityOf(place, record.source),
    entityOf(place, record.target),
    record.type,
    record.valid_from,
    record.valid_to,
    record.told_at,
    bit(record.exclusive),
  )
  for (const { version, properties, exclusive, starts_at, ends_at } of record.tellings) {
    db.run(
      `INSERT INTO relationship_sources (relationship, version, properties, exclusive, starts_at, ends_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
      key,
      rowOf(place, version),
      JSON.stringify(properties),
      bit(exclusive),
      starts_at,
      ends_at,
    )
  }
  for (const { version, ends_at } of record.ends) {
    db.run(
      'INSERT INTO relationship_ends (relationship, version, ends_at) VALUES (?, ?, ?)',
      key,
      rowOf(place, version),
      ends_at,
    )
  }
}

function insertDocument(db: Database, place: Place, record: PortableOf<'document'>): void {
  const key = db.insert(
    'INSERT INTO documents (id, source, stored_at) VALUES (?, ?, ?)',
    record.id,
    record.source,
    record.stored_at,
  )
  for (const { position, text } of record.segments) {
    db.run('INSERT INTO segments (document, position, text) VALUES (?, ?, ?)', key, position, text)
  }
  for (const { memory, first_segment, last_segment } of record.memories) {
    db.run(
      'INSERT INTO memory_sources (memory, document, first_segment, last_segment) VALUES (?, ?, ?, ?)',
      rowOf(place, memory),
      key,
      first_segment,
      last_segment,
    )
  }
}

function insertContradiction(db: Database, place: Place, record: PortableOf<'contradiction'>): void {
  db.run(
    `INSERT INTO contradictions (id, user, old_memory, new_memory, old_version, new_version, status, why, reason,
       created_at, decided_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    record.id,
    place.user,
    rowOf(place, record.old_memory),
    rowOf(place, record.new_memory),
    rowOf(place, record.old_version),
    rowOf(place, record.new_version),
    record.status,
    record.why,
    record.reason === null ? null : JSON.stringify(record.reason),
    record.created_at,
    record.decided_at,
  )
}

function insertMerge(db: Database, place: Place, record: PortableOf<'entity_merge'>): void {
  db.run(
    `INSERT INTO entity_merges (id, user, entity, into_entity, rule, why, created_at, reverted_at, reverted_by)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    record.id,
    place.user,
    entityOf(place, record.entity),
    entityOf(place, record.into_entity),
    record.rule,
    record.why,
    record.created_at,
    record.reverted_at,
    record.reverted_by,
  )
}

function insertPending(db: Database, { id, user, project, payload }: PortableOf<'pending'>): void {
  db.run('INSERT INTO inbox (id, user_id, project, payload) VALUES (?, ?, ?, ?)', id, user, project, payload)
}

/** What has been written here is not sent: its user knows of it. */
function insertWebhook(db: Database, record: PortableOf<'webhook'>): void {
  const { revision, position } = endOf(findUser(db, record.user)?.revision ?? 0)
  db.run(
    `INSERT INTO webhooks (id, user_id, url, types, project, secret, created_at, created_by, revision, position)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    record.id,
    record.user,
    record.url,
    JSON.stringify(record.types),
    record.project,
    record.secret,
    record.created_at,
    record.created_by,
    revision,
    position,
  )
}

function insertKey(db: Database, record: PortableOf<'key'>): void {
  db.run(
    `INSERT INTO keys (id, user_id, name, preview, hash, created_at, last_used_at, revoked_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    record.id,
    record.user,
    record.name,
    record.preview,
    record.hash,
    record.created_at,
    record.last_used_at,
    record.revoked_at,
  )
}
