/**
 * Whose memories a call may touch. Every storage call takes a scope before its payload, so a query
 * without one can't be written down. `everyone` is made in `http/access/caller-scope.ts` (authentication off, or
 * the master key in a cleanup), by the operator's own cleanup schedule, by `service/re-embed.ts`, which changes
 * vectors and shows nobody anything, by `service/recover-inbox.ts`, which stores each text for its own user, and by
 * `service/event-upkeep.ts` and `service/webhook-delivery.ts`, which tell each user's events to that user alone;
 * `architecture.test.ts` checks that.
 */
export interface UserScope {
  readonly kind: 'user'
  readonly userId: string
  /** Given: that project only. Absent: all of the user's memories. */
  readonly project?: string
}

export interface EveryoneScope {
  readonly kind: 'everyone'
  readonly project?: string
}

/** A key that names another user: sees nothing. */
export interface NobodyScope {
  readonly kind: 'nobody'
  /** The user whom it named: for the audit log alone. */
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

/** Whom an audit line names: null where a call is for everyone. */
export function auditedUser(scope: Scope): string | null {
  if (scope.kind === 'user') return scope.userId
  return scope.kind === 'nobody' ? (scope.askedFor ?? null) : null
}
