/**
 * Who a request comes from, and whose memories it may reach. No other file in `http/` makes scopes, so the rules can be read (and are
 * tested) as one table.
 *
 * | caller            | reads                      | stores    | names ids              | cleans up           |
 * |-------------------|----------------------------|-----------|------------------------|---------------------|
 * | API key           | its user; another: nothing | its user  | its user; another: 404 | its user            |
 * | – of one project  | its project; another: none | its own   | its own; another: 404  | its own             |
 * | application key   | the user that it names, like a key of that user; a user outside its prefix: nothing, 404    |
 * | master key        | –                          | –         | –                      | everyone, or a user |
 * | anyone (auth off) | everyone, or a user        | user_id   | everyone, or a user    | everyone, or a user |
 *
 * A space is reached by its members alone, whatever the row: `scopeIn` looks up the role for every request. A key of one project reaches
 * no space, and neither does an application key with a prefix. The id of a space is never accepted as a `user_id`.
 */
import { invalid, notFound, ServiceError } from '../../core/errors.js'
import { isId } from '../../core/ids.js'
import type { KeyLimits } from '../../core/key-access.js'
import {
  everyoneScope,
  type NobodyScope,
  nobodyScope,
  type Scope,
  type UserScope,
  userScope,
} from '../../core/scope.js'
import { includesRole, isSpaceId, type Role } from '../../core/space.js'
import type { Deps } from '../../service/deps.js'

export type Caller =
  | ({
      readonly kind: 'user'
      readonly keyId: string
      readonly userId: string
      /** Only of an application key that acts for the user. */
      readonly userPrefix?: string
    } & Pick<KeyLimits, 'access' | 'project'>)
  /** An application key before its user is known, or outside its prefix. Reaches nothing. */
  | ({ readonly kind: 'application'; readonly keyId: string; readonly userPrefix: string } & Pick<
      KeyLimits,
      'access' | 'project'
    >)
  | { readonly kind: 'master' }
  /** Authentication is off: anyone may read and write. */
  | { readonly kind: 'anyone' }
  /** Authentication is on, and a route that needs no key was called without one. Reaches nothing. */
  | { readonly kind: 'nobody' }

/** For logs and limits. Null: it presented no API key. */
export function keyIdOf(caller: Caller): string | null {
  return caller.kind === 'user' || caller.kind === 'application' ? caller.keyId : null
}

/** For lists, entities and reports. Without a user_id, it covers everyone while authentication is off. */
export function scopeForReading(caller: Caller, userId?: string, project?: string): Scope {
  if (caller.kind === 'anyone') return userId === undefined ? everyoneScope(project) : namedScope(userId, project)
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
  return namedScope(userId, project)
}

/** For a path that names its user. A key's own user is also `me`: an assistant may not know the id. */
export function userInPath(caller: Caller, id: string): string | undefined {
  return caller.kind === 'user' && id === 'me' ? undefined : id
}

/** For storing: never under another user's name. */
export function scopeForStoring(caller: Caller, userId?: string, project?: string): UserScope {
  const scope = scopeForOneUser(caller, userId, projectForStoring(caller, project))
  if (scope.kind === 'nobody') {
    const allowed =
      caller.kind === 'application' ? 'a user that the API key may act for' : 'the user of the API key, or omitted'
    throw invalid('user_id', `must be ${allowed}`)
  }
  return scope
}

/** The project that a caller may put a memory into. @throws ServiceError for a key of another project. */
export function projectForStoring<Project extends string | null | undefined>(
  caller: Caller,
  project: Project,
): Project {
  const own = caller.kind === 'user' || caller.kind === 'application' ? caller.project : null
  if (own === null || project === undefined || project === own) return project
  throw invalid('project', 'must be the project of the API key, or omitted')
}

/** For cleanup. The master key cleans up for everyone, or for the user it names. */
export function scopeForCleanup(caller: Caller, userId?: string, project?: string): Scope {
  if (caller.kind !== 'master') return scopeForReading(caller, userId, project)
  return userId === undefined ? everyoneScope(project) : namedScope(userId, project)
}

/** For the end of all memberships: the user of the key, or the user that the master key names. */
export function scopeForLeaving(caller: Caller, userId: string | undefined): UserScope | NobodyScope {
  if (caller.kind !== 'master' || userId === undefined) return scopeForOneUser(caller, userId)
  return namedScope(userId, undefined)
}

