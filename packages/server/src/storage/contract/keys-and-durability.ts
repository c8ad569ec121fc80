import { describe, expect, it } from 'vitest'
import { unlimited } from '../../core/key-access.js'
import { userScope } from '../../core/scope.js'
import { alice, employment, entityNamed, historyOf, provenanceOf, start } from './notebook.js'
import type { Subject } from './subject.js'

export function describeKeysAndDurability(subject: () => Subject): void {
  const key = (id: string, userId: string, createdAt = start) => ({
    id,
    userId,
    name: `key of ${userId}`,
    preview: `ksk_${id}`,
    createdAt,
    hash: `hash of ${id}`,
    ...unlimited,
  })

  describe('keys', () => {
    it('are found with their hash, and listed without it, newest first', async () => {
      const { storage } = subject()
      await storage.createKey(key('k1', 'alice'))
      await storage.createKey(key('k2', 'bob', start + 1))
      await storage.createKey(key('k3', 'alice', start + 2))
      expect(await storage.findKey('k1')).toEqual({ ...key('k1', 'alice'), lastUsedAt: null, revokedAt: null })
      expect(await storage.findKey('K1')).toBeNull()
      const all = await storage.listKeys()
      expect(all.map((each) => each.id)).toEqual(['k3', 'k2', 'k1'])
      expect(JSON.stringify(all)).not.toContain('hash')
      expect((await storage.listKeys('alice')).map((each) => each.id)).toEqual(['k3', 'k1'])
      expect(await storage.listKeys('carol')).toEqual([])
    })

    it('can be revoked only once', async () => {
      const { storage } = subject()
      await storage.createKey(key('k1', 'alice'))
      expect(await storage.revokeKey('k2', start)).toBe(false)
      expect(await storage.revokeKey('k1', start + 5)).toBe(true)
      expect(await storage.revokeKey('k1', start + 9)).toBe(false)
      expect(await storage.findKey('k1')).toMatchObject({ revokedAt: start + 5 })
      expect(await storage.listKeys('alice')).toMatchObject([{ revokedAt: start + 5 }])
    })

    it('keep the time of their latest use', async () => {
      const { storage } = subject()
      await storage.createKey(key('k1', 'alice'))
      await storage.touchKeys([
        { keyId: 'k1', at: start + 9 },
        { keyId: 'k1', at: start + 3 },
        { keyId: 'gone', at: start },
      ])
      expect(await storage.findKey('k1')).toMatchObject({ lastUsedAt: start + 9 })
    })

    it('keep what they may do, where, and until when', async () => {
      const { storage } = subject()
      const limits = { access: 'read', project: 'garden', expiresAt: start + 9 } as const
      await storage.createKey({ ...key('k1', 'alice'), ...limits })
      await storage.createKey({ ...key('k2', 'alice', start + 1), access: 'write' })
      expect(await storage.findKey('k1')).toMatchObject(limits)
      expect(await storage.listKeys('alice')).toMatchObject([{ ...unlimited, access: 'write' }, limits])
    })

    it('act for the users with a prefix, and belong to none of them', async () => {
      const { storage } = subject()
      const application = { ...key('k1', 'alice'), userId: null, userPrefix: 'shop:' }
      const anyone = { ...key('k2', 'alice', start + 1), userId: null, userPrefix: '' }
      for (const each of [application, anyone]) {
        await storage.createKey(each)
        expect(await storage.findKey(each.id)).toEqual({ ...each, lastUsedAt: null, revokedAt: null })
      }
      expect(await storage.listKeys()).toMatchObject([
        { userId: null, userPrefix: '' },
        { userId: null, userPrefix: 'shop:' },
      ])
      expect(await storage.listKeys('alice')).toEqual([])
    })

    it('cannot be created twice with one id', async () => {
      const { storage } = subject()
      await storage.createKey(key('k1', 'alice'))
      await expect(storage.createKey(key('k1', 'mallory'))).rejects.toThrow()
      expect(await storage.findKey('k1')).toMatchObject({ userId: 'alice' })
    })
  })

  describe('durability', () => {
    it('keeps everything when the store is closed and reopened', async () => {
      const { storage, notebook, reopen } = subject()
      const id = await notebook.storeOne(alice, employment('John', 'Acme', { metadata: { a: [1] } }))
      await storage.update(alice, id, { now: start + 1, project: 'p' })
      await storage.createKey(key('k1', 'alice'))
      await storage.recordAccess([{ userId: 'alice', memoryId: id, count: 2, at: start }])
      const john = await entityNamed(storage, alice, 'John')
      const snapshot = async (from: typeof storage) => [
        await from.find(alice, id, { now: start }),
        await historyOf(from, alice, id),
        await provenanceOf(from, alice, id),
        await from.changes(alice, { revision: 0, row: 0 }, 10),
        await from.relationships(alice, john.id, { now: start }),
        await from.listKeys(),
      ]
      const before = await snapshot(storage)
      const again = await reopen()
      expect(await snapshot(again)).toEqual(before)
      await again.ping()
      expect((await again.stats()).bytes).toBeGreaterThan(0)
    })

    it('never reuses a row number, even after reopening', async () => {
      const { storage, notebook, reopen } = subject()
      await notebook.store(alice, { content: 'a' }, { content: 'b' })
      const before = await storage.changes(alice, { revision: 0, row: 0 }, 10)
      await storage.forget(alice, { all: true })
      const again = await reopen()
      const memories = [notebook.memory({ content: 'c' })]
      await again.commit(alice, notebook.storeCommit({ expectedRevision: 2, memories }))
      const after = await again.changes(alice, { revision: 0, row: 0 }, 10)
      expect(after.changed.map((version) => version.content)).toEqual(['c'])
      expect(before.changed.map((version) => version.row)).not.toContain(after.changed[0]?.row)
    })

    it('finishes writes in progress when it is closed, and rejects later calls', async () => {
      const { storage, notebook, reopen } = subject()
      const users = Array.from({ length: 20 }, (_, i) => userScope(`user ${i}`))
      const commits = users.map((user, i) =>
        storage.commit(
          user,
          notebook.storeCommit({ expectedRevision: 0, memories: [notebook.memory({ content: `last ${i}` })] }),
        ),
      )
      const closed = storage.close()
      const late = storage.listKeys()
      await expect(late).rejects.toMatchObject({ code: 'unavailable' })
      await Promise.all(commits)
      await closed
      expect((await (await reopen()).stats()).memories).toBe(20)
    })
  })
}
