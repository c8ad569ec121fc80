import { entityMemories, entityRelationships, findEntity, listEntities, readGraph } from '../../service/entities.js'
import { scopeForIds, scopeForReading, scopeIn } from '../access/caller-scope.js'
import { cursorFor, writeCursor } from '../body/cursor.js'
import { readAsOf } from '../body/request-values.js'
import { endpoint } from '../endpoint.js'
import { entityExample, memoryExample, relationshipExample } from '../openapi/examples.js'
import { idParams } from '../schemas/common.js'
import {
  entityAnswer,
  entityListAnswer,
  entityListQuery,
  entityMemoriesAnswer,
  entityMemoriesQuery,
  entityQuery,
  graphAnswer,
  graphQuery,
  relationshipsAnswer,
  relationshipsQuery,
} from '../schemas/entity.js'
import { entityView, memoryView, relationshipView } from '../views.js'

export const listEntitiesEndpoint = endpoint({
  method: 'GET',
  path: '/entities',
  operationId: 'listEntities',
  summary: 'List the entities that memories mention',
  tag: 'Entities',
  access: 'user',
  needs: 'read',
  forApplications: 'all',
  limit: 'default',
  query: entityListQuery,
  answer: entityListAnswer,
  example: { answer: { entities: [entityExample], total: 1, page: 1, limit: 50 } },
  async handle({ deps, caller, query }) {
    const { limit, page, type, q } = query
    const scope = await scopeIn({ deps, caller }, query, 'reader', scopeForReading)
    const found = await listEntities(deps, scope, {
      limit,
      offset: (page - 1) * limit,
      ...readAsOf(query.as_of),
      ...(type === undefined ? {} : { type }),
      ...(q === undefined ? {} : { q }),
    })
    return { entities: found.items.map(entityView), total: found.total, page, limit }
  },
})

const read = endpoint({
  method: 'GET',
  path: '/entities/{id}',
  operationId: 'getEntity',
  summary: 'Get one entity',
  tag: 'Entities',
  access: 'user',
  needs: 'read',
  forApplications: 'all',
  limit: 'default',
  notFound: true,
  params: idParams,
  query: entityQuery,
  answer: entityAnswer,
  example: { answer: { entity: entityExample } },
  async handle({ deps, caller, params, query }) {
    const { asOf } = readAsOf(query.as_of)
    const scope = await scopeIn({ deps, caller }, query, 'reader', scopeForIds)
    return { entity: entityView(await findEntity(deps, scope, params.id, asOf)) }
  },
})

export const entityRelationshipsEndpoint = endpoint({
  method: 'GET',
  path: '/entities/{id}/relationships',
  operationId: 'getEntityRelationships',
  summary: 'Get the relationships of an entity, in both directions',
  tag: 'Entities',
  access: 'user',
  needs: 'read',
  forApplications: 'all',
  limit: 'default',
  notFound: true,
  params: idParams,
  query: relationshipsQuery,
  answer: relationshipsAnswer,
  example: { answer: { entity: entityExample, relationships: [relationshipExample], total: 1 } },
  async handle({ deps, caller, params, query }) {
    const scope = await scopeIn({ deps, caller }, query, 'reader', scopeForIds)
    const found = await entityRelationships(deps, scope, params.id, {
      includeHistory: query.include_history,
      ...readAsOf(query.as_of),
    })
    return {
      entity: entityView(found.entity),
      relationships: found.relationships.map(relationshipView),
      total: found.relationships.length,
    }
  },
})

const memories = endpoint({
  method: 'GET',
  path: '/entities/{id}/memories',
  operationId: 'getEntityMemories',
  summary: 'Get the memories that mention an entity, newest first',
  tag: 'Entities',
  access: 'user',
  needs: 'read',
  forApplications: 'all',
  limit: 'default',
  notFound: true,
  params: idParams,
  query: entityMemoriesQuery,
  answer: entityMemoriesAnswer,
  example: {
    answer: { entity: entityExample, memories: [memoryExample], total: 1, page: 1, limit: 50, next_cursor: null },
  },
  async handle({ deps, caller, params, query }) {
    const { limit, page = 1 } = query
    const scope = await scopeIn({ deps, caller }, query, 'reader', scopeForIds)
    const moment = readAsOf(query.as_of)
    const cursor = cursorFor(query, 'created')
    const place = cursor ? { cursor } : { offset: (page - 1) * limit }
    const found = await entityMemories(deps, scope, params.id, { limit, ...place, ...moment })
    const { next } = found.memories
    const at = moment.asOf ?? deps.clock.now()
    return {
      entity: entityView(found.entity),
      memories: found.memories.items.map((item) => memoryView(item, deps.settings.decay, at)),
      total: found.memories.total,
      page: cursor ? null : page,
      limit,
      next_cursor: next && writeCursor({ kind: 'created', ...next }),
    }
  },
})

const graph = endpoint({
  method: 'GET',
  path: '/graph',
  operationId: 'getGraph',
  summary: 'Get the graph of entities and their relationships',
  description:
    'For drawing the graph: the entities with the most memories, up to limit, and the relationships between them, each with the memories that support it. With as_of: the graph as it was known at that moment.',
  tag: 'Entities',
  access: 'user',
  needs: 'read',
  forApplications: 'all',
  limit: 'default',
  query: graphQuery,
  answer: graphAnswer,
  example: {
    answer: {
      entities: [
        entityExample,
        { ...entityExample, id: relationshipExample.target_id, name: 'Acme Corp', type: 'ORG' },
      ],
      relationships: [relationshipExample],
      total_entities: 2,
      total_relationships: 1,
    },
  },
  async handle({ deps, caller, query }) {
    const scope = await scopeIn({ deps, caller }, query, 'reader', scopeForReading)
    const found = await readGraph(deps, scope, { limit: query.limit, ...readAsOf(query.as_of) })
    return {
      entities: found.entities.map(entityView),
      relationships: found.relationships.map(relationshipView),
      total_entities: found.totalEntities,
      total_relationships: found.totalRelationships,
    }
  },
})

export const entityEndpoints = [listEntitiesEndpoint, read, entityRelationshipsEndpoint, memories, graph]
