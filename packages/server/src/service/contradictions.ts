import type { Actor } from '../core/actor.js'
import { invalid, notFound, ServiceError } from '../core/errors.js'
import { isId } from '../core/ids.js'
import { timed } from '../core/meter.js'
import { auditedUser, type Scope } from '../core/scope.js'
import type { Contradiction, ContradictionQuery, Decided, Decision } from '../storage/ports/contradictions.js'
import type { Deps } from './deps.js'

export async function listContradictions(deps: Deps, scope: Scope, query: Omit<ContradictionQuery, 'now'>) {
  return deps.storage.listContradictions(scope, { ...query, now: deps.clock.now() })
}

export async function findContradiction(deps: Deps, scope: Scope, contradictionId: string): Promise<Contradiction> {
  const found = isId('con', contradictionId)
    ? await deps.storage.findContradiction(scope, contradictionId, deps.clock.now())
    : null
  if (found === null) throw notFound('Contradiction')
  return found
}

const refusals: Readonly<Record<NonNullable<Decided['refused']>, string>> = {
  changed: 'One of the two memories has different content now, so there is nothing left to decide',
  superseded: 'One of the two memories has been replaced by another one: decide that contradiction first',
}

/** Accepts or reverts. Repeating a decision returns the same response. */
export async function decideContradiction(
  deps: Deps,
  actor: Actor,
  scope: Scope,
  contradictionId: string,
  verdict: Decision['verdict'],
): Promise<Contradiction> {
  const event = verdict === 'accept' ? 'contradiction.accepted' : 'contradiction.reverted'
  const audit = (userId: string | null, outcome: 'success' | 'rejected' | 'failed' | 'not_found') =>
    deps.audit.record(
      actor,
      { event, user_id: userId, key_id: actor.keyId, contradiction_id: contradictionId },
      outcome,
    )
  try {
    const { userId } = await findContradiction(deps, scope, contradictionId)
    // Under the user's lock, so that no store decides about the same memories.
    const decided = await deps.userLocks.run(userId, () =>
      timed(deps.meter, 'commit', () =>
        deps.storage.decide(scope, contradictionId, { verdict, now: deps.clock.now() }),
      ),
    )
    if (decided === null) throw notFound('Contradiction')
    if (decided.refused !== null) throw invalid('', refusals[decided.refused])
    audit(userId, 'success')
    return decided.contradiction
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : undefined
    audit(auditedUser(scope), code === 'not_found' ? 'not_found' : code === 'validation_error' ? 'rejected' : 'failed')
    throw error
  }
}
