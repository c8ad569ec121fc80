/**
 * Whose memories a call may touch. Every storage call takes a scope before its payload, so a query without one cannot be
 * written. Only these files make a scope for everyone, and `architecture.test.ts` checks it:
 *
 * - `http/access/caller-scope.ts`: authentication is off, the master key requests a cleanup or a consolidation, or an application key names
 *   a memory by its id alone: it looks up the owner, and shows nothing;
 * - `service/upkeep/cleanup-schedule.ts`: the operator's cleanup;
 * - `service/upkeep/consolidation-schedule.ts`: it compares each memory with memories of the same user only;
 * - `service/upkeep/re-embed.ts`: it changes vectors and shows nothing to anyone;
 * - `service/upkeep/recover-inbox.ts`: it stores each text for its own user;
 * - `service/upkeep/event-upkeep.ts` and `service/webhooks/webhook-delivery.ts`: each user's events go to that user only, and old
 *   conversations are dropped;
 * - `service/store/keys-in-flight.ts`: it drops responses that are too old.
 */
export interface UserScope {
  readonly kind: 'user'
  readonly userId: string
  /** Only that project. Absent: all of the user's memories. */
  readonly project?: string
}

export interface EveryoneScope {
  readonly kind: 'everyone'
  readonly project?: string
}

/** For a key that names another user: it sees nothing. */
export interface NobodyScope {
  readonly kind: 'nobody'
  /** The user that it named, for the audit log only. */
  readonly askedFor?: string
}

export type Scope = UserScope | EveryoneScope | NobodyScope

export function userScope(userId: string, project?: string): UserScope {
  return project === undefined ? { kind: 'user', userId } : { kind: 'user', userId, project }
}

export function everyoneScope(project?: string): EveryoneScope {
  return project === undefined ? { kind: 'everyone' } : { kind: 'everyone', project }
}

export const nobodyScope: NobodyScope = { kind: 'nobody' }

/** The user that an audit line names; null for a call on behalf of everyone. */
export function auditedUser(scope: Scope): string | null {
  if (scope.kind === 'user') return scope.userId
  return scope.kind === 'nobody' ? (scope.askedFor ?? null) : null
}
