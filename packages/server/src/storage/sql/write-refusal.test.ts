import { describe, expect, it } from 'vitest'
import { invalid, unavailable } from '../../core/errors.js'
import { WriteRefusal } from './write-refusal.js'

describe('WriteRefusal', () => {
  it('reports the last refusal for lack of space until a write succeeds ten seconds later', async () => {
    let now = 0
    const refusal = new WriteRefusal(() => now)
    expect(refusal.reason()).toBeNull()
    await expect(refusal.watch(Promise.reject(unavailable('the disk is full')))).rejects.toThrow('full')
    expect(refusal.reason()).toBe('the disk is full')
    now = 9_999
    expect(await refusal.watch(Promise.resolve(7))).toBe(7)
    expect(refusal.reason()).toBe('the disk is full')
    now = 10_000
    await refusal.watch(Promise.resolve(7))
    expect(refusal.reason()).toBeNull()
  })

  it('ignores errors that the caller caused', async () => {
    const refusal = new WriteRefusal(() => 0)
    await expect(refusal.watch(Promise.reject(invalid('content', 'must be text')))).rejects.toThrow()
    expect(refusal.reason()).toBeNull()
  })

  it('forgets a refusal a minute after the last attempt', async () => {
    let now = 0
    const refusal = new WriteRefusal(() => now)
    await expect(refusal.watch(Promise.reject(unavailable('the disk is full')))).rejects.toThrow()
    now = 59_999
    expect(refusal.reason()).not.toBeNull()
    now = 60_000
    expect(refusal.reason()).toBeNull()
  })
})
