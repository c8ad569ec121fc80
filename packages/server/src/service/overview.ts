import type { Scope } from '../core/scope.js'
import type { DayCount, ProjectCount, UserPage, UserQuery } from '../storage/ports/storage.js'
import type { Deps } from './deps.js'

/** For operators: the users of the whole store. */
export function listUsers(deps: Deps, query: UserQuery): Promise<UserPage> {
  return deps.storage.overview.users(query)
}

export function listProjects(deps: Deps, scope: Scope): Promise<ProjectCount[]> {
  return deps.storage.overview.projects(scope, deps.clock.now())
}

export function activity(deps: Deps, scope: Scope): Promise<DayCount[]> {
  return deps.storage.overview.activity(scope)
}
