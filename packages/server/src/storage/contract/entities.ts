import { describe, expect, it } from 'vitest'
import { everyoneScope } from '../../core/scope.js'
import { alice, bob, employment, entityNamed, start } from './notebook.js'
import type { Subject } from './subject.js'

export function describeEntities(subject: () => Subject): void {
  const page = { now: start + 100, limit: 50, offset: 0 }

  describe('entities', () => {
    it('combine all spellings with the same key, type and user', async () => {
      const { storage, notebook } = subject()
      const memories = [
        notebook.memory({ content: '1', entities: [['Acme Corp.', 'ORG']] }),
        notebook.memory({
          content: '2',
          entities: [
            ['ACME', 'ORG', 'The Roadrunner Company'],
            ['Acme', 'PERSON'],
          ],
        }),
        notebook.memory({ content: '3', entities: [['roadrunner', 'ORG']] }),
        notebook.memory({ content: '4', entities: [['the roadrunner', 'ORG']] }),
      ]
      const { entityNames } = await notebook.commit(alice, { memories })
      expect(entityNames).toEqual([['Acme Corp.'], ['Acme Corp.', 'Acme'], ['roadrunner'], ['Acme Corp.']])
      await notebook.store(bob, { content: 'b', entities: [['Acme', 'ORG']] })
      const { items } = await storage.listEntities(alice, page)
      const company = items.find((entity) => entity.name === 'Acme Corp.')
      expect(company).toMatchObject({ type: 'ORG', userId: 'alice', memoryCount: 3 })
      expect(company?.aliases).toEqual(['ACME', 'The Roadrunner Company', 'the roadrunner'])
      expect(items.map((entity) => entity.type).sort()).toEqual(['ORG', 'ORG', 'PERSON'])
      expect((await entityNamed(storage, bob, 'Acme')).memoryCount).toBe(1)
    })

    it('merge two mentions of one entity in one memory', async () => {
      const { storage, notebook } = subject()
      const entities = [['Jonathan', 'PERSON', 'Jon'] as const, ['Jon', 'PERSON'] as const]
      const id = await notebook.storeOne(alice, { content: 'x', entities })
      expect(await storage.find(alice, id, { now: start })).toMatchObject({ entities: ['Jonathan'] })
      expect(await entityNamed(storage, alice, 'Jonathan')).toMatchObject({ aliases: ['Jon'], memoryCount: 1 })
    })

    it('are listed most recently seen first, with a total and pages', async () => {
      const { storage, notebook } = subject()
      await notebook.store(
        alice,
        { content: '1', createdAt: start + 10, entities: [['Ann', 'PERSON']] },
        { content: '2', createdAt: start + 30, entities: [['Ben', 'PERSON']] },
        { content: '3', createdAt: start + 20, entities: [['Cid', 'PERSON']] },
        { content: '4', createdAt: start + 40, entities: [['Ann', 'PERSON']] },
      )
      const { items, total } = await storage.listEntities(alice, page)
      expect(total).toBe(3)
      expect(
        items.map(({ name, memoryCount, firstSeen, lastSeen }) => [name, memoryCount, firstSeen, lastSeen]),
      ).toEqual([
        ['Ann', 2, start + 10, start + 40],
        ['Ben', 1, start + 30, start + 30],
        ['Cid', 1, start + 20, start + 20],
      ])
      const second = await storage.listEntities(alice, { ...page, limit: 1, offset: 1 })
      expect([second.total, second.items.map((entity) => entity.name)]).toEqual([3, ['Ben']])
      expect(await storage.listEntities(alice, { ...page, offset: 9 })).toEqual({ items: [], total: 3 })
      expect(await storage.findEntity(alice, items[0]?.id ?? '', page.now)).toEqual(items[0])
    })

    it('are found by type and by part of a name or alias, ignoring case', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, {
        content: 'x',
        entities: [
          ['Zoë', 'PERSON', 'The Boss'],
          ['50% Club', 'ORG'],
        ],
      })
      const found = async (more: { q?: string; type?: 'PERSON' | 'ORG' }) => {
        const { items, total } = await storage.listEntities(alice, { ...page, ...more })
        expect(total).toBe(items.length)
        return items.map((entity) => entity.name).sort()
      }
      expect(await found({ q: 'ZOË' })).toEqual(['Zoë'])
      expect(await found({ q: 'boss' })).toEqual(['Zoë'])
      expect(await found({ q: '%' })).toEqual(['50% Club'])
      expect(await found({ type: 'ORG' })).toEqual(['50% Club'])
      expect(await found({ type: 'ORG', q: 'boss' })).toEqual([])
    })

    it('count current memories only, and stay visible if only replaced ones mention them', async () => {
      const { storage, notebook } = subject()
      const old = await notebook.storeOne(alice, employment('John', 'Acme'))
      await notebook.store(alice, employment('John', 'Globex', { createdAt: start + 5, supersedes: [old] }))
      expect(await entityNamed(storage, alice, 'Acme')).toMatchObject({ memoryCount: 0, lastSeen: start })
      expect(await entityNamed(storage, alice, 'John')).toMatchObject({ memoryCount: 1, firstSeen: start })
    })

    it('are listed with their users for the scope of everyone', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, { content: 'x', entities: [['Acme', 'ORG']] })
      await notebook.store(bob, { content: 'x', entities: [['Acme', 'ORG']] })
      const { items } = await storage.listEntities(everyoneScope(), page)
      expect(items.map((entity) => entity.userId).sort()).toEqual(['alice', 'bob'])
    })
  })
}
