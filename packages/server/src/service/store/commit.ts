import { timed } from '../../core/meter.js'
import type { Once } from '../../core/once.js'
import { type UserScope, userScope } from '../../core/scope.js'
import { isDoubted } from '../../guard/sanitize.js'
import type { Committed, NewMemory, StoreCommit } from '../../storage/ports/memory-writes.js'
import type { Deps } from '../deps.js'
import type { Decided, FreshMemory } from './decide.js'
import { eventTimeOf } from './event-time.js'
import { foundContradictions } from './found-contradictions.js'
import { defaultSource, type Outline, toKeep } from './stored.js'
import { withIds } from './with-ids.js'

/** Further work of the same transaction. */
export interface CommitOptions {
  /** Keeps the response under this idempotency key. */
  readonly once: Once | undefined
  /** Takes this text out of the inbox. */
  readonly rawId?: string | undefined
}

/** A store that is decided, with the part of its response that is known. */
export interface Ready {
  readonly scope: UserScope
  readonly decided: Decided
  readonly outline: Outline
  readonly options: CommitOptions
}

/** One transaction: new memories, sightings of known ones, contradictions, and the kept response. */
export async function commit(deps: Deps, ready: Ready): Promise<Committed> {
  const owner = userScope(ready.scope.userId)
  const committed = await timed(deps.meter, 'commit', () => deps.storage.commit(owner, contentsOf(deps, ready)))
  recordAccess(deps, ready)
  return committed
}

/** Several stores of one user in one transaction, in order: all or none. */
export async function commitAll(deps: Deps, ready: readonly Ready[]): Promise<readonly Committed[]> {
  const [first] = ready
  if (!first) return []
  const owner = userScope(first.scope.userId)
  const stores = ready.map((each) => contentsOf(deps, each))
  const committed = await timed(deps.meter, 'commit', () => deps.storage.commitAll(owner, stores))
  for (const each of ready) recordAccess(deps, each)
  return committed
}

function contentsOf(deps: Deps, { scope, decided, outline, options: { once, rawId } }: Ready): StoreCommit {
  const { drafted, fresh, sightings, revision } = decided
  const { input, segments, conversation, now } = drafted
  return {
    expectedRevision: revision,
    now,
    ...(rawId === undefined ? {} : { rawId }),
    document: { id: deps.ids.next('doc'), segments, source: input.source ?? defaultSource },
    memories: fresh.map((each) => newMemory(deps, scope, decided, each)),
    sightings,
    conversation,
    factsModel: deps.texts.statementModelId,
    ...(once === undefined ? {} : { answer: toKeep(once, outline, now) }),
  }
}

function recordAccess(deps: Deps, { scope, decided: { drafted, sightings } }: Ready): void {
  deps.accesses.record(
    scope.userId,
    sightings.map(({ memoryId }) => memoryId),
    drafted.now,
  )
}

function newMemory(
  deps: Deps,
  scope: UserScope,
  { drafted: { input }, known }: Decided,
  { memory, decision }: FreshMemory,
): NewMemory {
  return {
    id: memory.id,
    createdAt: memory.createdAt,
    source: input.source ?? defaultSource,
    segments: memory.segments,
    supersedes: decision.kind === 'update' ? decision.supersedes : [],
    endings: decision.endings,
    contradictions: foundContradictions(deps, memory.slots, decision, known),
    version: {
      content: memory.content,
      contentKey: memory.contentKey,
      checksum: memory.checksum,
      metadata: input.metadata,
      project: scope.project ?? null,
      expiresAt: memory.expiresAt,
      trustScore: memory.trustScore,
      flagged: memory.flagged,
      vector: memory.vector,
      facts: memory.facts,
      event: eventTimeOf(memory.content, memory.createdAt),
      modelId: deps.embedder.modelId,
      ...withIds(deps, memory.content, memory.tagged, isDoubted(memory), decision.doubtful),
    },
  }
}
