import { notFound } from '../core/errors.js'
import { isId } from '../core/ids.js'
import type { Memory } from '../core/memory.js'
import type { Scope } from '../core/scope.js'
import type { Entity, EntityQuery, Page, Relationship } from '../storage/storage.js'
import type { Deps } from './deps.js'

export async function listEntities(deps: Deps, scope: Scope, query: Omit<EntityQuery, 'now'>) {
  return deps.storage.listEntities(scope, { ...query, now: deps.clock.now() })
}

export async function findEntity(deps: Deps, scope: Scope, entityId: string): Promise<Entity> {
  const entity = isId('ent', entityId) ? await deps.storage.findEntity(scope, entityId, deps.clock.now()) : null
  if (entity === null) throw notFound('Entity')
  return entity
}

export async function entityRelationships(
  deps: Deps,
  scope: Scope,
  entityId: string,
  query: { readonly asOf?: number; readonly includeHistory?: boolean },
): Promise<{ entity: Entity; relationships: Relationship[] }> {
  const entity = await findEntity(deps, scope, entityId)
  const relationships = await deps.storage.relationships(scope, entityId, { ...query, now: deps.clock.now() })
  return { entity, relationships }
}

export async function entityMemories(
  deps: Deps,
  scope: Scope,
  entityId: string,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ entity: Entity; memories: Page<Memory> }> {
  await deps.accesses.settle()
  const entity = await findEntity(deps, scope, entityId)
  const memories = await deps.storage.list(scope, { ...page, entityId, now: deps.clock.now() })
  return { entity, memories }
}
