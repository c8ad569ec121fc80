import type { Scope, UserScope } from '../../core/scope.js'
import { storable } from '../domain/storable-text.js'
import { AlreadyAnswered, type KeptAnswer, type NewAnswer } from '../ports/answers.js'
import type { NewMemory } from '../ports/storage.js'
import type { Database } from './database.js'
import type { UserData } from './user-data.js'
import { dataOf, usersIn } from './user-rows.js'

export async function findAnswer(
  db: Database,
  scope: UserScope,
  keyHash: string,
  after: number,
): Promise<KeptAnswer | null> {
  const user = dataOf(db, scope)
  const row = user && (await answerOf(user, keyHash, after))
  if (!row) return null
  const items = await user.all<KeptAnswer['items'][number]>(
    `SELECT payload, entity_names AS "entityNames" FROM answer_items
     WHERE user_id = @user AND key_hash = ? ORDER BY position`,
    keyHash,
  )
  return { ...row, items }
}

function answerOf(user: UserData, keyHash: string, after: number): Promise<Omit<KeptAnswer, 'items'> | undefined> {
  return user.get<Omit<KeptAnswer, 'items'>>(
    `SELECT fingerprint, summary, relationships_created AS "relationshipsCreated" FROM answers
     WHERE user_id = @user AND key_hash = ? AND kept_at > ?`,
    keyHash,
    after,
  )
}

/** First in a commit, which holds the user's lock: what it throws undoes all of it. */
export async function refuseSecond(user: UserData, answer: NewAnswer | undefined): Promise<void> {
  if (answer === undefined) return
  if (await answerOf(user, answer.keyHash, answer.after)) throw new AlreadyAnswered('the key was used before')
}

interface Told {
  readonly memories: readonly NewMemory[]
  readonly entityNames: readonly (readonly string[])[]
  readonly relationshipsCreated: number
  readonly now: number
}

/** Last in a commit: its memories are there. */
export async function keepAnswer(user: UserData, answer: NewAnswer, told: Told): Promise<void> {
  const { keyHash, fingerprint, summary, items } = answer
  // One that is too old to count may not have been dropped yet.
  await user.send('DELETE FROM answers WHERE user_id = @user AND key_hash = ?', keyHash)
  await user.send(
    `INSERT INTO answers (user_id, key_hash, fingerprint, kept_at, summary, relationships_created)
     VALUES (@user, ?, ?, ?, ?, ?)`,
    keyHash,
    fingerprint,
    told.now,
    summary,
    told.relationshipsCreated,
  )
  const fresh = new Map(told.memories.map(({ id }, index) => [id, told.entityNames[index] ?? []]))
  for (const [position, { memoryId, payload }] of items.entries()) {
    await user.send(
      `INSERT INTO answer_items (user_id, key_hash, position, memory, payload, entity_names)
       SELECT m.user_id, ?, ?::bigint, m.key, ?, ?::text[] FROM memories m WHERE m.user_id = @user AND m.id = ?`,
      keyHash,
      position,
      storable(payload, 'content'),
      fresh.get(memoryId) ?? null,
      memoryId,
    )
  }
}

export async function dropAnswers(db: Database, scope: Scope, until: number, limit: number): Promise<number> {
  const within = usersIn(scope, 'a')
  if (!within) return 0
  return db.run(
    `DELETE FROM answers WHERE (user_id, key_hash) IN (
       SELECT a.user_id, a.key_hash FROM answers a WHERE a.kept_at <= ? AND ${within.sql} ORDER BY a.kept_at LIMIT ?)`,
    until,
    ...within.values,
    limit,
  )
}
