import { randomBytes } from 'node:crypto'
import bcrypt from 'bcrypt'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ServiceError } from '../../core/errors.js'
import { idSource } from '../../core/ids.js'
import { unlimited } from '../../core/key-access.js'
import { type Log, silentLog } from '../../core/log.js'
import type { StoredKey } from '../../storage/ports/key-store.js'
import { bcryptCost, formatKey, hashSecret } from './key-format.js'
import { type KeyVerifierOptions, keyVerifier, unknownKeyHash } from './key-verifier.js'

const start = Date.UTC(2026, 0, 1)
let now = start
const clock = { now: () => now }
const ids = idSource(clock)
const keyId = ids.next('key')
const secret = randomBytes(32).toString('base64url')
const otherSecret = randomBytes(32).toString('base64url')
const key = formatKey(keyId, secret)
let hash = ''

beforeAll(async () => {
  hash = await hashSecret(secret)
})
beforeEach(() => {
  now = start
})
afterEach(() => vi.useRealTimers())

/** A store with one key. */
function keyRows(...rows: StoredKey[]) {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const touched: { keyId: string; at: number }[][] = []
  return {
    touched,
    change: (id: string, change: Partial<StoredKey>) => {
      const row = byId.get(id)
      if (row) byId.set(id, { ...row, ...change })
    },
    findKey: async (id: string) => byId.get(id) ?? null,
    async touchKeys(uses: readonly { keyId: string; at: number }[]) {
      touched.push([...uses])
      for (const use of uses) this.change(use.keyId, { lastUsedAt: use.at })
    },
  }
}

function row(change: Partial<StoredKey> = {}): StoredKey {
  const base = { id: keyId, userId: 'ann', name: 'laptop', preview: 'ksk_…', createdAt: start }
  return { ...base, ...unlimited, lastUsedAt: null, revokedAt: null, hash, ...change }
}

/** Real bcrypt that counts its calls. */
function counting() {
  const hashes: string[] = []
  const compare = (given: string, against: string): Promise<boolean> => {
    hashes.push(against)
    return bcrypt.compare(given, against)
  }
  return { hashes, compare }
}