/** Exactly: case, width and accents count. No application key acts for a space. */
export function reaches({ userPrefix }: { readonly userPrefix: string }, userId: string): boolean {
  return userId.startsWith(userPrefix) && !isSpaceId(userId)
}

/** The owner of a memory, for an application key whose request names only the id. Undefined if it does not reach the owner. */
export async function userOfMemory({ deps, caller }: Asking, memoryId: string): Promise<string | undefined> {
  if (caller.kind !== 'application' || !isId('mem', memoryId)) return undefined
  const found = await deps.storage.find(everyoneScope(), memoryId, { now: deps.clock.now() })
  return found !== null && reaches(caller, found.userId) ? found.userId : undefined
}

/** The fields of a request that say whose memories it concerns. */
export interface Named {
  readonly user_id?: string | undefined
  readonly space?: string | undefined
  readonly project?: string | undefined
}

/** A caller, and what is needed to look up its roles. */
export interface Asking {
  readonly deps: Pick<Deps, 'storage' | 'clock'>
  readonly caller: Caller
}

/** The space that a request names, for a member with at least this role. Without a space, the scope that `own` makes. */
export async function scopeIn<S extends Scope>(
  asking: Asking,
  { user_id: userId, space, project }: Named,
  least: Role,
  own: (caller: Caller, userId?: string, project?: string) => S,
): Promise<S | UserScope> {
  if (space === undefined) return own(asking.caller, userId, project)
  await requireRole(asking, userId, space, least)
  return userScope(space, project)
}

/** In a list of spaces, the memories of the user. */
const ownMemories = 'own'

/** For a recall: each of the spaces, in their order, or the memories of the user. */
export async function scopesForRecall(
  asking: Asking,
  { user_id: userId, project }: Named,
  spaces: readonly string[] | undefined,
): Promise<(UserScope | NobodyScope)[]> {
  if (spaces === undefined) return [scopeForOneUser(asking.caller, userId, project)]
  const scopes: (UserScope | NobodyScope)[] = []
  for (const space of new Set(spaces)) {
    const named = { user_id: userId, project, ...(space === ownMemories ? {} : { space }) }
    scopes.push(await scopeIn(asking, named, 'reader', scopeForOneUser))
  }
  return scopes
}

/**
 * Nothing is cached, so that the end of a membership holds for the next request on every instance. A space without a membership looks
 * exactly like one that does not exist.
 */
export async function requireRole(
  { deps, caller }: Asking,
  userId: string | undefined,
  space: string,
  least: Role,
): Promise<{ readonly role: Role; readonly member: UserScope }> {
  const member = scopeForOneUser(caller, userId)
  // A key of one project reaches nothing outside its user's project, so no space exists for it. In a space, users outside the prefix of an
  // application key may have stored something.
  const isWholeUser = caller.kind !== 'user' || (caller.project === null && !caller.userPrefix)
  const canAsk = member.kind === 'user' && isWholeUser && isSpaceId(space)
  const role = canAsk ? await deps.storage.spaces.roleIn(member, space) : null
  if (member.kind !== 'user' || role === null) throw notFound('Space')
  if (includesRole(role, least)) return { role, member }
  const message = `needs the role ${least} in the space; yours is ${role}`
  throw new ServiceError('forbidden', `space: ${message}`, [{ path: 'space', message }])
}

function ownScope(caller: Caller, userId: string | undefined, project: string | undefined): UserScope | NobodyScope {
  if (caller.kind === 'application') return { ...nobodyScope, ...(userId === undefined ? {} : { askedFor: userId }) }
  // No key is made for the id of a space, but an archive might contain one.
  if (caller.kind !== 'user' || isSpaceId(caller.userId)) return nobodyScope
  if (userId !== undefined && userId !== caller.userId) return { ...nobodyScope, askedFor: userId }
  if (caller.project === null) return userScope(caller.userId, project)
  // Another project is invisible, exactly like one that does not exist.
  return project === undefined || project === caller.project
    ? userScope(caller.userId, caller.project)
    : { ...nobodyScope, askedFor: caller.userId }
}

function namedScope(userId: string, project: string | undefined): UserScope {
  if (isSpaceId(userId)) throw invalid('user_id', 'must not be the id of a space; name it as space')
  return userScope(userId, project)
}

function missingUser() {
  return invalid('user_id', 'is required while authentication is off')
}
