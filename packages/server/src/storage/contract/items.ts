import { describe, expect, it } from 'vitest'
import type { ItemPlace } from '../../core/item.js'
import type { Json } from '../../core/memory.js'
import { everyoneScope, nobodyScope, type UserScope, userScope } from '../../core/scope.js'
import { notEmbedded } from '../domain/not-embedded.js'
import type { ItemBelow, ItemPut, NewItem } from '../ports/item-store.js'
import { versionsOfItem } from '../ports/item-store.js'
import { alice, bob, start, vectorFor } from './notebook.js'
import type { Subject } from './subject.js'

const place = { namespace: 'users.1', key: 'settings' }
const at = { now: start }

export function newItem(item: Partial<NewItem> = {}): NewItem {
  return {
    ...place,
    value: { theme: 'dark' },
    fields: null,
    trustScore: 1,
    flagged: false,
    expiresAt: null,
    now: start,
    embedding: { modelId: 'm', vector: vectorFor('an item') },
    ...item,
  }
}

export function describeItems(subject: () => Subject): void {
  describe('items', () => {
    const put = (scope: UserScope, item: Partial<NewItem> = {}) => subject().storage.items.put(scope, newItem(item))
    const valueAt = async (scope: UserScope, where: ItemPlace = place, asOf?: number) =>
      (await subject().storage.items.find(scope, where, { ...at, ...(asOf === undefined ? {} : { asOf }) }))?.value
    const keysIn = async (scope: UserScope, below?: ItemBelow) =>
      (await subject().storage.items.list(scope, { ...at, limit: 99, below })).items.map(
        ({ namespace, key }) => `${namespace}/${key}`,
      )
    const versionOf = (done: ItemPut) => ('item' in done ? done.item.version : done.version)

    it.each<[string, Json]>([
      ['an object', { z: 1, a: [true, null, 'ß 😀'], deep: { '10': 1.5, '2': -0.25 } }],
      ['a text', 'line one\nline two "quoted" \\ \u2028'],
      ['an empty text', ''],
      ['a number', 1e21],
      ['null', null],
      ['an empty list', []],
    ])('are returned word for word, after reopening too: %s', async (_name, value) => {
      await put(alice, { value })
      const { items } = await subject().reopen()
      const found = await items.find(alice, place, at)
      expect(JSON.stringify(found?.value)).toBe(JSON.stringify(value))
      expect(found).toMatchObject({ ...place, project: null, createdAt: start, updatedAt: start, expiresAt: null })
    })

    it('reject what no engine can store', async () => {
      await expect(put(alice, { value: { a: ['x\0y'] } })).rejects.toMatchObject({ code: 'validation_error' })
      await expect(put(alice, { value: { '\ud800': 1 } })).rejects.toMatchObject({ code: 'validation_error' })
      await expect(put(alice, { key: 'a\0b' })).rejects.toMatchObject({ code: 'validation_error' })
      await put(alice, { key: 'a' })
      expect(await valueAt(alice, { ...place, key: 'a\0b' })).toBeUndefined()
    })

    it('are invisible to other users and in other projects', async () => {
      const { items } = subject().storage
      const work = userScope('alice', 'work')
      await put(alice, { value: 'of alice' })
      await put(work, { value: 'of her work' })
      await put(bob, { value: 'of bob' })
      expect([await valueAt(alice), await valueAt(work), await valueAt(bob)]).toEqual([
        ...['of alice', 'of her work', 'of bob'],
      ])
      expect(await valueAt(userScope('carol'))).toBeUndefined()
      expect(await items.find(nobodyScope, place, at)).toBeNull()
      expect(await items.list(nobodyScope, { ...at, limit: 9 })).toEqual({ items: [], next: null })
      expect(await items.remove(nobodyScope, place, at)).toEqual({ outcome: 'not_found' })
      expect(await items.remove(userScope('carol'), place, at)).toEqual({ outcome: 'not_found' })
      expect(await items.remove(userScope('alice', 'other'), place, at)).toEqual({ outcome: 'not_found' })
      const { changed } = await items.changes(bob, { revision: 0, row: 0 }, 99)
      expect(changed.map(({ content }) => content)).toEqual(['of bob'])
      const rows = await items.matching(bob, { ...at, includeFlagged: true })
      expect(await items.hydrate(alice, rows)).toEqual([])
      expect(await items.remove(alice, place, at)).toEqual({ outcome: 'removed' })
      expect([await valueAt(alice), await valueAt(work), await valueAt(bob)]).toEqual([
        ...[undefined, 'of her work', 'of bob'],
      ])
    })

    it('keep their last versions, and none after they were erased', async () => {
      const { items } = subject().storage
      for (let n = 0; n < versionsOfItem + 3; n++) await put(alice, { value: n, now: start + n })
      const now = start + 1_000
      const versions = await items.versions(alice, place, now)
      expect(versions).toHaveLength(versionsOfItem)
      expect(versions[0]).toMatchObject({ value: versionsOfItem + 2, validTo: null })
      expect(versions[1]).toMatchObject({ value: versionsOfItem + 1, validTo: start + versionsOfItem + 2 })
      expect(await valueAt(alice, place, start + 10)).toBe(10)
      expect(await valueAt(alice, place, start)).toBeUndefined()
      expect(await items.versions(bob, place, now)).toEqual([])
      const before = versions[0]?.version ?? 0
      await items.remove(alice, place, { now })
      expect(await items.versions(alice, place, now)).toEqual([])
      expect(await valueAt(alice, place, start + 10)).toBeUndefined()
      // So that a version names one state for ever.
      expect(versionOf(await put(alice, { now }))).toBeGreaterThan(before)
    })

    it('are not changed by a write that expects another version', async () => {
      const { items } = subject().storage
      expect(await put(alice, { ifVersion: 3 })).toEqual({ outcome: 'conflict', version: 0 })
      const made = await put(alice, { ifVersion: 0, value: 1 })
      expect(made.outcome).toBe('created')
      const first = versionOf(made)
      expect(await put(alice, { ifVersion: 0, value: 2 })).toEqual({ outcome: 'conflict', version: first })
      const racing = await Promise.all([2, 3, 4].map((value) => put(alice, { ifVersion: first, value })))
      expect(racing.map(({ outcome }) => outcome).sort()).toEqual(['conflict', 'conflict', 'updated'])
      expect(await items.remove(alice, place, { ...at, ifVersion: first })).toMatchObject({ outcome: 'conflict' })
      expect(await items.versions(alice, place, start)).toHaveLength(2)
    })

    it('get no version from the same value, but may get another expiry', async () => {
      const { items } = subject().storage
      const first = await put(alice, { expiresAt: start + 10 })
      const again = await put(alice, { expiresAt: start + 99, now: start + 5 })
      expect(again).toMatchObject({ outcome: 'unchanged', item: { expiresAt: start + 99, updatedAt: start } })
      expect(versionOf(again)).toBe(versionOf(first))
      expect(await items.find(alice, place, { now: start + 50 })).not.toBeNull()
      const { changed } = await items.changes(alice, { revision: 1, row: 2 ** 52 }, 9)
      expect(changed).toMatchObject([{ expiresAt: start + 99 }])
    })

    it('expire, and are purged with their past', async () => {
      const { storage } = subject()
      const { items } = storage
      const now = start + 10
      await put(alice, { value: 'before' })
      await put(alice, { expiresAt: start + 10 })
      await put(alice, { key: 'stays' })
      await put(bob, { expiresAt: start + 10 })
      expect(await items.find(alice, place, { now })).toBeNull()
      expect(await items.find(alice, place, { now, asOf: start })).toBeNull()
      expect((await items.list(alice, { now, limit: 9 })).items).toHaveLength(1)
      expect(await items.newest(alice, { now, includeFlagged: true, limit: 9, offset: 0 })).toHaveLength(1)
      expect(await items.purgeExpired(userScope('carol'), now)).toBe(0)
      // Through the cleanup of memories.
      await storage.purgeExpired(everyoneScope(), now)
      expect(await items.purgeExpired(everyoneScope(), now)).toBe(0)
      expect(await items.find(alice, place, { now: start })).toBeNull()
      expect(await items.find(bob, place, { now: start })).toBeNull()
      expect(await keysIn(alice)).toEqual(['users.1/stays'])
      expect(await put(alice, { ifVersion: 0, now })).toMatchObject({ outcome: 'created' })
    })

    it('replace an expired item and start a new history', async () => {
      const { items } = subject().storage
      await put(alice, { value: 'old', expiresAt: start + 10 })
      const now = start + 20
      expect(await put(alice, { value: 'new', now, ifVersion: 0 })).toMatchObject({
        outcome: 'created',
        item: { createdAt: now },
      })
      expect(await items.versions(alice, place, now)).toHaveLength(1)
    })

    it('are listed in order, page by page, below a namespace', async () => {
      const { items } = subject().storage
      const places = ['a.b/1', 'a.b/2', 'a.b.c/1', 'a/1', 'ab/1', 'a-b/1', 'a.ß/1'].map((each) => each.split('/'))
      for (const [namespace = '', key = ''] of places) await put(alice, { namespace, key })
      await put(bob, { namespace: 'a.b', key: 'of bob' })
      const sorted = ['a/1', 'a-b/1', 'a.b/1', 'a.b/2', 'a.b.c/1', 'a.ß/1', 'ab/1']
      expect(await keysIn(alice)).toEqual(sorted)
      expect(await keysIn(alice, { prefix: 'a' })).toEqual(['a/1', 'a.b/1', 'a.b/2', 'a.b.c/1', 'a.ß/1'])
      expect(await keysIn(alice, { prefix: 'a.b' })).toEqual(['a.b/1', 'a.b/2', 'a.b.c/1'])
      expect(await keysIn(alice, { namespace: 'a.b' })).toEqual(['a.b/1', 'a.b/2'])
      expect(await keysIn(alice, { prefix: 'a\0' })).toEqual([])
      const paged: string[] = []
      for (let after: ItemPlace | undefined; ; ) {
        const page = await items.list(alice, { ...at, limit: 2, after })
        paged.push(...page.items.map(({ namespace, key }) => `${namespace}/${key}`))
        if (!page.next) break
        after = page.next
      }
      expect(paged).toEqual(sorted)
      const first = await items.namespaces(alice, { ...at, limit: 2, prefix: 'a' })
      expect(first).toEqual({
        items: [
          { namespace: 'a', items: 1 },
          { namespace: 'a.b', items: 2 },
        ],
        next: 'a.b',
      })
      const rest = await items.namespaces(alice, { ...at, limit: 9, prefix: 'a', after: 'a.b' })
      expect(rest.items.map(({ namespace }) => namespace)).toEqual(['a.b.c', 'a.ß'])
      expect(await items.removeAll(nobodyScope, { prefix: 'a' }, start)).toBe(0)
      expect(await items.removeAll(alice, { namespace: 'a.b' }, start)).toBe(2)
      expect(await items.removeAll(alice, { prefix: 'a' }, start)).toBe(3)
      expect(await keysIn(alice)).toEqual(['a-b/1', 'ab/1'])
      expect(await keysIn(bob)).toEqual(['a.b/of bob'])
    })

    it('are chosen by the fields of their value', async () => {
      const { items } = subject().storage
      await put(alice, { key: 'a', value: { status: 'open', n: 1 }, now: start + 1 })
      await put(alice, { key: 'b', value: { status: 'open', n: 5, tags: ['x'] }, now: start + 2 })
      await put(alice, { key: 'c', value: { status: 'shut', n: 9 }, now: start + 3, flagged: true })
      await put(alice, { key: 'd', value: 'a text', now: start + 4 })
      await put(alice, { key: 'e', value: ['a list'], now: start + 5 })
      await put(bob, { key: 'f', value: { status: 'open' } })
      const chosen = async (field: string, test: object, includeFlagged = true) => {
        // The parts of a filter that a request may have.
        const filter = { field: 'metadata', path: [field], test } as never
        const choice = { ...at, filter, includeFlagged }
        const rows = await items.matching(alice, choice)
        const found = await items.newest(alice, { ...choice, limit: 9, offset: 0 })
        expect((await items.hydrate(alice, rows)).map(({ item }) => item.key).sort()).toEqual(
          found.map(({ key }) => key).sort(),
        )
        return found.map(({ key }) => key)
      }
      expect(await chosen('status', { op: 'in', values: ['open'] })).toEqual(['b', 'a'])
      expect(await chosen('n', { op: 'gte', value: 5 })).toEqual(['c', 'b'])
      expect(await chosen('n', { op: 'gte', value: 5 }, false)).toEqual(['b'])
      expect(await chosen('tags', { op: 'in', values: ['x'] })).toEqual(['b'])
      expect(await chosen("status' OR '1'='1", { op: 'exists' })).toEqual([])
      expect(await chosen('0', { op: 'exists' })).toEqual([])
    })

    it('feed an index with current versions that have something to search for', async () => {
      const { items } = subject().storage
      const beginning = { revision: 0, row: 0 }
      await put(alice, { value: { title: 'one', body: 'two' }, fields: ['title'] })
      await put(alice, { key: 'hidden', fields: [], embedding: null })
      const before = await items.changes(alice, beginning, 99)
      expect(before).toMatchObject({ more: false, removedRows: [], changed: [{ content: 'one', project: '' }] })
      expect(before.changed[0]?.quantized.length).toBe(vectorFor('x').length)
      await put(alice, { value: 'three' })
      const after = await items.changes(alice, before.mark, 99)
      expect(after.changed.map(({ content }) => content)).toEqual(['three'])
      expect(after.removedRows).toEqual(before.changed.map(({ row }) => row))
      await items.remove(alice, place, at)
      const gone = await items.changes(alice, after.mark, 99)
      expect(gone).toMatchObject({ changed: [], removedRows: after.changed.map(({ row }) => row) })
      for (const key of ['1', '2', '3']) await put(alice, { key })
      const slices = []
      for (let mark = beginning; ; ) {
        const slice = await items.changes(alice, mark, 2)
        slices.push(slice.changed.length)
        if (!slice.more) break
        mark = slice.mark
      }
      expect(slices).toEqual([2, 1])
    })

    it('are embedded again after a change of the model', async () => {
      const { storage } = subject()
      await put(alice, { value: 'an old vector', embedding: { modelId: 'old', vector: vectorFor('x') } })
      await put(bob, { value: 'none yet', embedding: { modelId: notEmbedded, vector: new Float32Array(1) } })
      await put(bob, { key: 'new', embedding: { modelId: 'new', vector: vectorFor('x') } })
      await put(bob, { key: 'hidden', fields: [], embedding: null })
      expect(await storage.countOutdated(everyoneScope(), 'new')).toBe(2)
      const slice = await storage.outdated(everyoneScope(), 'new', null, 1)
      const rest = await storage.outdated(everyoneScope(), 'new', slice.mark, 9)
      const found = [...slice.versions, ...rest.versions]
      expect(found.map(({ userId, content }) => [userId, content])).toEqual([
        ['alice', 'an old vector'],
        ['bob', 'none yet'],
      ])
      const vectors = found.map((each) => ({ ...each, vector: vectorFor(each.content) }))
      expect(await storage.replaceVectors(bob, 'new', vectors)).toBe(1)
      expect(await storage.replaceVectors(everyoneScope(), 'new', vectors)).toBe(1)
      expect(await storage.countOutdated(everyoneScope(), 'new')).toBe(0)
      const { changed } = await storage.items.changes(alice, { revision: 0, row: 0 }, 9)
      expect(changed).toMatchObject([{ modelId: 'new', content: 'an old vector' }])
    })

    it('are erased with everything of their user, or of one project', async () => {
      const { storage, notebook } = subject()
      const work = userScope('alice', 'work')
      for (const scope of [alice, work, bob]) await put(scope)
      await notebook.storeOne(alice, { content: 'a memory' })
      await storage.forget(work, { all: true })
      expect([await keysIn(alice), await keysIn(work)].map((keys) => keys.length)).toEqual([1, 0])
      await put(work)
      await storage.forget(alice, { all: true })
      expect([await keysIn(alice), await keysIn(work), await keysIn(bob)].map((keys) => keys.length)).toEqual([0, 0, 1])
    })

    it('are no memories', async () => {
      const { storage } = subject()
      await put(alice, { value: 'John works at Acme' })
      expect(await storage.list(alice, { ...at, limit: 9 })).toMatchObject({ total: 0, items: [] })
      expect((await storage.changes(alice, { revision: 0, row: 0 }, 9)).changed).toEqual([])
      expect((await storage.events(alice, null, 9)).events.map(({ memoryId }) => memoryId)).toEqual([null])
    })

    it('are not stored in a space that is being deleted', async () => {
      const { storage, notebook } = subject()
      const id = notebook.id('spc')
      await storage.spaces.create(alice, { id, name: 'Team', createdAt: start }, 9)
      await put(userScope(id))
      await storage.spaces.close(userScope(id), 'alice')
      await expect(put(userScope(id), { key: 'late' })).rejects.toMatchObject({ code: 'not_found' })
      await storage.forget(userScope(id), { all: true })
      expect(await keysIn(userScope(id))).toEqual([])
    })
  })
}
