import { describe, expect, it } from 'vitest'
import { isIdempotencyKey, onceOf } from './once.js'

describe('an idempotency key', () => {
  it('is 1 to 255 visible ASCII characters', () => {
    for (const key of ['a', '!', '~', 'x'.repeat(255), '"quoted"']) expect(isIdempotencyKey(key), key).toBe(true)
    for (const key of ['', ' ', 'a b', 'a, b', 'x'.repeat(256), 'é', 'a\n', '\x7f']) {
      expect(isIdempotencyKey(key), JSON.stringify(key)).toBe(false)
    }
  })
})

describe('the record of a request', () => {
  const body = { content: 'John works at Acme', metadata: { a: [1, { b: null, c: true }], d: 'x' } }

  it('is the same for the same fields in another order', () => {
    const other = { metadata: { d: 'x', a: [1, { c: true, b: null }] }, content: 'John works at Acme' }
    expect(onceOf('key', other)).toEqual(onceOf('key', body))
  })

  it('differs for another value, another order of a list, another type and another key', () => {
    const { fingerprint } = onceOf('key', body)
    const others = [
      onceOf('key', { ...body, content: 'John works at Acme.' }),
      onceOf('key', { ...body, metadata: { ...body.metadata, a: [{ b: null, c: true }, 1] } }),
      onceOf('key', { ...body, metadata: { ...body.metadata, d: null } }),
      onceOf('key', { ...body, metadata: { ...body.metadata, a: ['1', { b: null, c: true }] } }),
      onceOf('other', body),
    ]
    for (const other of others) expect(other.fingerprint).not.toBe(fingerprint)
    expect(onceOf('other', body).keyHash).not.toBe(onceOf('key', body).keyHash)
  })

  it('contains neither the key nor the text', () => {
    expect(JSON.stringify(onceOf('my-very-own-key', body))).not.toMatch(/my-very|John|Acme/)
  })
})
