/** Merges that a user requests, and reverted merges. */
import type { Scope } from '../../../core/scope.js'
import { isStorable } from '../../domain/storable-text.js'
import type { EntityMerge, ManualMerge, Merged } from '../../ports/entity-merges.js'
import type { Session, UserKey } from '../session.js'
import { dataOf, type UserData } from '../user-data.js'
import { lockOwner } from '../user-write.js'
import { rootOf } from './entity-groups.js'
import { endMerge, insertMerge } from './merge-entities.js'
import type { Named } from './named.js'
import { findMerge } from './read-merges.js'

export async function mergeEntities(
  session: Session,
  scope: Scope,
  entityId: string,
  asked: ManualMerge,
): Promise<Merged> {
  // Looked up before the transaction is limited to the owner of the first entity.
  const targetOwner = await ownerOf(session, scope, asked.intoId)
  const write = await lockOwner(session, scope, 'entities', entityId)
  const entity = write && (await findRoot(write, entityId))
  if (!entity) return { refused: 'no_entity' }
  if (targetOwner === undefined) return { refused: 'no_target' }
  if (targetOwner !== write.key) return { refused: 'other_user' }
  const into = await findRoot(write, asked.intoId)
  if (!into) return { refused: 'no_target' }
  if (entity.key === into.key) return { refused: 'same' }
  if (entity.type !== into.type) return { refused: 'other_type' }
  const why = `A user merged ${entity.name} into ${into.name}.`
  await insertMerge(write, { id: asked.id, entity, into, rule: 'manual', why, at: asked.now })
  await write.end()
  const merge = await findMerge(write, asked.id)
  if (!merge) throw new Error('a merge that was just written is missing')
  return { merge }
}

async function ownerOf(session: Session, scope: Scope, entityId: string): Promise<UserKey | undefined> {
  if (scope.kind === 'nobody' || !isStorable(entityId)) return undefined
  if (scope.kind === 'user') return (await dataOf(session, scope.userId))?.key
  const row = await session.get<{ user_id: UserKey }>('SELECT user_id FROM entities WHERE id = ? LIMIT 1', entityId)
  return row?.user_id
}

/** The entity that this one is shown as, because whole groups are merged. */
function findRoot(user: UserData, entityId: string): Promise<Named | undefined> {
  return user.get<Named>(
    `SELECT key, type, name, name_key FROM entities WHERE user_id = @user AND key = (
       SELECT ${rootOf('asked')} FROM entities asked WHERE asked.id = ? AND asked.user_id = @user)`,
    entityId,
  )
}

export async function revertMerge(
  session: Session,
  scope: Scope,
  mergeId: string,
  now: number,
): Promise<EntityMerge | null> {
  const write = await lockOwner(session, scope, 'entity_merges', mergeId)
  const row = await write?.get<{ key: number; entity: number }>(
    'SELECT key, entity FROM entity_merges WHERE id = ? AND user_id = @user',
    mergeId,
  )
  const merge = write && row && (await findMerge(write, mergeId))
  if (!merge) return null
  if (merge.revertedBy === 'user') return merge
  // Also for a merge that a rule has ended: a user has now said that the two are different.
  await endMerge(write, row, now, 'user')
  await write.end()
  return findMerge(write, mergeId)
}