/** A comparison that waits until the test releases it. */
function held() {
  const waiting: ((result: boolean) => void)[] = []
  const compare = (): Promise<boolean> => new Promise((resolve) => waiting.push(resolve))
  return { waiting, compare }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

function verifierOf(storage: KeyVerifierOptions['storage'], more: Partial<KeyVerifierOptions> = {}) {
  return keyVerifier({ storage, clock, log: silentLog, ...more })
}

describe('a presented key', () => {
  it('is valid if its secret matches the stored hash, and names its user', async () => {
    expect(await verifierOf(keyRows(row())).verify(key)).toEqual({
      kind: 'user',
      keyId,
      userId: 'ann',
      access: 'full',
      project: null,
    })
  })

  it('has the limits of its row, even if its secret is cached', async () => {
    const storage = keyRows(row())
    const verifier = verifierOf(storage)
    await verifier.verify(key)
    storage.change(keyId, { access: 'read', project: 'garden' })
    expect(await verifier.verify(key)).toMatchObject({ kind: 'user', access: 'read', project: 'garden' })
  })

  it('expires at its moment, even if its secret is cached, and only says so to the owner of the secret', async () => {
    const storage = keyRows(row({ expiresAt: clock.now() + 1 }))
    const verifier = verifierOf(storage)
    expect((await verifier.verify(key)).kind).toBe('user')
    storage.change(keyId, { expiresAt: clock.now() })
    expect(await verifier.verify(key)).toEqual({ kind: 'expired', keyId })
    expect(await verifier.verify(formatKey(keyId, otherSecret))).toEqual({ kind: 'failed', keyId })
    const { hashes, compare } = counting()
    expect((await verifierOf(storage, { compare }).verify(key)).kind).toBe('expired')
    expect(hashes).toHaveLength(1)
  })

  it('fails with a wrong secret, an unknown id and a revoked key, each for the price of one bcrypt', async () => {
    const unknownId = ids.next('key')
    const revokedId = ids.next('key')
    const storage = keyRows(row(), row({ id: revokedId, revokedAt: start }))
    for (const [id, presented] of [
      [keyId, formatKey(keyId, otherSecret)],
      [unknownId, formatKey(unknownId, secret)],
      [revokedId, formatKey(revokedId, secret)],
    ] as const) {
      const { hashes, compare } = counting()
      expect(await verifierOf(storage, { compare }).verify(presented)).toEqual({ kind: 'failed', keyId: id })
      expect(hashes.map((each) => bcrypt.getRounds(each))).toEqual([bcryptCost])
    }
    expect(bcrypt.getRounds(unknownKeyHash)).toBe(bcryptCost)
  })

  it('fails if malformed, at the cost of a wrong key, and still reports the claimed id', async () => {
    const tooLong = `${key}${'A'.repeat(80)}`
    const claiming = [tooLong, `${key}\u0000`, `${key.slice(0, -1)}ü`, `${key} `, key.slice(0, -1)]
    const shapeless = ['', '\u0000', 'pässwörd', 'x'.repeat(1_000_000)]
    for (const presented of [...claiming, ...shapeless]) {
      const { hashes, compare } = counting()
      const findKey = vi.fn(async () => row())
      const verifier = verifierOf({ findKey, touchKeys: async () => undefined }, { compare })
      const claimed = claiming.includes(presented) ? keyId : null
      expect(await verifier.verify(presented)).toEqual({ kind: 'failed', keyId: claimed })
      expect(hashes.map((each) => bcrypt.getRounds(each))).toEqual([bcryptCost])
      expect(findKey).toHaveBeenCalledOnce()
    }
  })

  it('does not evict the key that it claims to be if it is malformed', async () => {
    const { hashes, compare } = counting()
    const verifier = verifierOf(keyRows(row()), { compare })
    await verifier.verify(key)
    await verifier.verify(`${key}x`)
    expect(hashes).toHaveLength(2)
    expect((await verifier.verify(key)).kind).toBe('user')
    expect(hashes).toHaveLength(2)
  })

  it("fails with another key's secret, even if both are cached", async () => {
    const otherId = ids.next('key')
    const storage = keyRows(row(), row({ id: otherId, userId: 'bob', hash: await hashSecret(otherSecret) }))
    const verifier = verifierOf(storage)
    expect((await verifier.verify(key)).kind).toBe('user')
    expect((await verifier.verify(formatKey(otherId, otherSecret))).kind).toBe('user')
    expect((await verifier.verify(formatKey(otherId, secret))).kind).toBe('failed')
    expect((await verifier.verify(formatKey(keyId, otherSecret))).kind).toBe('failed')
  })

  it('reports a failure of the store instead of rejecting the key', async () => {
    const broken = { findKey: () => Promise.reject(new Error('disk')), touchKeys: async () => undefined }
    await expect(verifierOf(broken).verify(key)).rejects.toThrow('disk')
  })
})

describe('a verified key', () => {
  it('is cached for a while, so that not every request runs bcrypt', async () => {
    const { hashes, compare } = counting()
    const verifier = verifierOf(keyRows(row()), { compare, cacheTtlMs: 1000 })
    for (let round = 0; round < 5; round += 1) expect((await verifier.verify(key)).kind).toBe('user')
    expect(hashes).toHaveLength(1)
    now += 1000
    expect((await verifier.verify(key)).kind).toBe('user')
    expect(hashes).toHaveLength(2)
  })

  it('fails at once when it is revoked, and a wrong secret fails as well', async () => {
    const storage = keyRows(row())
    const verifier = verifierOf(storage)
    expect((await verifier.verify(key)).kind).toBe('user')
    expect((await verifier.verify(formatKey(keyId, otherSecret))).kind).toBe('failed')
    storage.change(keyId, { revokedAt: now })
    expect(await verifier.verify(key)).toEqual({ kind: 'failed', keyId })
  })

  it('is checked again if the stored hash has changed', async () => {
    const storage = keyRows(row())
    const verifier = verifierOf(storage)
    expect((await verifier.verify(key)).kind).toBe('user')
    storage.change(keyId, { hash: await hashSecret(otherSecret) })
    expect((await verifier.verify(key)).kind).toBe('failed')
  })

  it('is evicted when it is the least recently used of too many', async () => {
    const more = [ids.next('key'), ids.next('key')]
    const { hashes, compare } = counting()
    const verifier = verifierOf(keyRows(row(), ...more.map((id) => row({ id }))), { compare, maxCached: 2 })
    const [second = '', third = ''] = more.map((id) => formatKey(id, secret))
    for (const presented of [key, second, key, third, key]) await verifier.verify(presented)
    expect(hashes).toHaveLength(3)
    await verifier.verify(second)
    expect(hashes).toHaveLength(4)
  })
})

describe('under load', () => {
  it('callers with the same key share one bcrypt', async () => {
    const { hashes, compare } = counting()
    const verifier = verifierOf(keyRows(row()), { compare, maxConcurrent: 1, maxQueue: 0 })
    const verified = await Promise.all(Array.from({ length: 20 }, () => verifier.verify(key)))
    expect(verified.every(({ kind }) => kind === 'user')).toBe(true)
    expect(hashes).toHaveLength(1)
  })

  it('a revocation also applies to callers that would share the hash of an earlier caller', async () => {
    const { waiting, compare } = held()
    const storage = keyRows(row())
    const verifier = verifierOf(storage, { compare, maxConcurrent: 2 })
    const before = verifier.verify(key)
    await settled()
    storage.change(keyId, { revokedAt: now })
    const after = verifier.verify(key)
    await settled()
    for (const letGo of waiting) letGo(true)
    expect((await before).kind).toBe('user')
    expect((await after).kind).toBe('failed')
  })

  it('hashes run a few at a time, a bounded number waits, and more are asked to retry', async () => {
    const { waiting, compare } = held()
    const verifier = verifierOf(keyRows(), { compare, maxConcurrent: 2, maxQueue: 3 })
    const unknown = () => verifier.verify(formatKey(ids.next('key'), secret))
    const taken = Array.from({ length: 5 }, unknown)
    await settled()
    expect(waiting).toHaveLength(2)
    const refused = await unknown().catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ServiceError)
    expect(refused).toMatchObject({ code: 'unavailable', status: 503, retryAfterSeconds: 1 })
    for (let next = 0; next < 5; next += 1) {
      expect(waiting.length).toBeLessThanOrEqual(next + 2)
      waiting[next]?.(false)
      await settled()
    }
    expect((await Promise.all(taken)).every(({ kind }) => kind === 'failed')).toBe(true)
    const late = unknown()
    await settled()
    waiting[5]?.(false)
    expect((await late).kind).toBe('failed')
  })

  it('a key that was valid before, or an address without failures, does not wait behind suspects', async () => {
    const { waiting, compare } = held()
    const otherId = ids.next('key')
    const storage = keyRows(row(), row({ id: otherId }))
    const verifier = verifierOf(storage, { compare, cacheTtlMs: 1000, maxConcurrent: 1, maxQueue: 8 })
    const first = verifier.verify(key)
    await settled()
    waiting[0]?.(true)
    expect((await first).kind).toBe('user')
    now += 1000
    const suspects = { source: '10.0.0.1', isSuspect: true }
    const flood = Array.from({ length: 9 }, () => verifier.verify(formatKey(ids.next('key'), secret), suspects))
    await settled()
    const newcomer = verifier.verify(formatKey(otherId, secret), { source: '10.0.0.2', isSuspect: false })
    const returning = verifier.verify(key, suspects)
    const done: string[] = []
    void newcomer.then(({ kind }) => done.push(`newcomer ${kind}`))
    void returning.then(({ kind }) => done.push(`returning ${kind}`))
    for (const outcome of flood) outcome.then(({ kind }) => done.push(kind)).catch(() => done.push('refused'))
    await settled()
    for (let next = 1; next <= 3; next += 1) {
      waiting[next]?.(next > 1)
      await settled()
    }
    expect(done).toEqual(['refused', 'refused', 'failed', 'returning user', 'newcomer user'])
  })

  it('a comparison that fails frees its place and is not cached', async () => {
    let fails = true
    const compare = async () => {
      if (fails) throw new Error('out of memory')
      return true
    }
    const verifier = verifierOf(keyRows(row()), { compare, maxConcurrent: 1, maxQueue: 0 })
    await expect(verifier.verify(key)).rejects.toThrow('out of memory')
    fails = false
    expect((await verifier.verify(key)).kind).toBe('user')
  })
})

