import { describe, expect, it } from 'vitest'
import { endOf, type MemoryEvent } from '../../core/memory-event.js'
import { everyoneScope, type UserScope, userScope } from '../../core/scope.js'
import type { NewItem } from '../ports/item-store.js'
import { newItem } from './items.js'
import { alice, bob, start } from './notebook.js'
import type { Subject } from './subject.js'

const work = userScope('alice', 'work')
const place = { namespace: 'users.1', key: 'settings' }
const brief = ({ type, action, project, item }: MemoryEvent) =>
  [type, action, project ?? '-', item ? `${item.namespace}/${item.key}` : 'all'].join(' ')

export function describeItemEvents(subject: () => Subject): void {
  describe('events of items', () => {
    const put = (scope: UserScope, item: Partial<NewItem> = {}) => subject().storage.items.put(scope, newItem(item))
    const told = async (scope: UserScope) => (await subject().storage.events(scope, null, 99)).events.map(brief)

    it('name the item and its version, in one log with the memories', async () => {
      const { storage, notebook } = subject()
      const made = await put(work, { value: 1, now: start + 1 })
      const memory = notebook.memory({ content: 'between' })
      await notebook.commit(alice, { memories: [memory] })
      const changed = await put(work, { value: 2, now: start + 3 })
      const { events } = await storage.events(alice, null, 9)
      const common = { userId: 'alice', memoryId: null, checksum: null, relatedIds: [], project: 'work' }
      expect(events[1]).toMatchObject({ memoryId: memory.id, item: null })
      expect([events[0], events[2]]).toEqual([
        {
          ...common,
          mark: { revision: 1, position: 0 },
          type: 'item.put',
          action: 'ADD',
          item: { ...place, version: 'item' in made ? made.item.version : 0 },
          at: start + 1,
        },
        {
          ...common,
          mark: { revision: 3, position: 0 },
          type: 'item.put',
          action: 'UPDATE',
          item: { ...place, version: 'item' in changed ? changed.item.version : 0 },
          at: start + 3,
        },
      ])
    })

    it('are not written for a refused write or a value that is already there, but for another expiry', async () => {
      const { storage } = subject()
      await put(alice)
      await put(alice)
      await put(alice, { ifVersion: 99, value: 'refused' })
      await storage.items.remove(alice, place, { now: start, ifVersion: 99 })
      await storage.items.remove(alice, { ...place, key: 'unknown' }, { now: start })
      expect(await told(alice)).toEqual(['item.put ADD - users.1/settings'])
      await put(alice, { expiresAt: start + 9 })
      expect((await told(alice)).at(-1)).toBe('item.put UPDATE - users.1/settings')
    })

    it('leave only the deletion of a deleted item, and those of the same names elsewhere', async () => {
      const { storage } = subject()
      await put(alice, { value: 1 })
      await put(alice, { value: 2 })
      await put(work)
      await put(bob)
      await storage.items.remove(alice, place, { now: start + 5 })
      const { events } = await storage.events(alice, null, 9)
      expect(events.map(brief)).toEqual([
        'item.put ADD work users.1/settings',
        'item.deleted FORGET - users.1/settings',
      ])
      expect(events[1]).toMatchObject({ item: { version: null }, at: start + 5 })
      expect(await told(bob)).toEqual(['item.put ADD - users.1/settings'])
    })

    it('go only to the project of the item', async () => {
      const { storage } = subject()
      await put(alice)
      await put(work)
      await put(userScope('alice', 'home'))
      await storage.items.remove(alice, place, { now: start })
      await storage.items.remove(userScope('alice', 'home'), place, { now: start })
      expect(await told(work)).toEqual(['item.put ADD work users.1/settings'])
      expect(await told(userScope('alice', 'home'))).toEqual(['item.deleted FORGET home users.1/settings'])
    })

    it('report each item that a deletion below a prefix or a cleanup erases', async () => {
      const { storage } = subject()
      for (const key of ['a', 'b']) await put(alice, { namespace: 'x.y', key })
      await put(alice, { namespace: 'z', key: 'c', expiresAt: start + 10 })
      await storage.items.removeAll(alice, { prefix: 'x' }, start + 1)
      await storage.purgeExpired(everyoneScope(), start + 10)
      expect((await told(alice)).sort()).toEqual([
        'item.deleted CLEANUP - z/c',
        'item.deleted FORGET - x.y/a',
        'item.deleted FORGET - x.y/b',
      ])
    })

    it('report an expired item that is put again as new', async () => {
      await put(alice, { expiresAt: start + 10 })
      await put(alice, { now: start + 11, value: 'again' })
      expect(await told(alice)).toEqual(['item.put ADD - users.1/settings'])
    })

    it('lose all names with the data of a user, and tell every project', async () => {
      const { storage } = subject()
      await put(alice, { key: 'deleted before' })
      await storage.items.remove(alice, { ...place, key: 'deleted before' }, { now: start })
      await put(alice)
      await put(work)
      await put(bob)
      await storage.forget(alice, { all: true }, start + 5)
      expect(await told(alice)).toEqual(['item.deleted FORGET - all'])
      expect(await told(work)).toEqual(['item.deleted FORGET - all'])
      expect(await told(bob)).toEqual(['item.put ADD - users.1/settings'])
      const { events } = await storage.events(alice, endOf(0), 9)
      expect(events[0]).toMatchObject({ memoryId: null, item: null, project: null, relatedIds: [], at: start + 5 })
    })

    it('lose the names of one project with its data', async () => {
      const { storage } = subject()
      await put(alice)
      await put(work)
      await storage.forget(work, { all: true }, start)
      expect(await told(alice)).toEqual(['item.put ADD - users.1/settings', 'item.deleted FORGET - all'])
    })

    it('keep names with quotation marks, slashes and other scripts', async () => {
      const strange = { namespace: 'größe "x".日本', key: "a/b \\ 'c' 😀" }
      await put(alice, strange)
      const { storage } = subject()
      expect((await storage.events(alice, null, 9)).events).toMatchObject([{ item: strange }])
      await storage.items.remove(alice, strange, { now: start })
      expect((await storage.events(alice, null, 9)).events).toMatchObject([{ type: 'item.deleted', item: strange }])
    })
  })
}
