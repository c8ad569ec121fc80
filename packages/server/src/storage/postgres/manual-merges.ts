/** Names that a person says are one, or are not. */
import type { Scope } from '../../core/scope.js'
import type { EntityMerge, ManualMerge, Merged } from '../ports/entity-merges.js'
import type { Database } from './database.js'
import { rootOf } from './entity-groups.js'
import { endMerge, insertMerge, loadNamed, type Named } from './merge-entities.js'
import { findOwner, lockOwner } from './owner.js'
import { findMerge } from './read-merges.js'
import type { UserData } from './user-data.js'

export async function mergeEntities(db: Database, scope: Scope, entityId: string, asked: ManualMerge): Promise<Merged> {
  // Whose the two are is asked first: then all is done as the owner of the one.
  const target = await findOwner(db, scope, 'entities', asked.intoId)
  if (scope.kind === 'everyone') await db.see(scope)
  const write = await lockOwner(db, scope, 'entities', entityId)
  const entity = write && (await rootNamed(write, entityId))
  if (!entity) return { refused: 'no_entity' }
  if (!target) return { refused: 'no_target' }
  if (target.userId !== write.userId) return { refused: 'other_user' }
  const into = await rootNamed(write, asked.intoId)
  if (!into) return { refused: 'no_target' }
  if (entity.key === into.key) return { refused: 'same' }
  if (entity.type !== into.type) return { refused: 'other_type' }
  const why = `Somebody said that ${entity.name} is ${into.name}.`
  await insertMerge(write, { id: asked.id, entity, into, rule: 'manual', why, now: asked.now })
  await write.end()
  const merge = await findMerge(db, scope, asked.id)
  if (!merge) throw new Error('a merge that was just written is gone')
  return { merge }
}

/** Merged as it is shown: whole groups. */
async function rootNamed(user: UserData, entityId: string): Promise<Named | undefined> {
  const found = await user.get<{ key: number }>('SELECT key FROM entities WHERE id = ? AND user_id = @user', entityId)
  return found && loadNamed(user, await rootOf(user, found.key))
}

export async function revertMerge(
  db: Database,
  scope: Scope,
  mergeId: string,
  now: number,
): Promise<EntityMerge | null> {
  const write = await lockOwner(db, scope, 'entity_merges', mergeId)
  const merge = write && (await findMerge(db, scope, mergeId))
  if (!merge) return null
  if (merge.revertedBy === 'user') return merge
  const row = await write.get<{ key: number; entity: number }>(
    'SELECT key, entity FROM entity_merges WHERE id = ? AND user_id = @user',
    mergeId,
  )
  if (!row) return null
  // Also one that a rule took back: a person has now said that the two are not one.
  await endMerge(write, row.key, row.entity, now, 'user')
  await write.end()
  return findMerge(db, scope, mergeId)
}
