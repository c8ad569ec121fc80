import { describe, expect, it } from 'vitest'
import { everyoneScope, nobodyScope, type Scope, type UserScope, userScope } from '../../core/scope.js'
import { alice, allRows, bob, employment, entityNamed, historyOf, provenanceOf, start } from './notebook.js'
import type { Subject } from './subject.js'

const settings = { enabled: true, halfLifeDays: 30, accessBoostWeight: 0.2 }

export function describeIsolation(subject: () => Subject): void {
  /** Alice and Bob store the same words; only the canary and the ids differ. */
  async function twoUsers() {
    const { storage, notebook } = subject()
    const fact = (canary: string) =>
      employment('John', 'Acme', {
        content: `John works at Acme ${canary}`,
        metadata: { canary, shared: 1 },
        expiresAt: start + 500,
      })
    const mine = await notebook.storeOne(alice, fact('alice-canary'))
    await notebook.store(alice, fact('alice-canary'))
    await notebook.store(bob, fact('bob-canary'))
    const theirs = await notebook.storeOne(bob, fact('bob-canary'))
    const rows = (await allRows(storage, bob)).map((version) => version.row)
    return { mine, theirs, rows, entity: await entityNamed(storage, bob, 'John') }
  }

  /** Everything that a scope of any kind can read, requested with Bob's ids. */
  async function everythingReadable(scope: Scope, theirs: string, entityId: string): Promise<unknown[]> {
    const { storage } = subject()
    const now = start + 1
    return [
      await storage.find(scope, theirs, { now, includeExpired: true }),
      await historyOf(storage, scope, theirs),
      await provenanceOf(storage, scope, theirs),
      await storage.list(scope, { now, limit: 50, includeExpired: true }),
      await storage.list(scope, { now, limit: 50, q: 'john' }),
      await storage.list(scope, { now, limit: 50, entityId }),
      await storage.decayReport(scope, { now, settings, limit: 50, offset: 0 }),
      await storage.expired(scope, start + 900, 50),
      await storage.listEntities(scope, { now, limit: 50, offset: 0 }),
      await storage.findEntity(scope, entityId, now),
      await storage.relationships(scope, entityId, { now }),
      await storage.relationships(scope, entityId, { now, includeHistory: true }),
      await storage.relationships(scope, entityId, { now, asOf: now }),
      await storage.outdated(scope, 'another-model', null, 50),
    ]
  }

  async function everythingOfUser(scope: UserScope, rows: readonly number[], entityId: string): Promise<unknown[]> {
    const { storage, notebook } = subject()
    const { contentKey } = notebook.draft({ content: 'John works at Acme bob-canary' })
    const facts = { now: start, project: null, contentKeys: [contentKey], slots: ['WORKS_AT|john'] }
    return [
      await storage.recognise(scope, facts),
      await storage.recent(scope, { now: start, limit: 50 }),
      await storage.changes(scope, { revision: 0, row: 0 }, 50),
      await storage.hydrate(scope, rows, { vectors: true }),
      await storage.matching(scope, { metadata: { shared: 1 } }),
      await storage.matching(scope, { metadata: { canary: 'bob-canary' } }),
      await storage.matching(scope, { entity: entityId }),
      await storage.connected(scope, ['john', 'acme'], 50),
    ]
  }

  describe('isolation', () => {
    it('shows a user nothing of another user, through any read', async () => {
      const { mine, theirs, rows, entity } = await twoUsers()
      const seen = JSON.stringify([
        await everythingReadable(alice, theirs, entity.id),
        await everythingOfUser(alice, rows, entity.id),
      ])
      expect(seen).not.toContain('bob')
      expect(seen).not.toContain(theirs)
      expect(seen).not.toContain(entity.id)
      for (const row of rows) expect(seen).not.toContain(String(row))
      expect(seen).toContain('alice-canary')
      expect(seen).toContain(mine)
      const { storage } = subject()
      expect((await storage.list(alice, { now: start, limit: 50 })).total).toBe(2)
      expect((await entityNamed(storage, alice, 'John')).memoryCount).toBe(2)
      expect(await storage.matching(alice, { metadata: { canary: 'bob-canary' } })).toEqual([])
    })

    it('shows nothing to the scope of nobody or to an unknown user', async () => {
      const { theirs, rows, entity } = await twoUsers()
      // Drivers cut a text at NUL: the last two must not be read as `bob`.
      const strangers = ['carol', 'bo', 'BOB', 'bob%', 'bob\0', 'bob\0x'].map((userId) => userScope(userId))
      for (const scope of [nobodyScope, ...strangers]) {
        const seen = JSON.stringify(await everythingReadable(scope, theirs, entity.id))
        expect(seen).not.toMatch(/canary|_0|john|acme/i)
        expect(seen).not.toMatch(/"(total|healthy|decaying|expired)":[1-9]/)
      }
      for (const scope of strangers) {
        const seen = JSON.stringify(await everythingOfUser(scope, rows, entity.id))
        expect(seen).not.toMatch(/canary|john|acme/i)
      }
    })

    it('changes nothing of another user, through any write', async () => {
      const { theirs } = await twoUsers()
      const { storage } = subject()
      const before = await storage.find(bob, theirs, { now: start })
      await storage.update(alice, theirs, { now: start, metadata: {} })
      await storage.forget(alice, { memoryIds: [theirs] })
      await storage.purgeExpired(alice, start + 900)
      await storage.recordAccess([{ userId: 'alice', memoryId: theirs, count: 1, at: start }])
      for (const { modelId, ...version } of (await storage.outdated(bob, 'another-model', null, 50)).versions) {
        const vector = { ...version, modelId, vector: Float32Array.of(1, 0) }
        await storage.replaceVectors(alice, 'another-model', [vector, { ...vector, userId: 'alice' }])
      }
      await storage.forget(alice, { all: true })
      await storage.forget(userScope('bob\0'), { all: true })
      expect(await storage.find(bob, theirs, { now: start })).toEqual(before)
      expect(await storage.countOutdated(bob, 'another-model')).toBe(2)
      expect((await storage.list(bob, { now: start, limit: 9 })).total).toBe(2)
      expect((await entityNamed(storage, bob, 'John')).memoryCount).toBe(2)
      const john = await entityNamed(storage, bob, 'John')
      expect((await storage.relationships(bob, john.id, { now: start }))[0]?.memoryIds).toHaveLength(2)
    })

    it('shows all users to the scope of everyone', async () => {
      const { mine, theirs } = await twoUsers()
      const { storage } = subject()
      const { items, total } = await storage.list(everyoneScope(), { now: start, limit: 3 })
      expect([total, items.length]).toEqual([4, 3])
      for (const id of [mine, theirs]) {
        expect(await storage.find(everyoneScope(), id, { now: start })).toMatchObject({ id })
        expect(await historyOf(storage, everyoneScope(), id)).toHaveLength(1)
        expect(await provenanceOf(storage, everyoneScope(), id)).toHaveLength(1)
      }
      expect((await storage.list(everyoneScope(), { now: start, limit: 9, q: 'bob-' })).total).toBe(2)
      expect((await storage.expired(everyoneScope(), start + 500, 9)).total).toBe(4)
    })
  })
}