describe('the last use of a key', () => {
  it('is written at most once per minute, in a batch after a short delay', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const second = ids.next('key')
    const storage = keyRows(row(), row({ id: second }))
    const verifier = verifierOf(storage, { compare: async () => true })
    await verifier.verify(key)
    now += 10
    await verifier.verify(key)
    await verifier.verify(formatKey(second, secret))
    expect(storage.touched).toEqual([])
    await vi.runAllTimersAsync()
    const first = [
      { keyId, at: start },
      { keyId: second, at: start + 10 },
    ]
    expect(storage.touched).toEqual([first])
    now = start + 59_999
    await verifier.verify(key)
    now = start + 60_000
    await verifier.verify(key)
    await vi.runAllTimersAsync()
    expect(storage.touched).toEqual([first, [{ keyId, at: start + 60_000 }]])
  })

  it('is written on close, but not for a key that failed', async () => {
    const storage = keyRows(row())
    const verifier = verifierOf(storage)
    await verifier.verify(formatKey(keyId, otherSecret))
    await verifier.verify(key)
    await verifier.close()
    expect(storage.touched).toEqual([[{ keyId, at: start }]])
  })

  it('neither delays nor fails a request if it cannot be written; the next use is written instead', async () => {
    const warn = vi.fn<Log['warn']>()
    const touchKeys = vi
      .fn<KeyVerifierOptions['storage']['touchKeys']>(async () => undefined)
      .mockRejectedValueOnce(new Error('disk full'))
    const options = { compare: async () => true, log: { ...silentLog, warn } }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const verifier = verifierOf({ findKey: async () => row(), touchKeys }, options)
    expect((await verifier.verify(key)).kind).toBe('user')
    await vi.runAllTimersAsync()
    expect(warn).toHaveBeenCalledOnce()
    expect((await verifier.verify(key)).kind).toBe('user')
    await verifier.close()
    expect(touchKeys).toHaveBeenCalledTimes(2)
    expect(touchKeys).toHaveBeenLastCalledWith([{ keyId, at: start }])
  })
})
