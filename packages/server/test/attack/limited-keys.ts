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
} as const satisfies Readonly<Record<string, Partial<KeyLimits>>>

export type LimitedKind = keyof typeof limitedKinds

/** Whether a key of one project may call it is the second value. An operation that is missing here fails the tests. */
export const decidedNeeds: Readonly<Record<string, readonly [needs: 'read' | 'store' | 'change', ofProject: boolean]>> =
  {
    storeMemories: ['store', true],
    recallMemories: ['read', true],
    getProfile: ['read', true],
    listMemories: ['read', true],
    getMemory: ['read', true],
    getMemoryHistory: ['read', true],
    updateMemory: ['change', true],
    deleteMemories: ['change', true],
    releaseMemory: ['change', true],
    putItem: ['change', true],
    getItem: ['read', true],
    listItemVersions: ['read', true],
    deleteItem: ['change', true],
    listItems: ['read', true],
    deleteItems: ['change', true],
    listNamespaces: ['read', true],
    searchItems: ['read', true],
    listGrants: ['read', false],
    revokeGrant: ['change', false],
    listContradictions: ['read', true],
    getContradiction: ['read', true],
    acceptContradiction: ['change', true],
    revertContradiction: ['change', true],
    consolidate: ['change', true],
    listEntities: ['read', true],
    getEntity: ['read', true],
    getEntityRelationships: ['read', true],
    getEntityMemories: ['read', true],
    getGraph: ['read', true],
    listEntityMerges: ['read', false],
    mergeEntity: ['change', false],
    revertMerge: ['change', false],
    getDecayReport: ['read', true],
    getMemoryDecay: ['read', true],
    cleanupExpired: ['change', true],
    runCleanup: ['change', true],
    listEvents: ['read', true],
    createWebhook: ['change', false],
    listWebhooks: ['change', false],
    getWebhook: ['change', false],
    deleteWebhook: ['change', false],
    listDeadLetters: ['change', false],
    redeliverEvents: ['change', false],
    createSpace: ['change', false],
    listSpaces: ['read', false],
    getSpace: ['read', false],
    renameSpace: ['change', false],
    deleteSpace: ['change', false],
    listMembers: ['read', false],
    setMember: ['change', false],
    removeMember: ['change', false],
    leaveSpaces: ['change', false],
  }

export function isAllowed(limits: Partial<KeyLimits>, operation: Operation): boolean {
  const operationId = String(operation.description.operationId)
  const decision = decidedNeeds[operationId]
  if (decision === undefined) throw new Error(`decide which keys may call ${operationId}`)
  const [needs, ofProject] = decision
  const { access = 'full' } = limits
  const isOfAccess = access === 'full' || (access === 'read' ? needs === 'read' : needs === 'store')
  return isOfAccess && (ofProject || limits.project === undefined)
}

/** Throws if the limited key got more than it may. */
export function checkLimits(kind: LimitedKind, operation: Operation, { status, body }: Outcome): void {
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
  const { memories } = (body ?? {}) as { readonly memories?: unknown }
  if (JSON.stringify(memories) !== '[]') throw new Error('a key that only stores sees memories')
}
