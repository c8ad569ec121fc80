import { beforeEach, describe, expect, it } from 'vitest'
import { everyoneScope, nobodyScope, userScope } from '../core/scope.js'
import type { Storage } from '../storage/ports/storage.js'
import { announcing } from './announcing-storage.js'

let happened: string[]

/** Only the calls below are made. */
const engine = {
  async forget() {
    happened.push('erased')
    return []
  },
  async purgeExpired() {
    throw new Error('the disk is full')
  },
  async find() {
    happened.push('found')
    return null
  },
  revokeKey: async (keyId: string) => keyId === 'key_active',
} as unknown as Storage

const storage = announcing(engine, {
  changed: (userId) => happened.push(`changed ${userId}`),
  revoked: (keyId) => happened.push(`revoked ${keyId}`),
})

beforeEach(() => {
  happened = []
})

describe('announcing storage', () => {
  it('announces a change to its user after the engine has written it', async () => {
    await storage.forget(userScope('ana'), { all: true })
    expect(happened).toEqual(['erased', 'changed ana'])
  })

  it('announces a change for everyone without a name, and none for nobody', async () => {
    await storage.forget(everyoneScope(), { all: true })
    await storage.forget(nobodyScope, { all: true })
    expect(happened).toEqual(['erased', 'changed null', 'erased'])
  })

  it('announces nothing when the write fails', async () => {
    await expect(storage.purgeExpired(userScope('ana'), 0)).rejects.toThrow('the disk is full')
    expect(happened).toEqual([])
  })

  it('announces nothing for a read', async () => {
    await storage.find(userScope('ana'), 'mem_1', { now: 0 })
    expect(happened).toEqual(['found'])
  })

  it('announces a revoked key only when the engine revoked it', async () => {
    expect(await storage.revokeKey('key_gone', 0)).toBe(false)
    expect(await storage.revokeKey('key_active', 0)).toBe(true)
    expect(happened).toEqual(['revoked key_active'])
  })
})
