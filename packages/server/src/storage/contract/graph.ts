import { describe, expect, it } from 'vitest'
import { everyoneScope, nobodyScope, userScope } from '../../core/scope.js'
import { alice, bob, employment, entityNamed, start } from './notebook.js'
import type { Subject } from './subject.js'

const later = start + 1_000

export function describeGraph(subject: () => Subject): void {
  describe('entities as of a moment', () => {
    const seenAt = async (asOf: number, more: { q?: string; type?: 'ORG' } = {}) => {
      const query = { now: later, limit: 9, offset: 0, asOf, ...more }
      const { items, total } = await subject().storage.listEntities(alice, query)
      expect(total).toBe(items.length)
      return items.map(({ name, memoryCount }) => `${name} ${memoryCount}`)
    }

    it('are those that the versions of that moment mention', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, employment('John', 'Acme'))
      await notebook.store(alice, employment('Mary', 'Acme', { createdAt: start + 5, expiresAt: start + 20 }))
      await storage.update(alice, id, {
        now: start + 10,
        content: notebook.draft({ content: 'John', entities: [['John', 'PERSON']] }),
      })
      await notebook.store(bob, employment('Foreign', 'Globex'))
      expect(await seenAt(start)).toEqual([])
      expect((await seenAt(start + 1)).sort()).toEqual(['Acme 1', 'John 1'])
      expect((await seenAt(start + 10)).sort()).toEqual(['Acme 2', 'John 1', 'Mary 1'])
      expect((await seenAt(start + 11)).sort()).toEqual(['Acme 1', 'John 1', 'Mary 1'])
      expect(await seenAt(start + 20)).toEqual(['John 1'])
      expect(await seenAt(start + 11, { type: 'ORG' })).toEqual(['Acme 1'])
      expect(await seenAt(start + 11, { q: 'mAr' })).toEqual(['Mary 1'])
      const acme = await entityNamed(storage, alice, 'Acme')
      expect(await storage.findEntity(alice, acme.id, later, start + 5)).toMatchObject({ memoryCount: 1 })
      expect(await storage.findEntity(alice, acme.id, later, start)).toBeNull()
      expect(await storage.findEntity(alice, acme.id, later, start + 20)).toBeNull()
      expect(await storage.findEntity(bob, acme.id, later, start + 5)).toBeNull()
      expect(await storage.findEntity(everyoneScope(), acme.id, later, start + 5)).toMatchObject({ name: 'Acme' })
    })

    it('equal the current ones right after the last change, with merged names as one', async () => {
      const { storage, notebook } = subject()
      const old = await notebook.storeOne(alice, employment('John', 'Acme'))
      await notebook.store(alice, employment('John', 'Globex', { createdAt: start + 5, supersedes: [old] }))
      await notebook.store(alice, employment('Zed', 'Acme', { createdAt: start + 6, project: 'p' }))
      const [john, zed] = [await entityNamed(storage, alice, 'John'), await entityNamed(storage, alice, 'Zed')]
      await storage.mergeEntities(alice, zed.id, { id: notebook.id('mrg'), intoId: john.id, now: start + 7 })
      for (const scope of [alice, userScope('alice', 'p'), everyoneScope()]) {
        const query = { now: later, limit: 9, offset: 0 }
        const now = await storage.listEntities(scope, query)
        expect(await storage.listEntities(scope, { ...query, asOf: later })).toEqual(now)
        expect(now.items.length).toBeGreaterThan(1)
      }
      expect(await storage.findEntity(alice, zed.id, later, later)).toEqual(
        await storage.findEntity(alice, john.id, later),
      )
    })
  })

  describe('the graph', () => {
    it('shows the entities with the most memories, the relationships between them, and the totals', async () => {
      const { storage, notebook } = subject()
      const [first] = await notebook.store(
        alice,
        employment('John', 'Acme'),
        employment('Mary', 'Acme', { createdAt: start + 1 }),
        employment('Paul', 'Globex', { createdAt: start + 2 }),
        { content: 'John said', entities: [['John', 'PERSON']], createdAt: start + 3 },
      )
      await notebook.store(bob, employment('Foreign', 'Initech'))
      const whole = await storage.graph(alice, { now: later, limit: 9 })
      expect(whole).toMatchObject({ totalEntities: 5, totalRelationships: 3 })
      expect(whole.entities.map(({ name }) => name).slice(0, 2)).toEqual(['John', 'Acme'])
      expect(whole.relationships.map(({ source, target }) => `${source} ${target}`)).toEqual([
        'John Acme',
        'Mary Acme',
        'Paul Globex',
      ])
      expect(whole.relationships[0]).toMatchObject({ type: 'WORKS_AT', memoryIds: [first] })
      const cut = await storage.graph(alice, { now: later, limit: 2 })
      expect(cut.entities.map(({ name }) => name)).toEqual(['John', 'Acme'])
      expect(cut.relationships.map(({ source }) => source)).toEqual(['John'])
      expect(cut).toMatchObject({ totalEntities: 5, totalRelationships: 3 })
      expect(await storage.graph(everyoneScope(), { now: later, limit: 9 })).toMatchObject({
        totalEntities: 7,
        totalRelationships: 4,
      })
      for (const scope of [nobodyScope, userScope('nobody'), userScope('alice', 'p')]) {
        expect(await storage.graph(scope, { now: later, limit: 9 })).toEqual({
          entities: [],
          relationships: [],
          totalEntities: 0,
          totalRelationships: 0,
        })
      }
    })

    it('shows the same state at a moment as the relationships of an entity', async () => {
      const { storage, notebook } = subject()
      const old = await notebook.storeOne(alice, employment('John', 'Acme'))
      await notebook.store(alice, employment('John', 'Globex', { createdAt: start + 10, supersedes: [old] }))
      const john = await entityNamed(storage, alice, 'John', later)
      const targets = async (asOf?: number) => {
        const at = asOf === undefined ? {} : { asOf }
        const { relationships, totalRelationships } = await storage.graph(alice, { now: later, limit: 9, ...at })
        expect(totalRelationships).toBe(relationships.length)
        expect(relationships).toEqual(await storage.relationships(alice, john.id, { now: later, ...at }))
        return relationships.map(({ target }) => target)
      }
      expect(await targets(start)).toEqual([])
      expect(await targets(start + 10)).toEqual(['Acme'])
      expect(await targets(start + 11)).toEqual(['Globex'])
      expect(await targets()).toEqual(['Globex'])
    })

    it('counts relationships once if a merge makes them equal', async () => {
      const { storage, notebook } = subject()
      const friends = (from: string, to: string) => ({
        content: `${from} and ${to} are friends`,
        entities: [
          [from, 'PERSON'],
          [to, 'PERSON'],
        ] as const,
        relationships: [{ from, type: 'FRIEND_OF' as const, to }],
      })
      await notebook.store(alice, friends('John', 'Mary'), friends('Mary', 'Zed'))
      const [john, zed] = [await entityNamed(storage, alice, 'John'), await entityNamed(storage, alice, 'Zed')]
      expect(await storage.graph(alice, { now: later, limit: 9 })).toMatchObject({ totalRelationships: 2 })
      await storage.mergeEntities(alice, zed.id, { id: notebook.id('mrg'), intoId: john.id, now: start + 7 })
      const merged = await storage.graph(alice, { now: later, limit: 9 })
      expect(merged).toMatchObject({ totalEntities: 2, totalRelationships: 1 })
      expect(merged.relationships).toHaveLength(1)
      expect(merged.relationships[0]?.memoryIds).toHaveLength(2)
      expect(merged.entities.find(({ name }) => name === 'John')?.aliases).toEqual(['Zed'])
    })
  })
}
