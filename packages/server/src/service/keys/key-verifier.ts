/**
 * A key is looked up on every request, so a revocation takes effect at once on every instance. The cache holds only the fact
 * that a secret matched a hash, as a digest that is worthless outside this process.
 *
 * Timing reveals nothing to an attacker: an unknown id, a revoked key, a wrong secret and a malformed key each cost one look-up
 * and one bcrypt of the same cost.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import bcrypt from 'bcrypt'
import type { Clock } from '../../core/clock.js'
import { isExpired, type KeyLimits } from '../../core/key-access.js'
import type { Log } from '../../core/log.js'
import type { KeyStore, StoredKey } from '../../storage/ports/key-store.js'
import { FairQueue, type Lane } from './fair-queue.js'
import { bcryptCost, claimedKeyId, hashSecret, parseKey } from './key-format.js'
import { type UseRecorder, useRecorder } from './use-recorder.js'

type Limits = Pick<KeyLimits, 'access' | 'project'>

type Verified =
  | ({ readonly kind: 'user'; readonly keyId: string; readonly userId: string } & Limits)
  | ({ readonly kind: 'application'; readonly keyId: string; readonly userPrefix: string } & Limits)
  /** The secret is right, so whoever presents it may know why it is refused. */
  | { readonly kind: 'expired'; readonly keyId: string }
  | { readonly kind: 'failed'; readonly keyId: string | null }

/** Who presents a key. It decides whose key is checked next, never whether a key is valid. */
interface Origin {
  /** Such as the network of the client's address. */
  readonly source: string
  /** It has presented invalid keys recently. */
  readonly isSuspect: boolean
}

/** Decides whether a presented API key is valid. See `docs/adr/0003-ids-and-keys.md`. */
export interface KeyVerifier {
  verify(presented: string, origin?: Origin): Promise<Verified>
  /** The hash that is stored with a new key. */
  hash(secret: string): Promise<string>
  /** Resolves when every use so far is in the store, so that a list of keys shows it. */
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
  /** The bcrypt cost of new hashes, and of checking an unknown key. Lower it only in tests and benchmarks. */
  readonly cost?: number
  readonly compare?: (secret: string, hash: string) => Promise<boolean>
}

/** The hash of a random secret that was thrown away; its cost is `bcryptCost`. */
export const unknownKeyHash = '$2b$10$QVOI8JZJxGKA3rHhQpPDPO5CFvm3HPpqeZr/gCLzSg1PZ50p.iHOi'

export function keyVerifier(options: KeyVerifierOptions): KeyVerifier {
  return new BcryptVerifier(options)
}

class BcryptVerifier implements KeyVerifier {
  readonly #storage: KeyVerifierOptions['storage']
  readonly #clock: Clock
  readonly #compare: (secret: string, hash: string) => Promise<boolean>
  readonly #cost: number
  readonly #unknownHash: string
  readonly #digestKey = randomBytes(32)
  readonly #matches: MatchCache
  readonly #queue: FairQueue
  readonly #uses: UseRecorder
  readonly #comparing = new Map<string, Promise<boolean>>()

  constructor(options: KeyVerifierOptions) {
    const { storage, clock, compare = bcrypt.compare, cost = bcryptCost } = options
    this.#storage = storage
    this.#clock = clock
    this.#compare = compare
    this.#cost = cost
    this.#unknownHash =
      cost === bcryptCost ? unknownKeyHash : bcrypt.hashSync(randomBytes(32).toString('base64url'), cost)
    this.#matches = matchCache(options.maxCached ?? 10_000, options.cacheTtlMs ?? 5 * 60_000, clock)
    this.#queue = new FairQueue({ maxConcurrent: options.maxConcurrent ?? 1, maxQueue: options.maxQueue ?? 64 })
    this.#uses = useRecorder({
      ...options,
      write: (uses) => storage.touchKeys(uses.map(({ id, at }) => ({ keyId: id, at }))),
    })
  }

  async verify(presented: string, origin: Origin = nowhere): Promise<Verified> {
    const parsed = parseKey(presented)
    const digest = createHmac('sha256', this.#digestKey)
      .update(parsed?.secret ?? presented)
      .digest()
    const keyId = parsed?.keyId ?? claimedKeyId(presented)
    // A malformed key costs the same: it is looked up, and its digest is compared like a secret.
    const found = await this.#storage.findKey(keyId ?? unknownKeyId)
    const stored = parsed === null ? null : found
    const secret = parsed?.secret ?? digest.toString('base64url')
    // Under its own id, so that it does not make the verifier forget the key that it only claims to be.
    const asked = { keyId: parsed?.keyId ?? unknownKeyId, secret, digest, origin }
    const good = await this.#isGood(stored, asked)
    if (!good || stored === null) return { kind: 'failed', keyId }
    // The row is read on every request, so a limit holds at once, whatever is cached.
    const { id, userId, userPrefix, access, project } = stored
    if (isExpired(stored, this.#clock.now())) return { kind: 'expired', keyId: id }
    this.#uses.record(stored)
    if (userId !== null) return { kind: 'user', keyId: id, userId, access, project }
    // A row with neither is not ours: it must not act for everyone.
    if (userPrefix === null) return { kind: 'failed', keyId: id }
    return { kind: 'application', keyId: id, userPrefix, access, project }
  }

  hash(secret: string): Promise<string> {
    return hashSecret(secret, this.#cost)
  }

  settle(): Promise<void> {
    return this.#uses.flush()
  }

  close(): Promise<void> {
    return this.#uses.close()
  }

  async #isGood(stored: StoredKey | null, asked: Asked): Promise<boolean> {
    const { keyId, digest, origin } = asked
    const lane = origin.isSuspect ? 'suspect' : 'clean'
    if (stored === null || stored.revokedAt !== null) {
      this.#matches.forget(keyId)
      await this.#compareOnce(asked, this.#unknownHash, lane)
      return false
    }
    const match = this.#matches.find(keyId, stored.hash, digest)
    if (match === 'fresh') return true
    // A caller that had the right secret a while ago does not wait behind those that never had one.
    if (!(await this.#compareOnce(asked, stored.hash, match === 'stale' ? 'known' : lane))) return false
    this.#matches.add(keyId, stored.hash, digest)
    return true
  }

  /** Callers that present the same key at the same time wait for the same hash. */
  #compareOnce(asked: Asked, hash: string, lane: Lane): Promise<boolean> {
    const { keyId, secret, digest, origin } = asked
    const name = `${keyId} ${digest.toString('base64')} ${hash}`
    const known = this.#comparing.get(name)
    if (known) return known
    const work = this.#queue
      .run({ lane, source: origin.source }, () => this.#compare(secret, hash))
      .finally(() => this.#comparing.delete(name))
    this.#comparing.set(name, work)
    return work
  }
}

interface Asked {
  readonly keyId: string
  readonly secret: string
  readonly digest: Buffer
  readonly origin: Origin
}

const nowhere: Origin = { source: '', isSuspect: false }
/** Well-formed, and not the id of any key. */
const unknownKeyId = `key_${'0'.repeat(26)}`

interface MatchCache {
  /** `stale`: it matched, but too long ago to be trusted. */
  find(keyId: string, hash: string, digest: Buffer): 'fresh' | 'stale' | 'none'
  add(keyId: string, hash: string, digest: Buffer): void
  forget(keyId: string): void
}

/** Evicts the least recently used match first: a map iterates in insertion order. */
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
