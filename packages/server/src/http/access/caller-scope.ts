/**
 * Who a request comes from, and whose memories it may reach. No other file in `http/` makes scopes, so the rules can be read (and are
 * tested) as one table.
 *
 * | caller            | reads                      | stores    | names ids              | cleans up           |
 * |-------------------|----------------------------|-----------|------------------------|---------------------|
 * | API key           | its user; another: nothing | its user  | its user; another: 404 | its user            |
 * | – of one project  | its project; another: none | its own   | its own; another: 404  | its own             |
 * | master key        | –                          | –         | –                      | everyone, or a user |
 * | anyone (auth off) | everyone, or a user        | user_id   | everyone, or a user    | everyone, or a user |
 */
import { invalid } from '../../core/errors.js'
import type { KeyLimits } from '../../core/key-access.js'
import {
  everyoneScope,
  type NobodyScope,
  nobodyScope,
  type Scope,
  type UserScope,
  userScope,
} from '../../core/scope.js'

export type Caller =
  | ({ readonly kind: 'user'; readonly keyId: string; readonly userId: string } & Pick<KeyLimits, 'access' | 'project'>)
  | { readonly kind: 'master' }
  /** Authentication is off: anyone may read and write. */
  | { readonly kind: 'anyone' }
  /** Authentication is on, and a route that needs no key was called without one. Reaches nothing. */
  | { readonly kind: 'nobody' }

/** For lists, entities and reports. Without a user_id, it covers everyone while authentication is off. */
export function scopeForReading(caller: Caller, userId?: string, project?: string): Scope {
  if (caller.kind === 'anyone') return userId === undefined ? everyoneScope(project) : userScope(userId, project)
  return ownScope(caller, userId, project)
}

/** For routes and bodies with ids. No user_id is needed, and a user who does not own the id finds nothing. */
export function scopeForIds(caller: Caller, userId?: string, project?: string): Scope {
  return scopeForReading(caller, userId, project)
}

/** For recall and delete-all, which always concern one user. */
export function scopeForOneUser(caller: Caller, userId?: string, project?: string): UserScope | NobodyScope {
  if (caller.kind !== 'anyone') return ownScope(caller, userId, project)
  if (userId === undefined) throw missingUser()
  return userScope(userId, project)
}

/** For a path that names its user. A key's own user is also `me`: an assistant may not know the id. */
export function scopeForNamedUser(caller: Caller, id: string, project?: string): UserScope | NobodyScope {
  return scopeForOneUser(caller, caller.kind === 'user' && id === 'me' ? undefined : id, project)
}

/** For storing: never under another user's name. */
export function scopeForStoring(caller: Caller, userId?: string, project?: string): UserScope {
  const scope = scopeForOneUser(caller, userId, projectForStoring(caller, project))
  if (scope.kind === 'nobody') throw invalid('user_id', 'must be the user of the API key, or omitted')
  return scope
}

/** The project that a caller may put a memory into. @throws ServiceError for a key of another project. */
export function projectForStoring<Project extends string | null | undefined>(
  caller: Caller,
  project: Project,
): Project {
  const own = caller.kind === 'user' ? caller.project : null
  if (own === null || project === undefined || project === own) return project
  throw invalid('project', 'must be the project of the API key, or omitted')
}

/** For cleanup. The master key cleans up for everyone, or for the user it names. */
export function scopeForCleanup(caller: Caller, userId?: string, project?: string): Scope {
  if (caller.kind !== 'master') return scopeForReading(caller, userId, project)
  return userId === undefined ? everyoneScope(project) : userScope(userId, project)
}

function ownScope(caller: Caller, userId: string | undefined, project: string | undefined): UserScope | NobodyScope {
  if (caller.kind !== 'user') return nobodyScope
  if (userId !== undefined && userId !== caller.userId) return { ...nobodyScope, askedFor: userId }
  if (caller.project === null) return userScope(caller.userId, project)
  // Another project is invisible, exactly like one that does not exist.
  return project === undefined || project === caller.project
    ? userScope(caller.userId, caller.project)
    : { ...nobodyScope, askedFor: caller.userId }
}

function missingUser() {
  return invalid('user_id', 'is required while authentication is off')
}
