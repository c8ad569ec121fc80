/**
 * A store with an idempotency key happens once, however often it is sent. The response that the commit keeps decides, so neither a
 * crash between commit and response nor another instance changes that. A repetition of a request in flight is refused at once.
 */
import type { Actor } from '../../core/actor.js'
import { type Once, rememberedMs } from '../../core/once.js'
import { type UserScope, userScope } from '../../core/scope.js'
import { AlreadyAnswered, type KeptAnswer } from '../../storage/ports/answers.js'
import type { Deps } from '../deps.js'
import { anotherRequest, inFlight } from './keys-in-flight.js'
import { store } from './store.js'
import type { StoreInput } from './store-input.js'
import { fromKept, type Stored } from './stored.js'

export interface StoredOnce extends Stored {
  /** Nothing was stored now: this is the response to an earlier request. */
  readonly isReplayed: boolean
}

export async function storeOnce(
  deps: Deps,
  actor: Actor,
  scope: UserScope,
  input: StoreInput,
  once: Once,
): Promise<StoredOnce> {
  const leave = deps.keysInFlight.enter(scope.userId, once)
  try {
    const replayed = await findReplay(deps, actor, scope, once)
    if (replayed) return replayed
    const stored = { ...(await store(deps, actor, scope, input, once)), isReplayed: false }
    await deps.keysInFlight.sweep(deps)
    return stored
  } catch (error) {
    if (!(error instanceof AlreadyAnswered)) throw error
    const first = await findReplay(deps, actor, scope, once)
    if (!first) throw inFlight()
    return first
  } finally {
    leave()
  }
}

/** Null: the key is new. @throws ServiceError if it was used for another request. */
export async function findReplay(deps: Deps, actor: Actor, scope: UserScope, once: Once): Promise<StoredOnce | null> {
  const after = deps.clock.now() - rememberedMs
  const kept = await deps.storage.findAnswer(userScope(scope.userId), once.keyHash, after)
  return kept && replay(deps, actor, scope, once, kept)
}

function replay(deps: Deps, actor: Actor, scope: UserScope, once: Once, kept: KeptAnswer): StoredOnce {
  if (kept.fingerprint !== once.fingerprint) throw anotherRequest()
  const stored = fromKept(kept)
  const event = { event: 'memory.store', user_id: scope.userId, key_id: actor.keyId } as const
  const ids = stored.memories.map(({ id }) => id)
  for (const id of ids.length === 0 ? [null] : ids) deps.audit.record(actor, { ...event, memory_id: id }, 'replayed')
  return { ...stored, isReplayed: true }
}
