import type { Actor } from '../core/actor.js'
import { invalid, notFound, ServiceError } from '../core/errors.js'
import { isId } from '../core/ids.js'
import { timed } from '../core/meter.js'
import { isWhollyOutdated, type PartRange, remainingText, withoutPart, withParts } from '../core/outdated.js'
import { auditedUser, type Scope } from '../core/scope.js'
import { embeddingText } from '../ingest/embedding-text.js'
import { outdatedPart } from '../ingest/outdated-part.js'
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
      const decision = await withRemaining(deps, scope, found, { verdict, now })
      return timed(deps.meter, 'commit', () => deps.storage.decide(scope, contradictionId, decision))
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

async function withRemaining(deps: Deps, scope: Scope, found: Contradiction, decision: Decision): Promise<Decision> {
  if (found.part !== null || decision.verdict === 'accept')
    return { ...decision, remaining: await remainingAfter(deps, scope, found, decision) }
  const withdrawn = await withdrawnWords(deps, found)
  if (withdrawn === null) return decision
  const text = remainingText(found.new.content, withdrawn)
  const [vector] = await timed(deps.meter, 'embed', () => deps.embedder.embed([embeddingText(text, null)]))
  if (!vector) throw new Error('the embedder returned fewer results than texts')
  return {
    ...decision,
    withdrawn,
    remaining: [{ memoryId: found.new.id, text, vector, modelId: deps.embedder.modelId }],
  }
}

/** The words of the new memory that the old one speaks against; null: all of them, or the model cannot tell. */
async function withdrawnWords(deps: Deps, { old, new: by }: Contradiction): Promise<readonly PartRange[] | null> {
  try {
    const [judgement] = await deps.judge.judge([{ old: by.content, fresh: old.content, follows: false }])
    return judgement ? outdatedPart(by.content, judgement.words) : null
  } catch (error) {
    deps.log.warn({ err: error }, 'the judging model failed: the new memory is withdrawn as a whole')
    return null
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
      : withoutPart(outdated, { start: 0, end: content.length }, by.id)
  if (after === outdated || isWhollyOutdated(content, after)) return []
  const text = remainingText(content, after)
  const [vector] = await timed(deps.meter, 'embed', () => deps.embedder.embed([embeddingText(text, null)]))
  if (!vector) throw new Error('the embedder returned fewer results than texts')
  return [{ memoryId: old.id, text, vector, modelId: deps.embedder.modelId }]
}
