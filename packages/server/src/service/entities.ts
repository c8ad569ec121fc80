import { notFound } from '../core/errors.js'
import { isId } from '../core/ids.js'
import type { Memory } from '../core/memory.js'
import type { Scope } from '../core/scope.js'
import type { Entity, EntityQuery, Relationship } from '../storage/ports/entities.js'
import type { Graph, GraphQuery } from '../storage/ports/graph.js'
import type { ListQuery, Page } from '../storage/ports/memory-reads.js'
import type { Deps } from './deps.js'
import { listMemories } from './list.js'

export async function listEntities(deps: Deps, scope: Scope, query: Omit<EntityQuery, 'now'>) {
  return deps.storage.listEntities(scope, { ...query, now: deps.clock.now() })
}

/** The entities and relationships of a scope at once, to draw them. */
export async function readGraph(deps: Deps, scope: Scope, query: Omit<GraphQuery, 'now'>): Promise<Graph> {
  return deps.storage.graph(scope, { ...query, now: deps.clock.now() })
}

export async function findEntity(deps: Deps, scope: Scope, entityId: string, asOf?: number): Promise<Entity> {
  const entity = await lookUp(deps, scope, entityId, asOf)
  if (entity === null) throw notFound('Entity')
  return entity
}

async function lookUp(deps: Deps, scope: Scope, entityId: string, asOf?: number): Promise<Entity | null> {
  return isId('ent', entityId) ? deps.storage.findEntity(scope, entityId, deps.clock.now(), asOf) : null
}

export async function entityRelationships(
  deps: Deps,
  scope: Scope,
  entityId: string,
  query: { readonly asOf?: number; readonly includeHistory?: boolean },
): Promise<{ entity: Entity; relationships: Relationship[] }> {
  const then = query.asOf === undefined ? null : await lookUp(deps, scope, entityId, query.asOf)
  // An entity that was not mentioned yet at that time has no relationships, as long as it exists now.
  const entity = then ?? (await findEntity(deps, scope, entityId))
  const relationships = await deps.storage.relationships(scope, entityId, { ...query, now: deps.clock.now() })
  return { entity, relationships }
}

export async function entityMemories(
  deps: Deps,
  scope: Scope,
  entityId: string,
  page: Pick<ListQuery, 'limit' | 'offset' | 'cursor' | 'asOf'>,
): Promise<{ entity: Entity; memories: Page<Memory> }> {
  const entity = await findEntity(deps, scope, entityId, page.asOf)
  return { entity, memories: await listMemories(deps, scope, { ...page, entityId }) }
}
