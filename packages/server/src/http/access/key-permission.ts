/**
 * Which operations a limited key may call. The table of endpoints says what each of them needs, and this is the only check: routes call it
 * before the body is read, and MCP before an operation is performed. What a key of one project reaches is up to `caller-scope.ts`.
 */
import type { Actor } from '../../core/actor.js'
import { ServiceError } from '../../core/errors.js'
import { allows } from '../../core/key-access.js'
import type { Deps } from '../../service/deps.js'
import type { Endpoint } from '../endpoint.js'
import type { Caller } from './caller-scope.js'

type Needs = Pick<Endpoint, 'access' | 'needs' | 'spansProjects' | 'forApplications' | 'operationId'>

/** @throws ServiceError for a key that may not call this. */
export function requirePermission(
  { audit }: Pick<Deps, 'audit'>,
  caller: Caller,
  endpoint: Needs,
  actor: Pick<Actor, 'ip' | 'requestId'>,
): void {
  const problem = denialOf(caller, endpoint)
  if (problem === undefined || (caller.kind !== 'user' && caller.kind !== 'application')) return
  const { keyId } = caller
  const userId = caller.kind === 'user' ? caller.userId : null
  const event = { event: 'auth.denied', user_id: userId, key_id: keyId, operation: endpoint.operationId } as const
  audit.record(actor, event, 'rejected')
  throw new ServiceError('forbidden', problem)
}

/** Undefined: the caller may call it. */
export function denialOf(caller: Caller, { access, needs, spansProjects, forApplications }: Needs): string | undefined {
  if (caller.kind !== 'user' && caller.kind !== 'application') return undefined
  if ((access !== 'user' && access !== 'cleanup') || needs === 'any') return undefined
  if (caller.userPrefix !== undefined && forApplications !== 'all') {
    if (forApplications === undefined) return 'This is not open to application keys'
    if (caller.userPrefix !== '') return 'This is not open to an application key with a prefix'
  }
  // An endpoint that says nothing is closed to every limited key.
  const isAllowed = needs === undefined ? caller.access === 'full' : allows(caller.access, needs)
  if (!isAllowed) {
    return caller.access === 'write' ? 'This API key may only store memories' : 'This API key may only read'
  }
  if (caller.project === null || (needs !== undefined && !spansProjects)) return undefined
  return 'This API key is limited to one project, and this concerns all projects of its user'
}
