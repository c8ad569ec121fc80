import { randomBytes } from 'node:crypto'
import bcrypt from 'bcrypt'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../core/clock.js'
import { idSource } from '../../core/ids.js'
import { bcryptCost, claimedKeyId, formatKey, hashSecret, parseKey } from './key-format.js'

const keyId = idSource(systemClock).next('key')
const secret = randomBytes(32).toString('base64url')

describe('a key', () => {
  it('has the prefix, the id and a secret of 256 bits, and parses back into them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const made = Buffer.from(bytes).toString('base64url')
        const key = formatKey(keyId, made)
        expect(key).toMatch(/^ksk_[0-9a-z]{26}_[A-Za-z0-9_-]{43}$/)
        expect(parseKey(key)).toEqual({ keyId, secret: made })
      }),
    )
  })

  it('is rejected in any other format', () => {
    const key = formatKey(keyId, secret)
    const wrong = [
      '',
      'ksk_',
      keyId,
      secret,
      key.slice(0, -1),
      `${key}A`,
      `${key}\n`,
      ` ${key}`,
      `${key}\u0000`,
      key.toUpperCase(),
      key.replace('ksk_', 'KSK_'),
      key.replace('ksk_', 'key_'),
      `${key.slice(0, -1)}=`,
      `${key.slice(0, -1)}ü`,
      formatKey(`key_8${keyId.slice(5)}`, secret),
      formatKey(`key_${keyId.slice(4, -1)}u`, secret),
      'x'.repeat(1_000_000),
    ]
    for (const presented of wrong) expect(parseKey(presented)).toBeNull()
  })

  it('reveals the claimed id even if the secret is cut off', () => {
    expect(claimedKeyId(formatKey(keyId, 'cut'))).toBe(keyId)
    expect(claimedKeyId(formatKey(keyId, secret))).toBe(keyId)
    for (const presented of ['', 'ksk_', 'Bearer', `ksk_${keyId}_x`, keyId]) expect(claimedKeyId(presented)).toBeNull()
  })
})

it('hashes a secret with bcrypt at cost 10, every byte of it', async () => {
  const hash = await hashSecret(secret)
  expect(bcrypt.getRounds(hash)).toBe(bcryptCost)
  expect(hash).not.toContain(secret)
  expect(await bcrypt.compare(secret, hash)).toBe(true)
  expect(await bcrypt.compare(`${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`, hash)).toBe(false)
})
