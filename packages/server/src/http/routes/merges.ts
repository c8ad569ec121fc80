import { entityMerges, mergeEntity, revertMerge } from '../../service/entity-merges.js'
import { scopeForIds, scopeIn } from '../access/caller-scope.js'
import { readOwner } from '../body/request-values.js'
import { endpoint } from '../endpoint.js'
import { entityExample, mergeExample } from '../openapi/examples.js'
import { idParams, ownerBody, ownerQuery } from '../schemas/common.js'
import { mergeAnswer, mergeRequest, mergesAnswer } from '../schemas/merge.js'
import { entityView, mergeView } from '../views.js'

const list = endpoint({
  method: 'GET',
  path: '/entities/{id}/merges',
  operationId: 'listEntityMerges',
  summary: 'List the names that were merged into an entity, and why',
  description: 'Newest first, including reverted merges; at most 500.',
  tag: 'Entities',
  access: 'user',
  needs: 'read',
  forApplications: 'all',
  spansProjects: true,
  limit: 'default',
  notFound: true,
  params: idParams,
  query: ownerQuery,
  answer: mergesAnswer,
  example: { answer: { entity: entityExample, merges: [mergeExample], total: 1 } },
  async handle({ deps, caller, params, query }) {
    const found = await entityMerges(deps, await scopeIn({ deps, caller }, query, 'reader', scopeForIds), params.id)
    return { entity: entityView(found.entity), merges: found.merges.map(mergeView), total: found.merges.length }
  },
})

const merge = endpoint({
  method: 'POST',
  path: '/entities/{id}/merge',
  operationId: 'mergeEntity',
  summary: 'Merge an entity into another one of the same type',
  description: 'From then on it is shown as part of the other entity. A merge can be reverted.',
  tag: 'Entities',
  access: 'user',
  needs: 'change',
  forApplications: 'all',
  spansProjects: true,
  limit: 'default',
  notFound: true,
  params: idParams,
  query: ownerQuery,
  body: mergeRequest,
  answer: mergeAnswer,
  example: { request: { into: mergeExample.into.id }, answer: { status: 'success', merge: mergeExample } },
  async handle({ deps, actor, caller, params, query, body }) {
    const scope = await scopeIn({ deps, caller }, readOwner(body, query), 'writer', scopeForIds)
    const made = await mergeEntity(deps, actor, scope, params.id, body.into)
    return { status: 'success' as const, merge: mergeView(made) }
  },
})

const revert = endpoint({
  method: 'POST',
  path: '/merges/{id}/revert',
  operationId: 'revertMerge',
  summary: 'Revert a merge: the two are separate entities again',
  description:
    'Each entity has the memories that use its name, and no rule merges the two again. A repeated request returns the same response.',
  tag: 'Entities',
  access: 'user',
  needs: 'change',
  forApplications: 'all',
  spansProjects: true,
  limit: 'default',
  notFound: true,
  params: idParams,
  query: ownerQuery,
  body: ownerBody,
  bodyOptional: true,
  answer: mergeAnswer,
  async handle({ deps, actor, caller, params, query, body }) {
    const scope = await scopeIn({ deps, caller }, readOwner(body, query), 'writer', scopeForIds)
    const reverted = await revertMerge(deps, actor, scope, params.id)
    return { status: 'success' as const, merge: mergeView(reverted) }
  },
})

export const mergeEndpoints = [list, merge, revert]
