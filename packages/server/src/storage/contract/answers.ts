import { describe, expect, it } from 'vitest'
import { everyoneScope, nobodyScope, userScope } from '../../core/scope.js'
import { AlreadyAnswered, type NewAnswer } from '../ports/answers.js'
import { RawTextGone } from '../ports/inbox.js'
import { RevisionConflict } from '../ports/memory-writes.js'
import { alice, bob, employment, provenanceOf, start } from './notebook.js'
import type { Subject } from './subject.js'

const long = 1_000

export function describeAnswers(subject: () => Subject): void {
  describe('answers kept for an idempotency key', () => {
    const answer = (keyHash: string, memoryIds: readonly string[] = [], more: Partial<NewAnswer> = {}): NewAnswer => ({
      keyHash,
      fingerprint: `of ${keyHash}`,
      after: start - long,
      summary: '{"n":1}',
      items: memoryIds.map((memoryId) => ({ memoryId, payload: `item ${memoryId} ✓` })),
      ...more,
    })
    const find = (keyHash: string, after = start - long) => subject().storage.findAnswer(alice, keyHash, after)
    const total = async () => (await subject().storage.list(alice, { now: start, limit: 9 })).total

    it('are kept in order with the memories they describe, even after reopening', async () => {
      const { notebook, reopen } = subject()
      const known = await notebook.storeOne(alice, { content: 'known' })
      const memories = [notebook.memory(employment('John', 'Acme')), notebook.memory({ content: 'plain' })]
      const [john, plain] = memories.map(({ id }) => id)
      const sightings = [{ memoryId: known, segments: [0, 0] as const }]
      const ids = [plain ?? '', known, john ?? '', known]
      const committed = await notebook.commit(alice, { memories, sightings, answer: answer('k', ids) })
      expect(committed).toMatchObject({ relationshipsCreated: 1 })
      const again = await reopen()
      expect(await again.findAnswer(alice, 'k', start - long)).toEqual({
        fingerprint: 'of k',
        summary: '{"n":1}',
        relationshipsCreated: 1,
        items: [
          { payload: `item ${plain} ✓`, entityNames: [] },
          { payload: `item ${known} ✓`, entityNames: null },
          { payload: `item ${john} ✓`, entityNames: ['John', 'Acme'] },
          { payload: `item ${known} ✓`, entityNames: null },
        ],
      })
    })

    it('allow one store per key and user, whatever the second one contains', async () => {
      const { storage, notebook } = subject()
      const commit = (scope: typeof alice, content: string, more: object = {}) =>
        notebook.commit(scope, { memories: [notebook.memory({ content })], answer: answer('k'), ...more })
      await commit(alice, 'first')
      await expect(commit(alice, 'second')).rejects.toThrow(AlreadyAnswered)
      // If there are two reasons to reject, it reports the one that a retry cannot fix.
      await expect(commit(alice, 'second', { expectedRevision: 7 })).rejects.toThrow(AlreadyAnswered)
      expect(await total()).toBe(1)
      expect(await notebook.revision(alice)).toBe(1)
      await commit(bob, 'of somebody else')
      expect((await storage.list(bob, { now: start, limit: 9 })).total).toBe(1)
      expect(await storage.findAnswer(userScope('carol'), 'k', 0)).toBeNull()
      expect(await storage.findAnswer(userScope('ali\0ce'), 'k', 0)).toBeNull()
    })

    it('let exactly one of many concurrent stores with one key succeed', async () => {
      const { notebook } = subject()
      const stores = Array.from({ length: 8 }, (_, index) =>
        notebook.commit(alice, {
          expectedRevision: 0,
          memories: [notebook.memory({ content: `take ${index}` })],
          answer: answer('k'),
        }),
      )
      const settled = await Promise.allSettled(stores)
      const lost = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
      expect(lost).toHaveLength(7)
      for (const reason of lost) expect(reason).toBeInstanceOf(AlreadyAnswered)
      expect(await total()).toBe(1)
    })

    it('are not kept by a commit that fails, which leaves the key free', async () => {
      const { notebook } = subject()
      const memories = [notebook.memory({ content: 'a' })]
      const kept = answer('k', [memories[0]?.id ?? ''])
      await expect(notebook.commit(alice, { memories, answer: kept, expectedRevision: 7 })).rejects.toThrow(
        RevisionConflict,
      )
      await expect(notebook.commit(alice, { memories, answer: kept, rawId: notebook.id('doc') })).rejects.toThrow(
        RawTextGone,
      )
      expect(await find('k')).toBeNull()
      await notebook.commit(alice, { memories, answer: kept })
      expect((await find('k'))?.items).toHaveLength(1)
    })

    it('are found until they are too old, and can be replaced then', async () => {
      const { notebook } = subject()
      const memories = [notebook.memory({ content: 'a' })]
      await notebook.commit(alice, { memories, answer: answer('k', [memories[0]?.id ?? '']) })
      expect(await find('k', start - 1)).not.toBeNull()
      expect(await find('k', start)).toBeNull()
      const later = { now: start + long, answer: answer('k', [], { after: start, fingerprint: 'new' }) }
      await notebook.commit(alice, { memories: [notebook.memory({ content: 'b' })], ...later })
      expect(await find('k', start)).toMatchObject({ fingerprint: 'new', items: [] })
      expect(await total()).toBe(2)
    })

    it('are dropped by age within a scope, at most a given number per call', async () => {
      const { storage, notebook } = subject()
      for (const index of [0, 1, 2, 3]) {
        const memory = notebook.memory({ content: `fact ${index}` })
        await notebook.commit(alice, {
          now: start + index,
          memories: [memory],
          answer: answer(`k${index}`, [memory.id]),
        })
      }
      await notebook.commit(bob, { answer: answer('k0') })
      expect(await storage.dropAnswers(nobodyScope, start + long, 9)).toBe(0)
      expect(await storage.dropAnswers(userScope('carol'), start + long, 9)).toBe(0)
      expect(await storage.dropAnswers(alice, start + 1, 1)).toBe(1)
      expect(await find('k0')).toBeNull()
      expect(await storage.findAnswer(bob, 'k0', 0)).not.toBeNull()
      expect(await storage.dropAnswers(everyoneScope(), start + 2, 9)).toBe(3)
      expect(await storage.dropAnswers(everyoneScope(), start + 2, 9)).toBe(0)
      expect(await find('k2')).toBeNull()
      expect(await find('k3')).toMatchObject({ items: [{}] })
      expect(await total()).toBe(4)
    })

    it('keep nothing of erased memories, but still block the key', async () => {
      const { storage, notebook } = subject()
      const memories = ['gone', 'stays', 'ends'].map((content) =>
        notebook.memory({ content, expiresAt: content === 'ends' ? start + 5 : null }),
      )
      const ids = memories.map(({ id }) => id)
      await notebook.commit(alice, { memories, answer: answer('k', ids) })
      const left = async () => (await find('k'))?.items.map(({ payload }) => payload)
      await storage.forget(alice, { memoryIds: [ids[0] ?? ''] })
      expect(await left()).toEqual([`item ${ids[1]} ✓`, `item ${ids[2]} ✓`])
      await storage.purgeExpired(alice, start + 5)
      expect(await left()).toEqual([`item ${ids[1]} ✓`])
      await storage.forget(alice, { all: true })
      expect(await left()).toEqual([])
      const again = { memories: [notebook.memory({ content: 'gone' })], answer: answer('k') }
      await expect(notebook.commit(alice, again)).rejects.toThrow(AlreadyAnswered)
    })

    it('are rejected if their text could not be returned unchanged', async () => {
      const { notebook } = subject()
      const memory = notebook.memory({ content: 'a' })
      const broken = answer('k', [], { items: [{ memoryId: memory.id, payload: 'a\0b' }] })
      await expect(notebook.commit(alice, { memories: [memory], answer: broken })).rejects.toMatchObject({
        code: 'validation_error',
      })
      expect(await total()).toBe(0)
    })
  })

  describe('a sighting that changes the expiry', () => {
    it('adds a version with the new expiry in the same commit, which returns the final revision', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, { content: 'a', expiresAt: start + 5 })
      const sightings = [{ memoryId: id, segments: [0, 0] as const, expiresAt: start + 50 }]
      const { revision } = await notebook.commit(alice, { now: start + 1, sightings })
      expect(revision).toBe(await notebook.revision(alice))
      expect(await storage.find(alice, id, { now: start + 10 })).toMatchObject({ expiresAt: start + 50, version: 2 })
      await notebook.commit(alice, {
        now: start + 2,
        sightings: sightings.map((each) => ({ ...each, expiresAt: null })),
      })
      expect(await storage.find(alice, id, { now: start + 99 })).toMatchObject({ expiresAt: null, version: 3 })
      expect((await provenanceOf(storage, alice, id)).length).toBe(3)
    })
  })
}
