/**
 * A key is looked up on every request, so a revocation holds at once on every instance; what is
 * remembered is only that a secret matched a hash, as a digest that is worthless outside this process.
 *
 * Work does not tell an attacker anything: an unknown id, a revoked key and a wrong secret each pay one
 * bcrypt of the same cost. A malformed key pays none: that it is malformed its sender can see himself.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import bcrypt from 'bcrypt'
import type { Clock } from '../core/clock.js'
import { unavailable } from '../core/errors.js'
import type { Log } from '../core/log.js'
import type { KeyStore, StoredKey } from '../storage/key-store.js'
import { claimedKeyId, parseKey } from './key-format.js'

type Verified =
  | { readonly kind: 'user'; readonly keyId: string; readonly userId: string }
  | { readonly kind: 'failed'; readonly keyId: string | null }

/** Tells whether a presented API key is good. See `docs/adr/0003-ids-and-keys.md`. */
export interface KeyVerifier {
  verify(presented: string): Promise<Verified>
  /** Resolves when every use so far is in the store, so that a list of keys tells of it. */
  settle(): Promise<void>
  close(): Promise<void>
}

export interface KeyVerifierOptions {
  readonly storage: Pick<KeyStore, 'findKey' | 'touchKeys'>
  readonly clock: Clock
  readonly log: Log
  /** How long a match is remembered. */
  readonly cacheTtlMs?: number
  readonly maxCached?: number
  /** Hashes computed at the same time: each keeps one of libuv's four threads busy. */
  readonly maxConcurrent?: number
  readonly maxQueue?: number
  readonly compare?: (secret: string, hash: string) => Promise<boolean>
}

/** Of a random secret that nobody kept; its cost is `bcryptCost`. */
export const unknownKeyHash = '$2b$10$QVOI8JZJxGKA3rHhQpPDPO5CFvm3HPpqeZr/gCLzSg1PZ50p.iHOi'

export function keyVerifier(options: KeyVerifierOptions): KeyVerifier {
  const { storage, clock, compare = bcrypt.compare } = options
  const digestKey = randomBytes(32)
  const matches = matchCache(options.maxCached ?? 10_000, options.cacheTtlMs ?? 5 * 60_000, clock)
  const gate = boundedGate(options.maxConcurrent ?? 2, options.maxQueue ?? 64)
  const uses = useRecorder(options)
  const comparing = new Map<string, Promise<boolean>>()

  /** Callers who present the same key at the same time wait for the same hash. */
  function compareOnce(keyId: string, secret: string, digest: Buffer, hash: string): Promise<boolean> {
    const name = `${keyId} ${digest.toString('base64')} ${hash}`
    const known = comparing.get(name)
    if (known) return known
    const work = gate(() => compare(secret, hash)).finally(() => comparing.delete(name))
    comparing.set(name, work)
    return work
  }

  async function isGood(stored: StoredKey | null, keyId: string, secret: string): Promise<boolean> {
    const digest = createHmac('sha256', digestKey).update(secret).digest()
    if (stored === null || stored.revokedAt !== null) {
      matches.forget(keyId)
      await compareOnce(keyId, secret, digest, unknownKeyHash)
      return false
    }
    if (matches.has(keyId, stored.hash, digest)) return true
    if (!(await compareOnce(keyId, secret, digest, stored.hash))) return false
    matches.add(keyId, stored.hash, digest)
    return true
  }

  return {
    async verify(presented) {
      const parsed = parseKey(presented)
      if (parsed === null) return { kind: 'failed', keyId: claimedKeyId(presented) }
      const { keyId, secret } = parsed
      const stored = await storage.findKey(keyId)
      if (!(await isGood(stored, keyId, secret)) || stored === null) return { kind: 'failed', keyId }
      uses.record(stored)
      return { kind: 'user', keyId, userId: stored.userId }
    },
    settle: () => uses.flush(),
    close: () => uses.close(),
  }
}

interface MatchCache {
  has(keyId: string, hash: string, digest: Buffer): boolean
  add(keyId: string, hash: string, digest: Buffer): void
  forget(keyId: string): void
}

/** The least recently used match goes first: a map iterates in the order of insertion. */
function matchCache(maxCached: number, ttlMs: number, clock: Clock): MatchCache {
  const entries = new Map<string, { readonly hash: string; readonly digest: Buffer; readonly until: number }>()
  return {
    has(keyId, hash, digest) {
      const entry = entries.get(keyId)
      if (!entry) return false
      entries.delete(keyId)
      if (entry.until <= clock.now() || entry.hash !== hash) return false
      entries.set(keyId, entry)
      return timingSafeEqual(entry.digest, digest)
    },
    add(keyId, hash, digest) {
      entries.delete(keyId)
      entries.set(keyId, { hash, digest, until: clock.now() + ttlMs })
      for (const oldest of entries.keys()) {
        if (entries.size <= maxCached) break
        entries.delete(oldest)
      }
    },
    forget(keyId) {
      entries.delete(keyId)
    },
  }
}

/** Runs at most `maxConcurrent` at a time; refuses when `maxQueue` more wait already. */
function boundedGate(maxConcurrent: number, maxQueue: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < maxConcurrent) running += 1
    else {
      if (waiting.length >= maxQueue) throw unavailable('Too many API keys are being checked; try again in a moment')
      // Whoever finishes hands over its place, so `running` stays as it is.
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

const useResolutionMs = 60_000
const useDelayMs = 2_000

interface UseRecorder {
  record(key: StoredKey): void
  flush(): Promise<void>
  close(): Promise<void>
}

/** `last_used_at` to the minute, written together a moment later. What fails to be written, the next use writes. */
function useRecorder({ storage, clock, log }: KeyVerifierOptions): UseRecorder {
  const waiting = new Map<string, number>()
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let closed = false

  async function write(): Promise<void> {
    const batch = [...waiting].map(([keyId, at]) => ({ keyId, at }))
    if (batch.length === 0) return
    try {
      await storage.touchKeys(batch)
    } catch (error) {
      log.warn({ err: error, keys: batch.length }, 'last use of keys could not be written')
    }
    // Only now: a key stays out of the next batch until its row tells of this use.
    for (const { keyId } of batch) waiting.delete(keyId)
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    running = running.then(write)
    return running
  }

  function schedule(): void {
    if (timer) return
    timer = setTimeout(() => void flush(), useDelayMs)
    timer.unref()
  }

  return {
    record(key) {
      const at = clock.now()
      if (closed || waiting.has(key.id) || (key.lastUsedAt !== null && at - key.lastUsedAt < useResolutionMs)) return
      waiting.set(key.id, at)
      schedule()
    },
    flush,
    async close() {
      closed = true
      await flush()
    },
  }
}
