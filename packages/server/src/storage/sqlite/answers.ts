import type { Scope, UserScope } from '../../core/scope.js'
import { storable } from '../domain/storable-text.js'
import { AlreadyAnswered, type KeptAnswer, type NewAnswer } from '../ports/answers.js'
import type { NewMemory } from '../ports/storage.js'
import type { Database } from './database.js'
import { findUser } from './user-rows.js'

interface AnswerRow extends Omit<KeptAnswer, 'items'> {
  readonly user: number
}

export function findAnswer(db: Database, scope: UserScope, keyHash: string, after: number): KeptAnswer | null {
  const user = findUser(db, scope.userId)
  const row = user && answerOf(db, user.key, keyHash, after)
  if (!row) return null
  const items = db.all<{ payload: string; entity_names: string | null }>(
    'SELECT payload, entity_names FROM answer_items WHERE user = ? AND key_hash = ? ORDER BY position',
    row.user,
    keyHash,
  )
  return {
    fingerprint: row.fingerprint,
    summary: row.summary,
    relationshipsCreated: row.relationshipsCreated,
    items: items.map(({ payload, entity_names: names }) => ({
      payload,
      // Written by `keepAnswer` below.
      entityNames: names === null ? null : (JSON.parse(names) as string[]),
    })),
  }
}

function answerOf(db: Database, user: number, keyHash: string, after: number): AnswerRow | undefined {
  return db.get<AnswerRow>(
    `SELECT user, fingerprint, summary, relationships_created AS relationshipsCreated FROM answers
     WHERE user = ? AND key_hash = ? AND kept_at > ?`,
    user,
    keyHash,
    after,
  )
}

/** First in a commit: what it throws undoes all of it. */
export function refuseSecond(db: Database, user: number | undefined, answer: NewAnswer | undefined): void {
  if (user === undefined || answer === undefined) return
  if (answerOf(db, user, answer.keyHash, answer.after)) throw new AlreadyAnswered('the key was used before')
}

interface Told {
  readonly memories: readonly NewMemory[]
  readonly entityNames: readonly (readonly string[])[]
  readonly relationshipsCreated: number
  readonly now: number
}

/** Last in a commit: its memories are there. */
export function keepAnswer(db: Database, user: number, answer: NewAnswer, told: Told): void {
  const { keyHash, fingerprint, summary, items } = answer
  // One that is too old to count may not have been dropped yet.
  db.run('DELETE FROM answers WHERE user = ? AND key_hash = ?', user, keyHash)
  db.run(
    `INSERT INTO answers (user, key_hash, fingerprint, kept_at, summary, relationships_created)
     VALUES (?, ?, ?, ?, ?, ?)`,
    user,
    keyHash,
    fingerprint,
    told.now,
    summary,
    told.relationshipsCreated,
  )
  const fresh = new Map(told.memories.map(({ id }, index) => [id, told.entityNames[index] ?? []]))
  for (const [position, { memoryId, payload }] of items.entries()) {
    const names = fresh.get(memoryId)
    db.run(
      `INSERT INTO answer_items (user, key_hash, position, memory, payload, entity_names)
       SELECT m.user, ?, ?, m.key, ?, ? FROM memories m WHERE m.id = ? AND m.user = ?`,
      keyHash,
      position,
      storable(payload, 'content'),
      names === undefined ? null : JSON.stringify(names),
      memoryId,
      user,
    )
  }
}

export function dropAnswers(db: Database, scope: Scope, until: number, limit: number): number {
  if (scope.kind === 'nobody') return 0
  const user = scope.kind === 'user' ? findUser(db, scope.userId) : undefined
  if (scope.kind === 'user' && !user) return 0
  return db.run(
    `DELETE FROM answers WHERE (user, key_hash) IN (
       SELECT user, key_hash FROM answers WHERE kept_at <= ? ${user ? 'AND user = ?' : ''} ORDER BY kept_at LIMIT ?)`,
    until,
    ...(user ? [user.key] : []),
    limit,
  )
}
