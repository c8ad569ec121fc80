import type { Actor } from '../core/actor.js'
import { invalid, notFound, ServiceError } from '../core/errors.js'
import { isId } from '../core/ids.js'
import { timed } from '../core/meter.js'
import { isWhollyOutdated, remainingText, withoutPart, withParts } from '../core/outdated.js'
import { auditedUser, type Scope } from '../core/scope.js'
import { embeddingText } from '../ingest/embedding-text.js'
import type {
  Contradiction,
  ContradictionQuery,
  Decided,
  Decision,
  RemainingText,
} from '../storage/ports/contradictions.js'
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
    const found = await findContradiction(deps, scope, contradictionId)
    const { userId } = found
    // Under the user's lock, so that no store decides about the same memories.
    const decided = await deps.userLocks.run(userId, async () => {
      const now = deps.clock.now()
      const remaining = await remainingAfter(deps, scope, found, { verdict, now })
      return timed(deps.meter, 'commit', () => deps.storage.decide(scope, contradictionId, { verdict, now, remaining }))
    })
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

/** Embeds the text of the old memory that will remain, if only a part of it is decided about. */
async function remainingAfter(
  deps: Deps,
  scope: Scope,
  { part, old, new: by }: Contradiction,
  { verdict, now }: Decision,
): Promise<RemainingText[]> {
  const memory = part && (await deps.storage.find(scope, old.id, { now }))
  if (!memory || memory.content !== old.content) return []
  const { content, outdated } = memory
  const after =
    verdict === 'accept'
      ? withParts(outdated, [{ ...part, since: now, by: by.id }])
      : withoutPart(outdated, part, by.id)
  if (after === outdated || isWhollyOutdated(content, after)) return []
  const text = remainingText(content, after)
  const [vector] = await timed(deps.meter, 'embed', () => deps.embedder.embed([embeddingText(text, null)]))
  if (!vector) throw new Error('the embedder returned fewer results than texts')
  return [{ memoryId: old.id, text, vector, modelId: deps.embedder.modelId }]
}
