import { describe, expect, it } from 'vitest'
import { unlimited } from '../../core/key-access.js'
import { everyoneScope, nobodyScope } from '../../core/scope.js'
import type { NewGrant } from '../ports/grant-store.js'
import { alice, bob, start } from './notebook.js'
import type { Subject } from './subject.js'

const later = start + 1_000_000

function grant(id: string, change: Partial<NewGrant> = {}): NewGrant {
  return {
    id,
    userId: 'alice',
    clientId: 'client',
    clientName: 'An assistant',
    audience: 'https://a.example/mcp',
    approvedBy: null,
    createdAt: start,
    expiresAt: start + 60,
    codeHash: `code of ${id}`,
    challenge: 'challenge',
    redirectUri: 'https://c.example/back',
    ...change,
  }
}

const codeOf = (id: string, now = start + 1) => ({
  codeHash: `code of ${id}`,
  challenge: 'challenge',
  clientId: 'client',
  redirectUri: 'https://c.example/back',
  audience: 'https://a.example/mcp',
  now,
})

const refreshOf = (id: string, number: number, now = start + 2) => ({
  familyHash: `family of ${id}`,
  refreshHash: `refresh ${number} of ${id}`,
  clientId: 'client',
  audience: 'https://a.example/mcp',
  now,
})

const tokensOf = (id: string, number: number) => ({
  familyHash: `family of ${id}`,
  refreshHash: `refresh ${number} of ${id}`,
  accessHash: `access ${number} of ${id}`,
  accessExpiresAt: start + 100 * number,
  salt: `salt ${number} of ${id}`,
  expiresAt: later,
})

