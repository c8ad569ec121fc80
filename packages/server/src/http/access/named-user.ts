/**
 * The user that a request names. An application key acts for this user: from here on its request is like one with a key of the user, with
 * the same scope, limits and audit lines.
 */
import { invalid } from '../../core/errors.js'
import { type Caller, reaches } from './caller-scope.js'

export interface RequestParts {
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
}

/** How a path names the user of a key. An application key has no user of its own, so it names nobody. */
const ownUser = 'me'

/** Undefined: it names none. Handlers check that parts that name a user agree. */
export function namedUser({ params, query, body }: RequestParts): string | undefined {
  const inPath = textIn(params)
  return textIn(body) ?? textIn(query) ?? (inPath === ownUser ? undefined : inPath)
}

/** An application key becomes a key of the user; other callers stay who they are. @throws ServiceError if no user is named. */
export function actingFor(caller: Caller, userId: string | undefined): Caller {
  if (caller.kind !== 'application') return caller
  if (userId === undefined) {
    throw invalid('user_id', 'is required: an application key acts for the user that the request names')
  }
  if (!reaches(caller, userId)) return caller
  const { keyId, access, project, userPrefix } = caller
  return { kind: 'user', keyId, userId, access, project, userPrefix }
}

function textIn(part: unknown): string | undefined {
  if (typeof part !== 'object' || part === null || !Object.hasOwn(part, 'user_id')) return undefined
  const { user_id: userId } = part as { readonly user_id?: unknown }
  return typeof userId === 'string' ? userId : undefined
}
