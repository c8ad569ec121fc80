/** Keys with limits: what each operation needs, by decision and not by the table of endpoints, and checks of their responses. */
import type { KeyLimits } from '../../src/core/key-access.js'
import type { Operation } from '../support/openapi-check.js'
import { accessOf } from '../support/samples.js'
import { sharedProjects } from './crowd.js'
import type { Outcome } from './door.js'

const project = sharedProjects[0] ?? ''

export const limitedKinds = {
  read: { access: 'read' },
  write: { access: 'write' },
  project: { project },
  'project, read': { access: 'read', project },
  expired: { expiresAt: 1 },
  application: { userPrefix: '' },
  'application, read': { userPrefix: '', access: 'read' },
  // Of each user: `limitsOf` puts the user in its place.
  'application, prefix': { userPrefix: 'own' },
} as const satisfies Readonly<Record<string, Partial<KeyLimits>>>

export type LimitedKind = keyof typeof limitedKinds

/** The limits of a kind, for one user. */
export function limitsOf(kind: LimitedKind, userId: string): Partial<KeyLimits> {
  const limits: Partial<KeyLimits> = limitedKinds[kind]
  return limits.userPrefix ? { ...limits, userPrefix: userId } : limits
}

export const isApplication = (kind: LimitedKind) => 'userPrefix' in limitedKinds[kind]

type Application = 'all' | 'without prefix' | 'none'

/**
 * The second value: whether a key of one project may call it. The third: which application keys may. An operation that is missing here
 * fails the tests.
 */
export const decidedNeeds: Readonly<
  Record<string, readonly [needs: 'read' | 'store' | 'change', ofProject: boolean, application: Application]>
> = {
  storeMemories: ['store', true, 'all'],
  storeBatch: ['store', true, 'all'],
  recallMemories: ['read', true, 'all'],
  getProfile: ['read', true, 'all'],
  listMemories: ['read', true, 'all'],
  listProjects: ['read', true, 'all'],
  getActivity: ['read', true, 'all'],
  getMemory: ['read', true, 'all'],
  getMemoryHistory: ['read', true, 'all'],
  updateMemory: ['change', true, 'all'],
  deleteMemories: ['change', true, 'all'],
  deleteMemory: ['change', true, 'all'],
  releaseMemory: ['change', true, 'all'],
  listGrants: ['read', false, 'none'],
  revokeGrant: ['change', false, 'none'],
  listContradictions: ['read', true, 'all'],
  getContradiction: ['read', true, 'all'],
  acceptContradiction: ['change', true, 'all'],
  revertContradiction: ['change', true, 'all'],
  consolidate: ['change', true, 'all'],
  listEntities: ['read', true, 'all'],
  getEntity: ['read', true, 'all'],
  getEntityRelationships: ['read', true, 'all'],
  getEntityMemories: ['read', true, 'all'],
  getGraph: ['read', true, 'all'],
  listEntityMerges: ['read', false, 'all'],
  mergeEntity: ['change', false, 'all'],
  revertMerge: ['change', false, 'all'],
  getDecayReport: ['read', true, 'all'],
  getMemoryDecay: ['read', true, 'all'],
  cleanupExpired: ['change', true, 'all'],
  runCleanup: ['change', true, 'all'],
  listEvents: ['read', true, 'all'],
  createWebhook: ['change', false, 'none'],
  listWebhooks: ['change', false, 'none'],
  getWebhook: ['change', false, 'none'],
  deleteWebhook: ['change', false, 'none'],
  listDeadLetters: ['change', false, 'none'],
  redeliverEvents: ['change', false, 'none'],
  createSpace: ['change', false, 'none'],
  listSpaces: ['read', false, 'without prefix'],
  getSpace: ['read', false, 'without prefix'],
  renameSpace: ['change', false, 'none'],
  deleteSpace: ['change', false, 'none'],
  listMembers: ['read', false, 'none'],
  setMember: ['change', false, 'none'],
  removeMember: ['change', false, 'none'],
  putItem: ['change', true, 'all'],
  getItem: ['read', true, 'all'],
  listItemVersions: ['read', true, 'all'],
  deleteItem: ['change', true, 'all'],
  listItems: ['read', true, 'all'],
  deleteItems: ['change', true, 'all'],
  listNamespaces: ['read', true, 'all'],
  searchItems: ['read', true, 'all'],
  leaveSpaces: ['change', false, 'none'],
}

export function isAllowed(limits: Partial<KeyLimits>, operation: Operation): boolean {
  const operationId = String(operation.description.operationId)
  const decision = decidedNeeds[operationId]
  if (decision === undefined) throw new Error(`decide which keys may call ${operationId}`)
  const [needs, ofProject, application] = decision
  const { access = 'full', userPrefix } = limits
  if (userPrefix !== undefined && application === 'none') return false
  if (userPrefix && application !== 'all') return false
  const isOfAccess = access === 'full' || (access === 'read' ? needs === 'read' : needs === 'store')
  return isOfAccess && (ofProject || limits.project === undefined)
}

/** Throws if the limited key got more than it may. `named`: the request names a user. */
export function checkLimits(kind: LimitedKind, operation: Operation, { status, body }: Outcome, named = true): void {
  if (!['user', 'cleanup'].includes(accessOf(operation)) || status === 429) return
  const limits: Partial<KeyLimits> = limitedKinds[kind]
  if (limits.expiresAt !== undefined) {
    if (status !== 401) throw new Error(`an expired key got ${status}`)
    return
  }
  if (!isAllowed(limits, operation)) {
    if (status !== 403) throw new Error(`a key (${kind}) got ${status}`)
    return
  }
  if (isApplication(kind) && !named) {
    if (status !== 400) throw new Error(`an application key that names no user got ${status}`)
    return
  }
  if (status === 403 && !isAboutRole(body)) throw new Error(`a key (${kind}) was refused`)
  if (limits.project) requireProject(body, limits.project)
  if (limits.access === 'write' && status < 400) requireNothing(body)
}

/** The role of the user in a space, which limits every key of the user alike. */
function isAboutRole(body: unknown): boolean {
  const { error } = (body ?? {}) as { readonly error?: { readonly details?: readonly { readonly path: string }[] } }
  return error?.details?.some(({ path }) => path === 'space') ?? false
}

/** Nothing of another project, or of none. */
function requireProject(body: unknown, own: string): void {
  if (typeof body !== 'object' || body === null) return
  if ('project' in body && body.project !== own && (body.project !== null || 'content' in body)) {
    throw new Error(`a key of one project sees ${JSON.stringify(body).slice(0, 300)}`)
  }
  for (const value of Object.values(body)) requireProject(value, own)
}

function requireNothing(body: unknown): void {
  const { memories, results } = (body ?? {}) as { readonly memories?: unknown; readonly results?: unknown }
  if (Array.isArray(results)) {
    // A batch: a stored item has the response of a single store.
    for (const { result } of results) if (result !== undefined) requireNothing(result)
    return
  }
  if (JSON.stringify(memories) !== '[]') throw new Error('a key that only stores sees memories')
}
