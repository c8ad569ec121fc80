import { unavailable } from '../../core/errors.js'
import type { UserScope } from '../../core/scope.js'
import { RevisionConflict } from '../../storage/ports/memory-writes.js'
import type { Deps } from '../deps.js'

const attempts = 8

/**
 * One store at a time per user. Another instance may still write for the same user between reading and committing: the
 * commit then fails with `RevisionConflict`, and `work` runs again on what is there now.
 */
export function inTurn<Result>(deps: Deps, scope: UserScope, work: () => Promise<Result>): Promise<Result> {
  return deps.userLocks.run(scope.userId, async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error
        if (attempt === attempts) throw unavailable('This user is being written to by too many callers at once')
      }
    }
  })
}
