import { describe, expect, it } from 'vitest'
import { everyoneScope, nobodyScope, userScope } from '../../core/scope.js'
import type { ListCursor } from '../ports/memory-reads.js'
import { alice, bob, employment, entityNamed, start } from './notebook.js'
import type { Subject } from './subject.js'

const later = start + 1_000

export function describeAsOf(subject: () => Subject): void {
  const contentsAt = async (asOf: number, more: { q?: string; includeExpired?: boolean } = {}, scope = alice) => {
    const page = await subject().storage.list(scope, { now: later, limit: 50, asOf, ...more })
    expect(page.total).toBe(page.items.length)
    return page.items.map(({ content }) => content)
  }

  describe('a list as of a moment', () => {
    it('shows memories created before it with their content then, and the old content at the moment of a change', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, { content: 'first' })
      await storage.update(alice, id, { now: start + 10, content: notebook.draft({ content: 'second' }) })
      expect(await contentsAt(start)).toEqual([])
      expect(await contentsAt(start + 1)).toEqual(['first'])
      expect(await contentsAt(start + 10)).toEqual(['first'])
      expect(await contentsAt(start + 11)).toEqual(['second'])
      expect(await contentsAt(start + 11, { q: 'FIRST' })).toEqual([])
      expect(await contentsAt(start + 10, { q: 'FIRST' })).toEqual(['first'])
    })

    it('includes memories that were superseded later, as they were then', async () => {
      const { storage, notebook } = subject()
      const old = await notebook.storeOne(alice, { content: 'old' })
      const by = await notebook.storeOne(alice, { content: 'new', createdAt: start + 10, supersedes: [old] })
      expect(await contentsAt(start + 10)).toEqual(['old'])
      const [before] = (await storage.list(alice, { now: later, limit: 9, asOf: start + 10 })).items
      expect(before).toMatchObject({ id: old, supersededAt: null, supersededBy: null })
      const [after] = (await storage.list(alice, { now: later, limit: 9, asOf: start + 11 })).items
      expect(after).toMatchObject({ id: by, supersedes: [old] })
    })

    it('leaves out memories that had expired by then, unless they are requested', async () => {
      const { notebook } = subject()
      await notebook.store(alice, { content: 'short', expiresAt: start + 50 }, { content: 'long' })
      expect(await contentsAt(start + 49)).toEqual(['long', 'short'])
      expect(await contentsAt(start + 50)).toEqual(['long'])
      expect(await contentsAt(start + 50, { includeExpired: true })).toEqual(['long', 'short'])
    })

    it('shows nothing that was erased, and nothing of another user or project', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, { content: 'gone' })
      const moved = await notebook.storeOne(alice, { content: 'moved', project: 'p' })
      await notebook.store(bob, { content: 'foreign' })
      await storage.update(alice, moved, { now: start + 10, project: 'q' })
      await storage.forget(alice, { memoryIds: [id] })
      expect(await contentsAt(later)).toEqual(['moved'])
      expect(await contentsAt(start + 10, {}, userScope('alice', 'p'))).toEqual(['moved'])
      expect(await contentsAt(start + 10, {}, userScope('alice', 'q'))).toEqual([])
      expect(await contentsAt(start + 11, {}, userScope('alice', 'q'))).toEqual(['moved'])
      expect((await storage.list(nobodyScope, { now: later, limit: 9, asOf: later })).total).toBe(0)
      const all = await storage.list(everyoneScope(), { now: later, limit: 9, asOf: later })
      expect(all.items.map(({ content }) => content).sort()).toEqual(['foreign', 'moved'])
    })

    it('equals the current list right after the last change, page by page', async () => {
      const { storage, notebook } = subject()
      const facts = Array.from({ length: 9 }, (_, n) => ({ content: `fact ${n}`, createdAt: start + (n % 4) }))
      const ids = await notebook.store(alice, ...facts)
      await notebook.store(alice, { content: 'new', createdAt: start + 20, supersedes: ids.slice(0, 2) })
      await storage.update(alice, ids[5] ?? '', { now: start + 30, metadata: { changed: true } })
      const pages = async (asOf: { asOf?: number }) => {
        const found: unknown[] = []
        let cursor: ListCursor | undefined
        do {
          const page = await storage.list(alice, { now: later, limit: 3, ...asOf, ...(cursor ? { cursor } : {}) })
          found.push(...page.items)
          cursor = page.next ?? undefined
        } while (cursor)
        return found
      }
      expect(await pages({ asOf: later })).toEqual(await pages({}))
    })

    it('filters by an entity that the version of that moment mentioned', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, employment('John', 'Acme'))
      const acme = await entityNamed(storage, alice, 'Acme')
      await notebook.store(alice, employment('Mary', 'Acme', { createdAt: start + 5 }))
      await storage.update(alice, id, { now: start + 10, content: notebook.draft({ content: 'nothing' }) })
      const named = async (asOf: number, scope = alice) =>
        (await storage.list(scope, { now: later, limit: 9, asOf, entityId: acme.id })).items.map((item) => item.content)
      expect(await named(start + 1)).toEqual(['John works at Acme'])
      expect(await named(start + 10)).toEqual(['Mary works at Acme', 'John works at Acme'])
      expect(await named(start + 11)).toEqual(['Mary works at Acme'])
      expect(await named(start + 11, bob)).toEqual([])
    })
  })

  describe('a list by expiry', () => {
    it('shows only memories that expire, soonest first, now and as of a moment', async () => {
      const { storage, notebook } = subject()
      const [late] = await notebook.store(
        alice,
        { content: 'late', expiresAt: start + 90 },
        { content: 'never' },
        { content: 'soon', expiresAt: start + 60 },
        { content: 'over', expiresAt: start + 40 },
      )
      await notebook.store(bob, { content: 'foreign', expiresAt: start + 70 })
      await storage.update(alice, late ?? '', { now: start + 20, expiresAt: null })
      const order = 'expiry' as const
      const ending = async (query: { now: number; asOf?: number; offset?: number; includeExpired?: boolean }) => {
        const page = await storage.list(alice, { limit: 2, order, ...query })
        return [page.total, page.next?.at ?? null, page.items.map(({ content }) => content)]
      }
      expect(await ending({ now: start + 50 })).toEqual([1, null, ['soon']])
      expect(await ending({ now: start + 50, includeExpired: true })).toEqual([2, null, ['over', 'soon']])
      expect(await ending({ now: start + 50, asOf: start + 10 })).toEqual([3, start + 60, ['over', 'soon']])
      expect(await ending({ now: start + 50, asOf: start + 10, offset: 2 })).toEqual([3, null, ['late']])
    })
  })

  describe('versionsOf', () => {
    it('finds versions by memory id, of every project and time, for the user only', async () => {
      const { storage, notebook } = subject()
      const fact = { content: 'a', project: 'p', expiresAt: start + 50, flagged: true }
      const [first, second] = await notebook.store(alice, fact, { content: 'b' })
      const foreign = await notebook.storeOne(bob, { content: 'c' })
      await storage.update(alice, second ?? '', { now: start + 10, metadata: { n: 1 } })
      const ids = [first ?? '', second ?? '', second ?? '', foreign, notebook.id('mem')]
      const found = await storage.versionsOf(userScope('alice', 'elsewhere'), ids)
      expect(found.map(({ row: _, ...rest }) => rest)).toEqual([
        {
          memoryId: first,
          project: 'p',
          validFrom: start,
          validTo: null,
          expiresAt: start + 50,
          flagged: true,
        },
        {
          memoryId: second,
          project: null,
          validFrom: start,
          validTo: start + 10,
          expiresAt: null,
          flagged: false,
        },
        { memoryId: second, project: null, validFrom: start + 10, validTo: null, expiresAt: null, flagged: false },
      ])
      const rows = found.map(({ row }) => row)
      expect((await storage.hydrate(alice, rows, { vectors: false })).map(({ row }) => row).sort()).toEqual(rows.sort())
      expect(await storage.versionsOf(userScope('nobody'), ids)).toEqual([])
      expect(await storage.versionsOf(alice, [])).toEqual([])
    })
  })
}
