import { entityMemories, entityRelationships, findEntity, listEntities } from '../../service/entities.js'
import { scopeForIds, scopeForReading } from '../authenticate.js'
import { endpoint } from '../endpoint.js'
import { entityExample, memoryExample, relationshipExample } from '../examples.js'
import { readTimestamp } from '../request-values.js'
import { idParams, ownerQuery } from '../schemas/common.js'
import {
  entityAnswer,
  entityListAnswer,
  entityListQuery,
  entityMemoriesAnswer,
  entityMemoriesQuery,
  relationshipsAnswer,
  relationshipsQuery,
} from '../schemas/entity.js'
import { entityView, memoryView, relationshipView } from '../views.js'

const list = endpoint({
  method: 'GET',
  path: '/entities',
  operationId: 'listEntities',
  summary: 'List the entities that memories mention',
  tag: 'Entities',
  access: 'user',
  limit: 'default',
  query: entityListQuery,
  answer: entityListAnswer,
  example: { answer: { entities: [entityExample], total: 1, page: 1, limit: 50 } },
  async handle({ deps, caller, query }) {
    const { limit, page, type, q } = query
    const found = await listEntities(deps, scopeForReading(caller, query.user_id, query.project), {
      limit,
      offset: (page - 1) * limit,
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
  limit: 'default',
  notFound: true,
  params: idParams,
  query: ownerQuery,
  answer: entityAnswer,
  example: { answer: { entity: entityExample } },
  async handle({ deps, caller, params, query }) {
    return { entity: entityView(await findEntity(deps, scopeForIds(caller, query.user_id), params.id)) }
  },
})

const relationships = endpoint({
  method: 'GET',
  path: '/entities/{id}/relationships',
  operationId: 'getEntityRelationships',
  summary: 'Get the relationships of an entity, in both directions',
  tag: 'Entities',
  access: 'user',
  limit: 'default',
  notFound: true,
  params: idParams,
  query: relationshipsQuery,
  answer: relationshipsAnswer,
  example: { answer: { entity: entityExample, relationships: [relationshipExample], total: 1 } },
  async handle({ deps, caller, params, query }) {
    const found = await entityRelationships(deps, scopeForIds(caller, query.user_id), params.id, {
      includeHistory: query.include_history,
      ...(query.as_of === undefined ? {} : { asOf: readTimestamp('as_of', query.as_of) }),
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
  limit: 'default',
  notFound: true,
  params: idParams,
  query: entityMemoriesQuery,
  answer: entityMemoriesAnswer,
  example: { answer: { entity: entityExample, memories: [memoryExample], total: 1, page: 1, limit: 50 } },
  async handle({ deps, caller, params, query }) {
    const { limit, page } = query
    const scope = scopeForIds(caller, query.user_id)
    const found = await entityMemories(deps, scope, params.id, { limit, offset: (page - 1) * limit })
    const now = deps.clock.now()
    return {
      entity: entityView(found.entity),
      memories: found.memories.items.map((item) => memoryView(item, deps.settings.decay, now)),
      total: found.memories.total,
      page,
      limit,
    }
  },
})

export const entityEndpoints = [list, read, relationships, memories]
