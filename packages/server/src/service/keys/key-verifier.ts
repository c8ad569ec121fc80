/**
 * A key is looked up on every request, so a revocation holds at once on every instance; what is
 * remembered is only that a secret matched a hash, as a digest that is worthless outside this process.
 *
 * Work does not tell an attacker anything: an unknown id, a revoked key, a wrong secret and what is no key
 * at all each pay one look-up and one bcrypt of the same cost.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import bcrypt from 'bcrypt'
import type { Clock } from '../../core/clock.js'
import type { Log } from '../../core/log.js'
import type { KeyStore, StoredKey } from '../../storage/ports/key-store.js'
import { fairQueue, type Lane } from './fair-queue.js'
import { bcryptCost, claimedKeyId, hashSecret, parseKey } from './key-format.js'

type Verified =
  | { readonly kind: 'user'; readonly keyId: string; readonly userId: string }
  | { readonly kind: 'failed'; readonly keyId: string | null }

/** Who shows a key. It decides whose turn it is to have a key checked, never whether the key is good. */
interface Origin {
  /** Such as the network of the client's address. */
  readonly source: string
  /** It has shown bad keys lately. */
  readonly isSuspect: boolean
}

/** Tells whether a presented API key is good. See `docs/adr/0003-ids-and-keys.md`. */
export interface KeyVerifier {
  verify(presented: string, origin?: Origin): Promise<Verified>
  /** What a new key's row keeps of its secret. */
  hash(secret: string): Promise<string>
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
  /** Hashes computed at the same time: each keeps a core busy. */
  readonly maxConcurrent?: number
  readonly maxQueue?: number
  /** Of new hashes, and of the work that an unknown key costs. Lower only where keys protect nothing: tests and benches. */
  readonly cost?: number
  readonly compare?: (secret: string, hash: string) => Promise<boolean>
}

/** Of a random secret that nobody kept; its cost is `bcryptCost`. */
export const unknownKeyHash = '$2b$10$QVOI8JZJxGKA3rHhQpPDPO5CFvm3HPpqeZr/gCLzSg1PZ50p.iHOi'

export function keyVerifier(options: KeyVerifierOptions): KeyVerifier {
  const { storage, clock, compare = bcrypt.compare, cost = bcryptCost } = options
  const unknownHash =
    cost === bcryptCost ? unknownKeyHash : bcrypt.hashSync(randomBytes(32).toString('base64url'), cost)
  const digestKey = randomBytes(32)
  const matches = matchCache(options.maxCached ?? 10_000, options.cacheTtlMs ?? 5 * 60_000, clock)
  const queue = fairQueue({ maxConcurrent: options.maxConcurrent ?? 1, maxQueue: options.maxQueue ?? 64 })
  const uses = useRecorder(options)
  const comparing = new Map<string, Promise<boolean>>()

  /** Callers who present the same key at the same time wait for the same hash. */
  function compareOnce(asked: Asked, hash: string, lane: Lane): Promise<boolean> {
    const { keyId, secret, digest, origin } = asked
    const name = `${keyId} ${digest.toString('base64')} ${hash}`
    const known = comparing.get(name)
    if (known) return known
    const work = queue({ lane, source: origin.source }, () => compare(secret, hash)).finally(() =>
      comparing.delete(name),
    )
    comparing.set(name, work)
    return work
  }

  async function isGood(stored: StoredKey | null, asked: Asked): Promise<boolean> {
    const { keyId, digest, origin } = asked
    const lane = origin.isSuspect ? 'suspect' : 'clean'
    if (stored === null || stored.revokedAt !== null) {
      matches.forget(keyId)
      await compareOnce(asked, unknownHash, lane)
      return false
    }
    const match = matches.find(keyId, stored.hash, digest)
    if (match === 'fresh') return true
    // Who had the right secret a while ago does not wait behind those who never had one.
    if (!(await compareOnce(asked, stored.hash, match === 'stale' ? 'known' : lane))) return false
    matches.add(keyId, stored.hash, digest)
    return true
  }

  return {
    async verify(presented, origin = nowhere) {
      const parsed = parseKey(presented)
      const digest = createHmac('sha256', digestKey)
        .update(parsed?.secret ?? presented)
        .digest()
      const keyId = parsed?.keyId ?? claimedKeyId(presented)
      // What is no key costs the same: it is looked up, and its digest is compared like a secret.
      const found = await storage.findKey(keyId ?? unknownKeyId)
      const stored = parsed === null ? null : found
      const secret = parsed?.secret ?? digest.toString('base64url')
      // Under its own id, lest it make the verifier forget the key that it only claims to be.
      const asked = { keyId: parsed?.keyId ?? unknownKeyId, secret, digest, origin }
      const good = await isGood(stored, asked)
      if (!good || stored === null) return { kind: 'failed', keyId }
      uses.record(stored)
      return { kind: 'user', keyId: stored.id, userId: stored.userId }
    },
    hash: (secret) => hashSecret(secret, cost),
    settle: () => uses.flush(),
    close: () => uses.close(),
  }
}

interface Asked {
  readonly keyId: string
  readonly secret: string
  readonly digest: Buffer
  readonly origin: Origin
}

const nowhere: Origin = { source: '', isSuspect: false }
/** Of the right form, and nobody's. */
const unknownKeyId = `key_${'0'.repeat(26)}`

interface MatchCache {
  /** `stale`: it matched, and too long ago to be taken for granted. */
  find(keyId: string, hash: string, digest: Buffer): 'fresh' | 'stale' | 'none'
  add(keyId: string, hash: string, digest: Buffer): void
  forget(keyId: string): void
}

/** The least recently used match goes first: a map iterates in the order of insertion. */
function matchCache(maxCached: number, ttlMs: number, clock: Clock): MatchCache {
  const entries = new Map<string, { readonly hash: string; readonly digest: Buffer; readonly until: number }>()
  return {
    find(keyId, hash, digest) {
      const entry = entries.get(keyId)
      if (!entry) return 'none'
      entries.delete(keyId)
      if (entry.hash !== hash) return 'none'
      entries.set(keyId, entry)
      if (!timingSafeEqual(entry.digest, digest)) return 'none'
      return entry.until > clock.now() ? 'fresh' : 'stale'
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
