/** Idempotency keys whose first request this instance is still working on, and the cleanup of old responses. */
import type { Clock } from '../../core/clock.js'
import { invalid, ServiceError } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import { type Once, rememberedMs } from '../../core/once.js'
import { everyoneScope } from '../../core/scope.js'
import type { Answers } from '../../storage/ports/answers.js'

export interface KeysInFlight {
  /** @throws ServiceError while another request with the key is in flight. Call the returned function at the end. */
  enter(userId: string, once: Once): () => void
  /** Drops old responses from time to time, some at a time. Never rejects. */
  sweep(deps: { readonly storage: Answers; readonly clock: Clock; readonly log: Log }): Promise<void>
}

const sweepEveryMs = 60_000
const mostSwept = 500

export function keysInFlight(): KeysInFlight {
  const fingerprints = new Map<string, string>()
  let sweptAt = Number.NEGATIVE_INFINITY
  return {
    enter(userId, { keyHash, fingerprint }) {
      // All hashes have the same length, so no two pairs have the same name.
      const name = `${keyHash}${userId}`
      const known = fingerprints.get(name)
      if (known !== undefined) throw known === fingerprint ? inFlight() : anotherRequest()
      fingerprints.set(name, fingerprint)
      return () => fingerprints.delete(name)
    },
    async sweep({ storage, clock, log }) {
      const now = clock.now()
      // A clock that was set back must not stop the sweep for long.
      if (Math.abs(now - sweptAt) < sweepEveryMs) return
      sweptAt = now
      try {
        const dropped = await storage.dropAnswers(everyoneScope(), now - rememberedMs, mostSwept)
        // There may be more: the next store continues.
        if (dropped === mostSwept) sweptAt = Number.NEGATIVE_INFINITY
      } catch (error) {
        log.warn({ err: error }, 'old responses could not be dropped; the next sweep tries again')
      }
    },
  }
}

export function anotherRequest(): ServiceError {
  return invalid('idempotency-key', 'was used for another request in the last 24 hours')
}

export function inFlight(): ServiceError {
  const message = 'A request with this Idempotency-Key is still in progress; try again in a moment'
  return new ServiceError('conflict', message, undefined, undefined, 1)
}
