import { decideContradiction, findContradiction, listContradictions } from '../../service/contradictions.js'
import { scopeForIds, scopeForReading, scopeIn } from '../access/caller-scope.js'
import { cursorFor, writeCursor } from '../body/cursor.js'
import { readOwner } from '../body/request-values.js'
import { endpoint } from '../endpoint.js'
import { contradictionExample } from '../openapi/examples.js'
import { idParams, ownerBody, ownerQuery } from '../schemas/common.js'
import {
  contradictionAnswer,
  contradictionListAnswer,
  contradictionListQuery,
  decisionAnswer,
} from '../schemas/contradiction.js'
import { contradictionView } from '../views.js'

const list = endpoint({
  method: 'GET',
  path: '/contradictions',
  operationId: 'listContradictions',
  summary: 'List contradictions between memories, newest first',
  description:
    'There is one for every memory that replaced another, and one for memories that cannot both be true where neither was replaced.',
  tag: 'Contradictions',
  access: 'user',
  needs: 'read',
  forApplications: 'all',
  limit: 'default',
  query: contradictionListQuery,
  answer: contradictionListAnswer,
  example: { answer: { contradictions: [contradictionExample], total: 1, page: 1, limit: 50, next_cursor: null } },
  async handle({ deps, caller, query }) {
    const { limit, page = 1, status, include_expired: includeExpired } = query
    const cursor = cursorFor(query, 'contradiction')
    const scope = await scopeIn({ deps, caller }, query, 'reader', scopeForReading)
    const found = await listContradictions(deps, scope, {
      limit,
      ...(cursor ? { cursor } : { offset: (page - 1) * limit }),
      includeExpired,
      ...(status === undefined ? {} : { status }),
    })
    return {
      contradictions: found.items.map(contradictionView),
      total: found.total,
      page: cursor ? null : page,
      limit,
      next_cursor: found.next && writeCursor({ kind: 'contradiction', ...found.next }),
    }
  },
})

const read = endpoint({
  method: 'GET',
  path: '/contradictions/{id}',
  operationId: 'getContradiction',
  summary: 'Get one contradiction',
  tag: 'Contradictions',
  access: 'user',
  needs: 'read',
  forApplications: 'all',
  limit: 'default',
  notFound: true,
  params: idParams,
  query: ownerQuery,
  answer: contradictionAnswer,
  example: { answer: { contradiction: contradictionExample } },
  async handle({ deps, caller, params, query }) {
    const found = await findContradiction(
      deps,
      await scopeIn({ deps, caller }, query, 'reader', scopeForIds),
      params.id,
    )
    return { contradiction: contradictionView(found) }
  },
})

const accept = decision('accept', {
  summary: 'Accept: the new memory is current, and the old one is history',
  description:
    'A repeated request returns the same response. A 400 means that one of the memories has changed or was replaced since, so there is nothing left to decide.',
})

const revert = decision('revert', {
  summary: 'Revert: the old memory is current again, and the new one is history',
  description:
    'Everything that the new memory replaced is current again. An open contradiction is dismissed, and both memories are kept. A repeated request returns the same response. A 400 means that one of the memories has changed or was replaced since.',
})

function decision(verdict: 'accept' | 'revert', texts: { readonly summary: string; readonly description: string }) {
  return endpoint({
    method: 'POST',
    path: `/contradictions/{id}/${verdict}`,
    operationId: `${verdict}Contradiction`,
    ...texts,
    tag: 'Contradictions',
    access: 'user',
    needs: 'change',
    forApplications: 'all',
    limit: 'default',
    notFound: true,
    params: idParams,
    query: ownerQuery,
    body: ownerBody,
    bodyOptional: true,
    answer: decisionAnswer,
    async handle({ deps, actor, caller, params, query, body }) {
      const scope = await scopeIn({ deps, caller }, readOwner(body, query), 'writer', scopeForIds)
      const decided = await decideContradiction(deps, actor, scope, params.id, verdict)
      return { status: 'success' as const, contradiction: contradictionView(decided) }
    },
  })
}

export const contradictionEndpoints = [list, read, accept, revert]
