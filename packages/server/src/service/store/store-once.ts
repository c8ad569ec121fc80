/**
 * A store with an idempotency key: it happens once, however often it is sent. What decides is the answer that the commit keeps,
 * so a crash between commit and answer, or another instance, changes nothing; keys in flight here are told at once.
 */
import type { Actor } from '../../core/actor.js'
import { invalid, ServiceError } from '../../core/errors.js'
import { type Once, rememberedMs } from '../../core/once.js'
import { everyoneScope, type UserScope, userScope } from '../../core/scope.js'
import { AlreadyAnswered, type KeptAnswer } from '../../storage/ports/answers.js'
import type { Deps } from '../deps.js'
import { type StoreInput, store } from './store.js'
import { fromKept, type Stored } from './stored.js'

export interface StoredOnce extends Stored {
  /** Nothing was stored now: this was answered before. */
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
    const kept = await find(deps, scope, once)
    if (kept) return replay(deps, actor, scope, once, kept)
    const stored = { ...(await store(deps, actor, scope, input, once)), isReplayed: false }
    await deps.keysInFlight.sweep(deps)
    return stored
  } catch (error) {
    if (!(error instanceof AlreadyAnswered)) throw error
    const first = await find(deps, scope, once)
    if (!first) throw inFlight()
    return replay(deps, actor, scope, once, first)
  } finally {
    leave()
  }
}

function find(deps: Deps, scope: UserScope, { keyHash }: Once): Promise<KeptAnswer | null> {
  return deps.storage.findAnswer(userScope(scope.userId), keyHash, deps.clock.now() - rememberedMs)
}

function replay(deps: Deps, actor: Actor, scope: UserScope, once: Once, kept: KeptAnswer): StoredOnce {
  if (kept.fingerprint !== once.fingerprint) throw anotherRequest()
  const stored = fromKept(kept)
  const event = { event: 'memory.store', user_id: scope.userId, key_id: actor.keyId } as const
  const ids = stored.memories.map(({ id }) => id)
  for (const id of ids.length === 0 ? [null] : ids) deps.audit.record(actor, { ...event, memory_id: id }, 'replayed')
  return { ...stored, isReplayed: true }
}

function anotherRequest(): ServiceError {
  return invalid('idempotency-key', 'was used for another request in the last 24 hours')
}

function inFlight(): ServiceError {
  const message = 'A request with this Idempotency-Key is being worked on; try again in a moment'
  return new ServiceError('conflict', message, undefined, undefined, 1)
}

/** Keys of this instance whose first request has not been answered yet. */
export interface KeysInFlight {
  /** @throws ServiceError while another request with the key is in flight. Call what it returns at the end. */
  enter(userId: string, once: Once): () => void
  /** Drops answers that are too old, now and then and some at a time. Never rejects. */
  sweep(deps: Pick<Deps, 'storage' | 'clock' | 'log'>): Promise<void>
}

const sweepEveryMs = 60_000
const mostSwept = 500

export function keysInFlight(): KeysInFlight {
  const fingerprints = new Map<string, string>()
  let sweptAt = Number.NEGATIVE_INFINITY
  return {
    enter(userId, { keyHash, fingerprint }) {
      // A hash has one length: no two pairs make one name.
      const name = `${keyHash}${userId}`
      const known = fingerprints.get(name)
      if (known !== undefined) throw known === fingerprint ? inFlight() : anotherRequest()
      fingerprints.set(name, fingerprint)
      return () => fingerprints.delete(name)
    },
    async sweep({ storage, clock, log }) {
      const now = clock.now()
      // A clock that was set back must not stop it for long.
      if (Math.abs(now - sweptAt) < sweepEveryMs) return
      sweptAt = now
      try {
        const dropped = await storage.dropAnswers(everyoneScope(), now - rememberedMs, mostSwept)
        // There may be more: the next store goes on.
        if (dropped === mostSwept) sweptAt = Number.NEGATIVE_INFINITY
      } catch (error) {
        log.warn({ err: error }, 'old answers could not be dropped: tried again later')
      }
    },
  }
}