export function describeGrants(subject: () => Subject): void {
  const redeemed = async (id: string, change: Partial<NewGrant> = {}) => {
    const { storage } = subject()
    await storage.createGrant(grant(id, change), 9)
    expect(await storage.redeemCode(id, codeOf(id), tokensOf(id, 1))).toMatchObject({ kind: 'issued' })
  }

  describe('grants', () => {
    it('are listed once their code is redeemed, newest first, only in their scope and without hashes', async () => {
      const { storage } = subject()
      await storage.createGrant(grant('g0'), 9)
      await redeemed('g1')
      await redeemed('g2', { userId: 'bob', createdAt: start + 1 })
      await redeemed('g3', { createdAt: start + 2 })
      const ids = async (scope: Parameters<typeof storage.listGrants>[0]) =>
        (await storage.listGrants(scope)).map(({ id }) => id)
      expect(await ids(alice)).toEqual(['g3', 'g1'])
      expect(await ids(bob)).toEqual(['g2'])
      expect(await ids(everyoneScope())).toEqual(['g3', 'g2', 'g1'])
      expect(await ids(nobodyScope)).toEqual([])
      expect(await ids({ kind: 'user', userId: 'Alice' })).toEqual([])
      expect(await storage.listGrants(bob)).toEqual([
        {
          id: 'g2',
          userId: 'bob',
          clientId: 'client',
          clientName: 'An assistant',
          audience: 'https://a.example/mcp',
          approvedBy: null,
          createdAt: start + 1,
          lastUsedAt: null,
          expiresAt: later,
          revokedAt: null,
        },
      ])
    })

    it('keep the access token before the latest one, and no older one', async () => {
      const { storage } = subject()
      await redeemed('g1')
      expect(await storage.findGrant('g1')).toMatchObject({
        accessHash: 'access 1 of g1',
        accessExpiresAt: start + 100,
        formerAccessHash: null,
        familyHash: 'family of g1',
      })
      for (const number of [1, 2]) await storage.rotateTokens('g1', refreshOf('g1', number), tokensOf('g1', number + 1))
      expect(await storage.findGrant('g1')).toMatchObject({
        accessHash: 'access 3 of g1',
        accessExpiresAt: start + 300,
        formerAccessHash: 'access 2 of g1',
        formerAccessExpiresAt: start + 200,
      })
      expect(await storage.findGrant('G1')).toBeNull()
      expect(await storage.findGrant('\0')).toBeNull()
    })

    it('issue tokens once, even if a code or a refresh token is used many times at once', async () => {
      const { storage } = subject()
      const kindsOf = async (asked: readonly Promise<{ readonly kind: string }>[]) =>
        (await Promise.all(asked)).map(({ kind }) => kind).sort()
      await storage.createGrant(grant('g1'), 9)
      const redeem = () => storage.redeemCode('g1', codeOf('g1'), tokensOf('g1', 1))
      expect(await kindsOf([redeem(), redeem(), redeem()])).toEqual(['issued', 'refused', 'replayed'])
      expect(await storage.findGrant('g1')).toMatchObject({ revokedAt: start + 1 })
      await redeemed('g2')
      const rotate = (number: number) => storage.rotateTokens('g2', refreshOf('g2', 1), tokensOf('g2', number))
      expect(await kindsOf([rotate(2), rotate(3), rotate(4)])).toEqual(['issued', 'repeated', 'repeated'])
    })

    it('repeat the last refresh for a moment, and end if a refresh token is used later or is older', async () => {
      const { storage } = subject()
      for (const id of ['g1', 'g2']) {
        await redeemed(id)
        await storage.rotateTokens(id, refreshOf(id, 1), tokensOf(id, 2))
      }
      const again = (id: string, number: number, now = start + 3) =>
        storage.rotateTokens(id, refreshOf(id, number, now), tokensOf(id, 9))
      const repeated = { kind: 'repeated', salt: 'salt 2 of g1', accessExpiresAt: start + 200 }
      expect(await again('g1', 1)).toEqual(repeated)
      expect(await again('g1', 1)).toEqual(repeated)
      expect(await again('g1', 1, start + 30_002)).toEqual({ kind: 'replayed', userId: 'alice' })
      expect(await again('g1', 2)).toEqual({ kind: 'refused' })
      await storage.rotateTokens('g2', refreshOf('g2', 2), tokensOf('g2', 3))
      expect(await again('g2', 1)).toEqual({ kind: 'replayed', userId: 'alice' })
      expect(await storage.findGrant('g2')).toMatchObject({ revokedAt: start + 3 })
    })

    it('refuse an unknown grant, and a wrong code without any effect', async () => {
      const { storage } = subject()
      await storage.createGrant(grant('g1'), 9)
      const tokens = tokensOf('g1', 1)
      expect(await storage.redeemCode('g9', codeOf('g9'), tokens)).toEqual({ kind: 'refused' })
      expect(await storage.redeemCode('\0', codeOf('g9'), tokens)).toEqual({ kind: 'refused' })
      expect(await storage.redeemCode('g1', { ...codeOf('g1'), challenge: 'x' }, tokens)).toEqual({ kind: 'refused' })
      expect(await storage.rotateTokens('g1', refreshOf('g1', 1), tokens)).toEqual({ kind: 'refused' })
      expect(await storage.redeemCode('g1', codeOf('g1'), tokens)).toEqual({ kind: 'issued', userId: 'alice' })
    })

    it('can be revoked once, and only in their scope', async () => {
      const { storage } = subject()
      await redeemed('g1')
      await storage.createGrant(grant('g2'), 9)
      expect(await storage.revokeGrant(bob, 'g1', start + 5)).toBe(false)
      expect(await storage.revokeGrant(nobodyScope, 'g1', start + 5)).toBe(false)
      expect(await storage.revokeGrant(everyoneScope(), 'g2', start + 5)).toBe(false)
      expect(await storage.revokeGrant(alice, '\0', start + 5)).toBe(false)
      expect(await storage.findGrant('g1')).toMatchObject({ revokedAt: null })
      expect(await storage.revokeGrant(alice, 'g1', start + 5)).toBe(true)
      expect(await storage.revokeGrant(everyoneScope(), 'g1', start + 6)).toBe(false)
      expect(await storage.listGrants(alice)).toMatchObject([{ id: 'g1', revokedAt: start + 5 }])
      expect(await storage.rotateTokens('g1', refreshOf('g1', 1), tokensOf('g1', 2))).toEqual({ kind: 'refused' })
    })

    it('end with the key that approved them', async () => {
      const { storage } = subject()
      const key = { id: 'k1', userId: 'alice', name: '', preview: '', createdAt: start, hash: 'h', ...unlimited }
      await storage.createKey(key)
      await redeemed('g1', { approvedBy: 'k1' })
      await storage.createGrant(grant('g2', { approvedBy: 'k1' }), 9)
      await storage.revokeKey('k1', start + 7)
      expect(await storage.findGrant('g1')).toMatchObject({ revokedAt: start + 7 })
      expect(await storage.redeemCode('g2', codeOf('g2'), tokensOf('g2', 1))).toEqual({ kind: 'refused' })
      expect(await storage.rotateTokens('g1', refreshOf('g1', 1), tokensOf('g1', 2))).toEqual({ kind: 'refused' })
      expect(await storage.revokeGrant(alice, 'g1', start + 8)).toBe(false)
      expect(await storage.listGrants(alice)).toMatchObject([{ id: 'g1', revokedAt: start + 7 }])
    })

    it('keep the time of their latest use, and are dropped some time after their end', async () => {
      const { storage } = subject()
      await redeemed('g1')
      await redeemed('g2')
      await storage.createGrant(grant('g3'), 9)
      await storage.touchGrants([
        { id: 'g1', at: start + 9 },
        { id: 'g1', at: start + 3 },
        { id: 'gone', at: start },
      ])
      expect(await storage.findGrant('g1')).toMatchObject({ lastUsedAt: start + 9 })
      await storage.revokeGrant(alice, 'g2', start + 80)
      expect(await storage.dropGrants(start + 60)).toBe(0)
      expect(await storage.dropGrants(start + 61)).toBe(1)
      expect(await storage.dropGrants(start + 81)).toBe(1)
      expect((await storage.listGrants(everyoneScope())).map(({ id }) => id)).toEqual(['g1'])
    })

    it('are limited in number per user, and those that have ended make room', async () => {
      const { storage } = subject()
      await storage.createKey({
        id: 'k1',
        userId: 'alice',
        name: '',
        preview: '',
        createdAt: start,
        hash: 'h',
        ...unlimited,
      })
      const create = (id: string, change: Partial<NewGrant> = {}) => storage.createGrant(grant(id, change), 4)
      await redeemed('g1')
      await redeemed('g2', { approvedBy: 'k1' })
      await redeemed('g3')
      await redeemed('b1', { userId: 'bob' })
      expect(await create('g4')).toBe(true)
      expect(await create('g5')).toBe(false)
      expect(await create('b2', { userId: 'bob' })).toBe(true)
      await storage.revokeKey('k1', start + 1)
      await storage.revokeGrant(alice, 'g3', start + 1)
      // The code of g4 has expired.
      expect(await create('g5', { createdAt: start + 60, expiresAt: start + 120 })).toBe(true)
      for (const id of ['g2', 'g3', 'g4']) expect(await storage.findGrant(id)).toBeNull()
      for (const id of ['g1', 'g5', 'b1', 'b2']) expect(await storage.findGrant(id)).not.toBeNull()
    })

    it('cannot be created twice with one id', async () => {
      const { storage } = subject()
      await redeemed('g1')
      await expect(storage.createGrant(grant('g1', { userId: 'mallory' }), 9)).rejects.toThrow()
      expect(await storage.findGrant('g1')).toMatchObject({ userId: 'alice' })
    })
  })
}
