/** Answers kept for repeated requests with the same idempotency key. */
import type { Scope, UserScope } from '../../../core/scope.js'
import { storable } from '../../domain/storable-text.js'
import { AlreadyAnswered, type KeptAnswer, type NewAnswer } from '../../ports/answers.js'
import type { NewMemory } from '../../ports/memory-writes.js'
import { type TextsColumn, textsOf } from '../columns.js'
import type { Session } from '../session.js'
import { dataOf, type UserData, usersIn } from '../user-data.js'

export async function findAnswer(
  session: Session,
  scope: UserScope,
  keyHash: string,
  after: number,
): Promise<KeptAnswer | null> {
  const user = await dataOf(session, scope.userId)
  const row = user && (await answerOf(user, keyHash, after))
  if (!row) return null
  const items = await user.all<{ payload: string; entity_names: TextsColumn | null }>(
    'SELECT payload, entity_names FROM answer_items WHERE user_id = @user AND key_hash = ? ORDER BY position',
    keyHash,
  )
  return {
    ...row,
    items: items.map(({ payload, entity_names: names }) => ({
      payload,
      entityNames: names === null ? null : textsOf(names),
    })),
  }
}

function answerOf(user: UserData, keyHash: string, after: number): Promise<Omit<KeptAnswer, 'items'> | undefined> {
  return user.get<Omit<KeptAnswer, 'items'>>(
    `SELECT fingerprint, summary, relationships_created AS "relationshipsCreated" FROM answers
     WHERE user_id = @user AND key_hash = ? AND kept_at > ?`,
    keyHash,
    after,
  )
}

/** The first step of a commit, which holds the user's lock: throwing rolls everything back. */
export async function refuseSecond(user: UserData, answer: NewAnswer | undefined): Promise<void> {
  if (answer === undefined) return
  if (await answerOf(user, answer.keyHash, answer.after)) throw new AlreadyAnswered('the key was used before')
}

interface Stored {
  readonly memories: readonly NewMemory[]
  readonly entityNames: readonly (readonly string[])[]
  readonly relationshipsCreated: number
  readonly now: number
}

/** The last step of a commit, when its memories exist. */
export async function keepAnswer(user: UserData, answer: NewAnswer, stored: Stored): Promise<void> {
  const { keyHash, fingerprint, summary, items } = answer
  // An expired one may not have been dropped yet.
  await user.send('DELETE FROM answers WHERE user_id = @user AND key_hash = ?', keyHash)
  await user.send(
    `INSERT INTO answers (user_id, key_hash, fingerprint, kept_at, summary, relationships_created)
     VALUES (@user, ?, ?, ?, ?, ?)`,
    keyHash,
    fingerprint,
    stored.now,
    summary,
    stored.relationshipsCreated,
  )
  if (items.length === 0) return
  const fresh = new Map(stored.memories.map(({ id }, index) => [id, stored.entityNames[index] ?? []]))
  const kept = items.map(({ memoryId, payload }, position) => ({
    memory_id: memoryId,
    position,
    payload: storable(payload, 'content'),
    entity_names: fresh.get(memoryId) ?? null,
  }))
  const columns = { memory_id: 'text', position: 'bigint', payload: 'text', entity_names: 'text[]' } as const
  await user.send(
    `INSERT INTO answer_items (user_id, key_hash, position, memory, payload, entity_names)
     SELECT m.user_id, CAST(? AS text), i.position, m.key, i.payload, i.entity_names
     FROM ${user.dialect.rows('i', columns)} JOIN memories m ON m.user_id = @user AND m.id = i.memory_id`,
    keyHash,
    JSON.stringify(kept),
  )
}

export async function dropAnswers(session: Session, scope: Scope, until: number, limit: number): Promise<number> {
  const within = await usersIn(session, scope, 'a')
  if (!within) return 0
  return session.run(
    `DELETE FROM answers WHERE (user_id, key_hash) IN (
       SELECT a.user_id, a.key_hash FROM answers a WHERE a.kept_at <= ? AND ${within.sql} ORDER BY a.kept_at LIMIT ?)`,
    until,
    ...within.values,
    limit,
  )
}
