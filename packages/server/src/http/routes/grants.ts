import { isoTimestamp } from '../../core/clock.js'
import { listGrants, revokeGrant } from '../../service/oauth/grants.js'
import { scopeForCleanup } from '../access/caller-scope.js'
import { endpoint } from '../endpoint.js'
import { grantExample } from '../openapi/examples.js'
import { idParams } from '../schemas/common.js'
import { grantsQuery, listGrantsAnswer, revokeGrantAnswer } from '../schemas/grant.js'
import { grantView } from '../views.js'

const list = endpoint({
  method: 'GET',
  path: '/grants',
  operationId: 'listGrants',
  summary: 'List the OAuth grants of connected applications, newest first',
  description: 'With an API key, those of its user; with the master key, all. Ended grants are listed for a week.',
  tag: 'Keys',
  access: 'cleanup',
  needs: 'read',
  spansProjects: true,
  limit: 'default',
  query: grantsQuery,
  answer: listGrantsAnswer,
  example: { answer: { grants: [grantExample], total: 1 } },
  async handle({ deps, caller, query }) {
    const grants = await listGrants(deps, scopeForCleanup(caller, query.user_id))
    const now = deps.clock.now()
    return { grants: grants.map((grant) => grantView(grant, now)), total: grants.length }
  },
})

const revoke = endpoint({
  method: 'DELETE',
  path: '/grants/{id}',
  operationId: 'revokeGrant',
  summary: 'Revoke an OAuth grant',
  description: 'Its tokens stop working immediately. An unknown or already revoked grant is a 404.',
  tag: 'Keys',
  access: 'cleanup',
  needs: 'change',
  spansProjects: true,
  limit: 'default',
  notFound: true,
  params: idParams,
  query: grantsQuery,
  answer: revokeGrantAnswer,
  example: { answer: { status: 'success', id: grantExample.id, revoked_at: grantExample.created_at } },
  async handle({ deps, actor, caller, params, query }) {
    const revokedAt = await revokeGrant(deps, actor, scopeForCleanup(caller, query.user_id), params.id)
    return { status: 'success' as const, id: params.id, revoked_at: isoTimestamp(revokedAt) }
  },
})

export const grantEndpoints = [list, revoke]
