import { describe, expect, it } from 'vitest'
import { everyoneScope, nobodyScope, userScope } from '../../core/scope.js'
import type { Erased } from '../ports/memory-writes.js'
import { alice, allRows, bob, employment, entityNamed, historyOf, provenanceOf, start } from './notebook.js'
import type { Subject } from './subject.js'

function idsOf(erased: readonly Erased[]): string[] {
  return erased.map(({ memoryId }) => memoryId)
}

export function describeErasing(subject: () => Subject): void {
  describe('forget', () => {
    it('erases a memory with its history, provenance, vectors, entities and relationships', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, employment('John', 'Acme'))
      await storage.update(alice, id, { now: start + 1, metadata: { a: 1 } })
      const rows = (await allRows(storage, alice)).map((version) => version.row)
      const john = await entityNamed(storage, alice, 'John')
      expect(idsOf(await storage.forget(alice, { memoryIds: [id, id, notebook.id('mem')] }))).toEqual([id])
      const now = start + 2
      expect(await storage.find(alice, id, { now, includeExpired: true })).toBeNull()
      expect(await historyOf(storage, alice, id)).toEqual([])
      expect(await provenanceOf(storage, alice, id)).toEqual([])
      expect(await storage.hydrate(alice, rows, { vectors: true })).toEqual([])
      expect(await storage.matching(alice, {})).toEqual([])
      expect(await storage.connected(alice, ['john', 'acme'], 10)).toEqual([])
      expect(await storage.findEntity(alice, john.id, now)).toBeNull()
      expect(await storage.relationships(alice, john.id, { now, includeHistory: true })).toEqual([])
      expect((await storage.listEntities(alice, { now, limit: 10, offset: 0 })).total).toBe(0)
      expect((await storage.list(alice, { now, limit: 10, includeExpired: true })).total).toBe(0)
      expect(await storage.stats()).toMatchObject({ users: 0, memories: 0 })
    })

    it('keeps the entities, relationships and text that another memory supports', async () => {
      const { storage, notebook } = subject()
      const document = { id: notebook.id('doc'), segments: ['A. ', 'B. ', 'C.'], source: 'api' }
      const first = notebook.memory(employment('John', 'Acme', { segments: [0, 1] }))
      const second = notebook.memory(employment('John', 'Acme', { content: 'B and C', segments: [1, 2] }))
      await notebook.commit(alice, { document, memories: [first, second] })
      await storage.forget(alice, { memoryIds: [first.id] })
      expect(await provenanceOf(storage, alice, second.id)).toMatchObject([{ text: 'B. C.' }])
      const john = await entityNamed(storage, alice, 'John')
      expect(john.memoryCount).toBe(1)
      const [relationship] = await storage.relationships(alice, john.id, { now: start })
      expect(relationship?.memoryIds).toEqual([second.id])
    })

    it('erases names and properties that only the erased memory stated', async () => {
      const { storage, notebook } = subject()
      const first = await notebook.storeOne(alice, {
        content: 'Jonathan Secret, alias Jonny, owns Acme',
        entities: [
          ['Jonathan Secret', 'PERSON', 'Jonny', 'John'],
          ['Acme', 'ORG'],
        ],
        relationships: [{ from: 'Jonathan Secret', type: 'OWNS', to: 'Acme', properties: { secret: 'yes' } }],
      })
      await notebook.store(alice, {
        content: 'John owns Acme',
        entities: [
          ['John', 'PERSON'],
          ['Acme', 'ORG'],
        ],
        relationships: [{ from: 'John', type: 'OWNS', to: 'Acme', properties: { since: '2020' } }],
      })
      const before = await entityNamed(storage, alice, 'Jonathan Secret')
      expect(before).toMatchObject({ memoryCount: 2, aliases: ['John', 'Jonny'] })
      const told = await storage.relationships(alice, before.id, { now: start })
      expect(told.map((each) => each.properties)).toEqual([{ secret: 'yes', since: '2020' }])
      await storage.forget(alice, { memoryIds: [first] })
      const john = await entityNamed(storage, alice, 'John')
      expect(john).toMatchObject({ aliases: [], memoryCount: 1 })
      expect(await storage.listMerges(alice, john.id)).toEqual([])
      const left = await storage.relationships(alice, john.id, { now: start })
      expect(left.map((each) => each.properties)).toEqual([{ since: '2020' }])
    })

    it('erases names that only erased memories used, and decides their merges again', async () => {
      const { storage, notebook } = subject()
      const storeNamed = (content: string, ...names: readonly [string, ...string[]]) => {
        const [name, ...aliases] = names
        return notebook.storeOne(alice, { content, entities: [[name, 'PERSON', ...aliases]] })
      }
      const listed = async () => {
        const { items } = await storage.listEntities(alice, { now: start, limit: 10, offset: 0 })
        return items.map(({ name, aliases, memoryCount }) => `${name}(${aliases.join()}):${memoryCount}`).sort()
      }
      const smith = await storeNamed('smith', 'Robert Smith')
      const jones = await storeNamed('jones', 'Robert Jones', 'Robert')
      await storeNamed('of jones', 'Robert')
      const smithAgain = await storeNamed('smith again', 'Robert Smith', 'Robert')
      await storeNamed('of smith', 'Robert')
      expect(await listed()).toEqual(['Robert Jones(Robert):1', 'Robert Smith(Robert):2', 'Robert():2'])
      await storage.forget(alice, { memoryIds: [smith, smithAgain] })
      // The name now fits only one person.
      expect(await listed()).toEqual(['Robert Jones(Robert):3'])
      await storage.forget(alice, { memoryIds: [jones] })
      expect(await listed()).toEqual(['Robert():2'])
      await storeNamed('jones again', 'Robert Jones')
      expect(await listed()).toEqual(['Robert Jones(Robert):3'])
    })

    it('erases the predecessors of a memory with it, and leaves no id of it in its successor', async () => {
      const { storage, notebook } = subject()
      const a = await notebook.storeOne(alice, { content: 'a' })
      const b = await notebook.storeOne(alice, { content: 'b', createdAt: start + 1, supersedes: [a] })
      const c = await notebook.storeOne(alice, { content: 'c', createdAt: start + 2, supersedes: [b] })
      expect(idsOf(await storage.forget(alice, { memoryIds: [b] })).sort()).toEqual([a, b])
      expect(await storage.find(alice, a, { now: start })).toBeNull()
      expect(await storage.find(alice, c, { now: start })).toMatchObject({ supersedes: [] })
      expect((await storage.list(alice, { now: start, limit: 10 })).items.map((each) => each.id)).toEqual([c])
    })

    it('reports whose memories it erased', async () => {
      const { storage, notebook } = subject()
      const mine = await notebook.storeOne(alice, { content: 'a' })
      const other = await notebook.storeOne(bob, { content: 'b' })
      const erased = await storage.forget(everyoneScope(), { memoryIds: [mine, other] })
      expect(new Map(erased.map(({ memoryId, userId }) => [memoryId, userId]))).toEqual(
        new Map([
          [mine, alice.userId],
          [other, bob.userId],
        ]),
      )
    })

    it('erases exactly the scope: a project, a user, everyone, nobody', async () => {
      const { storage, notebook } = subject()
      const mine = await notebook.store(alice, { content: 'a' }, { content: 'p', project: 'p' })
      const others = await notebook.store(bob, { content: 'b' }, { content: 'bp', project: 'p' })
      const all = { all: true } as const
      const named = { memoryIds: [...mine, ...others] }
      expect(idsOf(await storage.forget(nobodyScope, all))).toEqual([])
      expect(idsOf(await storage.forget(nobodyScope, named))).toEqual([])
      expect(idsOf(await storage.forget(userScope('carol'), named))).toEqual([])
      expect(idsOf(await storage.forget(userScope('alice', 'p'), named))).toEqual([mine[1]])
      expect(idsOf(await storage.forget(userScope('alice', 'q'), all))).toEqual([])
      expect(idsOf(await storage.forget(userScope('bob', 'p'), all))).toEqual([others[1]])
      expect(idsOf(await storage.forget(alice, all))).toEqual([mine[0]])
      expect(idsOf(await storage.forget(everyoneScope(), all))).toEqual([others[0]])
      expect((await storage.stats()).memories).toBe(0)
    })

    it('erases more memories than fit one step while others write, and nothing of those others', async () => {
      const { storage, notebook } = subject()
      const facts = Array.from({ length: 650 }, (_, i) => ({
        content: `fact ${i}`,
        entities: [['Me', 'PERSON'] as const],
      }))
      const ids = await notebook.store(alice, ...facts)
      const keep = await notebook.storeOne(bob, employment('John', 'Acme'))
      const [erased] = await Promise.all([
        storage.forget(alice, { all: true }),
        notebook.store(userScope('carol'), { content: 'meanwhile' }),
      ])
      expect(idsOf(erased).sort()).toEqual(ids.sort())
      expect((await storage.listEntities(alice, { now: start, limit: 10, offset: 0 })).total).toBe(0)
      expect(await storage.find(bob, keep, { now: start })).toMatchObject({ entities: ['John', 'Acme'] })
      expect(await storage.stats()).toMatchObject({ users: 2, memories: 2 })
      const again = await notebook.storeOne(alice, { content: 'fact 1' })
      expect(await storage.find(alice, again, { now: start })).toMatchObject({ content: 'fact 1' })
    })

    it('spares a memory that an update moves out of scope between two steps', async () => {
      const { storage, notebook } = subject()
      const now = start + 10
      const facts = Array.from({ length: 450 }, (_, i) => ({ content: `fact ${i}`, project: 'p', expiresAt: now }))
      const ids = await notebook.store(alice, ...facts)
      const [moved = '', prolonged = ''] = ids.slice(-2)
      const [purged, saved] = await Promise.all([
        storage.purgeExpired(alice, now),
        storage.update(alice, prolonged, { now: start, expiresAt: null }),
      ])
      expect(saved).toMatchObject({ id: prolonged, expiresAt: null })
      expect(purged).toHaveLength(449)
      expect(await storage.find(alice, prolonged, { now })).toMatchObject({ id: prolonged })
      expect(await storage.find(alice, moved, { now, includeExpired: true })).toBeNull()
      const more = await notebook.store(alice, ...facts.map((fact) => ({ ...fact, expiresAt: null })))
      const [erased, elsewhere] = await Promise.all([
        storage.forget(userScope('alice', 'p'), { all: true }),
        storage.update(alice, more[449] ?? '', { now, project: 'q' }),
      ])
      expect(elsewhere).toMatchObject({ project: 'q' })
      expect(idsOf(erased)).not.toContain(more[449])
      expect(await storage.find(alice, more[449] ?? '', { now })).toMatchObject({ project: 'q' })
    })

    it('leaves no relationship or entity that only the memory and its predecessors supported', async () => {
      const { storage, notebook } = subject()
      const old = await notebook.storeOne(alice, employment('John', 'Acme'))
      const next = employment('John', 'Acme', { content: 'John is at Acme', createdAt: start + 5, supersedes: [old] })
      const replacement = await notebook.storeOne(alice, next)
      await storage.forget(alice, { memoryIds: [replacement] })
      expect((await storage.listEntities(alice, { now: start + 9, limit: 10, offset: 0 })).total).toBe(0)
      expect(await allRows(storage, alice)).toEqual([])
    })
  })

  describe('expiry', () => {
    it('takes effect at the exact millisecond, for every way of reading', async () => {
      const { storage, notebook } = subject()
      const fact = employment('John', 'Acme', { expiresAt: start + 100 })
      const id = await notebook.storeOne(alice, fact)
      const { contentKey } = notebook.draft(fact)
      const john = await entityNamed(storage, alice, 'John')
      const settings = { enabled: true, halfLifeDays: 30, accessBoostWeight: 0.2 }
      const seenAt = async (now: number) => [
        (await storage.find(alice, id, { now })) !== null,
        (await storage.list(alice, { now, limit: 10 })).total,
        (await storage.listEntities(alice, { now, limit: 10, offset: 0 })).total,
        (await storage.findEntity(alice, john.id, now)) !== null,
        (await storage.relationships(alice, john.id, { now })).length,
        (await storage.decayReport(alice, { now, settings, limit: 10, offset: 0 })).total,
        (await storage.recognise(alice, { now, project: null, contentKeys: [contentKey], slots: [] })).sameContent
          .length,
        (await storage.recognise(alice, { now, project: null, contentKeys: [], slots: ['WORKS_AT|john'] })).sameSlot
          .length,
        (await storage.expired(alice, now, 10)).total,
      ]
      expect(await seenAt(start + 99)).toEqual([true, 1, 2, true, 1, 1, 1, 1, 0])
      expect(await seenAt(start + 100)).toEqual([false, 0, 0, false, 0, 0, 0, 0, 1])
      const now = start + 100
      expect(await storage.find(alice, id, { now, includeExpired: true })).toMatchObject({ id })
      expect((await storage.list(alice, { now, limit: 10, includeExpired: true })).total).toBe(1)
      expect(await historyOf(storage, alice, id)).toHaveLength(1)
      expect(await allRows(storage, alice)).toMatchObject([{ expiresAt: start + 100 }])
    })

    it('purges only within the scope, oldest first, including replaced memories', async () => {
      const { storage, notebook } = subject()
      const late = await notebook.storeOne(alice, { content: 'late', expiresAt: start + 20 })
      const early = await notebook.storeOne(alice, { content: 'early', expiresAt: start + 10, project: 'p' })
      await notebook.store(
        alice,
        { content: 'stays' },
        { content: 'replaces', supersedes: [late], createdAt: start + 1 },
      )
      const foreign = await notebook.storeOne(bob, { content: 'foreign', expiresAt: start + 10 })
      const now = start + 20
      expect(await storage.expired(alice, now, 1)).toEqual({
        total: 2,
        memories: [{ id: early, content: 'early', expiredAt: start + 10 }],
      })
      expect((await storage.expired(everyoneScope(), now, 10)).total).toBe(3)
      expect(idsOf(await storage.purgeExpired(nobodyScope, now))).toEqual([])
      expect(idsOf(await storage.purgeExpired(alice, start + 9))).toEqual([])
      expect(idsOf(await storage.purgeExpired(userScope('alice', 'p'), now))).toEqual([early])
      expect(idsOf(await storage.purgeExpired(alice, now))).toEqual([late])
      expect(idsOf(await storage.purgeExpired(everyoneScope(), now))).toEqual([foreign])
      expect((await storage.list(alice, { now, limit: 10 })).items.map((each) => each.content).sort()).toEqual([
        'replaces',
        'stays',
      ])
    })
  })
}
