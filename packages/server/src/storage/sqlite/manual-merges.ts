/** Names that a person says are one, or are not. */
import type { Scope } from '../../core/scope.js'
import type { EntityMerge, ManualMerge, Merged } from '../ports/entity-merges.js'
import type { Database } from './database.js'
import { rootOf } from './entity-groups.js'
import { endMerge, insertMerge, loadNamed, type Named } from './merge-entities.js'
import { entitiesIn } from './read-entities.js'
import { findMerge } from './read-merges.js'
import { UserWrite } from './user-rows.js'

export function mergeEntities(db: Database, scope: Scope, entityId: string, asked: ManualMerge): Merged {
  const entity = rootNamed(db, scope, entityId)
  if (!entity) return { refused: 'no_entity' }
  const into = rootNamed(db, scope, asked.intoId)
  if (!into) return { refused: 'no_target' }
  if (entity.user !== into.user) return { refused: 'other_user' }
  if (entity.key === into.key) return { refused: 'same' }
  if (entity.type !== into.type) return { refused: 'other_type' }
  const write = UserWrite.begin(db, entity.user)
  const why = `Somebody said that ${entity.name} is ${into.name}.`
  insertMerge(db, { id: asked.id, entity, into, rule: 'manual', why, now: asked.now })
  write.end()
  const merge = findMerge(db, scope, asked.id)
  if (!merge) throw new Error('a merge that was just written is gone')
  return { merge }
}

/** Merged as it is shown: whole groups. */
function rootNamed(db: Database, scope: Scope, entityId: string): Named | undefined {
  const within = entitiesIn(db, scope)
  if (!within) return undefined
  const found = db.get<{ key: number }>(
    `SELECT e.key FROM entities e WHERE e.id = ? AND ${within.sql}`,
    entityId,
    ...within.values,
  )
  return found && loadNamed(db, rootOf(db, found.key))
}

export function revertMerge(db: Database, scope: Scope, mergeId: string, now: number): EntityMerge | null {
  const merge = findMerge(db, scope, mergeId)
  if (!merge) return null
  if (merge.revertedBy === 'user') return merge
  const row = db.get<{ key: number; entity: number; user: number }>(
    'SELECT key, entity, user FROM entity_merges WHERE id = ?',
    mergeId,
  )
  if (!row) return null
  const write = UserWrite.begin(db, row.user)
  // Also one that a rule took back: a person has now said that the two are not one.
  endMerge(db, row.key, row.entity, now, 'user')
  write.end()
  return findMerge(db, scope, mergeId)
}
