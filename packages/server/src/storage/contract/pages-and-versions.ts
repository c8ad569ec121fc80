/** How much one answer holds, and how many versions a memory keeps. */
import { describe, expect, it } from 'vitest'
import type { MemoryVersion } from '../../core/memory.js'
import type { Part } from '../ports/memory-reads.js'
import { alice, employment, entityNamed, historyOf, provenanceOf, start } from './notebook.js'
import type { Subject } from './subject.js'

export function describePagesAndVersions(subject: () => Subject): void {
  describe('history', () => {
    it('returns versions page by page, oldest first, each once', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, { content: 'often changed' })
      for (let n = 0; n < 6; n++) await storage.update(alice, id, { now: start + n, metadata: { n } })
      const pages: number[][] = []
      for (let after: number | null = 0; after !== null; ) {
        const page: Part<MemoryVersion> = await storage.history(alice, id, { after, limit: 3 })
        pages.push(page.items.map(({ version }) => version))
        after = page.next
      }
      expect(pages).toEqual([[1, 2, 3], [4, 5, 6], [7]])
    })

    it('returns source texts page by page, oldest first', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, { content: 'often said' })
      for (let n = 0; n < 3; n++) await notebook.repeat(alice, id, `said again, ${n}`)
      const first = await storage.provenance(alice, id, { after: 0, limit: 3 })
      const rest = await storage.provenance(alice, id, { after: first.next ?? 0, limit: 3 })
      expect([first.next, rest.next]).toEqual([3, null])
      expect(await provenanceOf(storage, alice, id)).toEqual([...first.items, ...rest.items])
      expect(rest.items).toMatchObject([{ text: 'said again, 2' }])
    })
  })

  describe('the size of a page', () => {
    const large = (n: number) => `${n} ${'x'.repeat(1_000_000)}`

    it('ends a list early and continues it without a gap', async () => {
      const { storage, notebook } = subject()
      const facts = Array.from({ length: 6 }, (_, n) => ({ content: large(n), expiresAt: start + 9_000 + n }))
      const ids = await notebook.store(alice, ...facts)
      for (const order of ['age', 'expiry'] as const) {
        const query = { now: start, limit: 50, order }
        const first = await storage.list(alice, query)
        const second = await storage.list(alice, first.next ? { ...query, cursor: first.next } : query)
        expect([first.items.length, second.items.length, second.next]).toEqual([4, 2, null])
        expect(new Set([...first.items, ...second.items].map((memory) => memory.id))).toEqual(new Set(ids))
      }
      expect((await storage.expired(alice, start + 10_000, 50)).memories).toHaveLength(4)
    })

    it('ends reports, histories and lists of contradictions early', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, { content: large(0) })
      for (let n = 1; n < 6; n++) {
        await storage.update(alice, id, { now: start + n, content: notebook.draft({ content: large(n) }) })
      }
      const versions = await storage.history(alice, id, { after: 0, limit: 50 })
      expect([versions.items.length, versions.next]).toEqual([4, 4])
      for (let n = 0; n < 5; n++) await notebook.repeat(alice, id, large(n))
      const texts = await storage.provenance(alice, id, { after: 1, limit: 50 })
      expect([texts.items.length, texts.next]).toEqual([4, 5])
      for (let n = 6; n < 11; n++) await notebook.store(alice, { content: large(n), doubts: [id] })
      const first = await storage.listContradictions(alice, { now: start, limit: 50 })
      const cursor = first.next ?? { at: 0, id: '' }
      const rest = await storage.listContradictions(alice, { now: start, limit: 50, cursor })
      expect([first.items.length, first.total, rest.items.length, rest.total]).toEqual([2, 5, 2, 5])
      expect(new Set([...first.items, ...rest.items].map((each) => each.id)).size).toBe(4)
      const settings = { enabled: true, halfLifeDays: 30, accessBoostWeight: 0.2 }
      const report = await storage.decayReport(alice, { now: start + 10, settings, limit: 50, offset: 0 })
      expect([report.total, report.memories.length, report.next]).toEqual([6, 4, 4])
    })

    it('returns a single item that is larger than a page', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, { content: 'x'.repeat(5_000_000) }, { content: 'y'.repeat(5_000_000) })
      expect((await storage.list(alice, { now: start, limit: 50 })).items).toHaveLength(1)
    })
  })

  describe('the number of versions', () => {
    const changeOften = async ({ storage, notebook }: Subject, id: string, times: number) => {
      for (let n = 1; n <= times; n++) {
        const content = notebook.draft(employment('John', `Company ${n}`))
        await storage.update(alice, id, { now: start + 10 * n, content })
      }
    }
    const numbersOf = async ({ storage }: Subject, id: string) =>
      (await historyOf(storage, alice, id)).map(({ version }) => version)

    it('stays within the limit: the first and the latest ones are kept', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, employment('John', 'Acme'))
      await changeOften(subject(), id, 103)
      const kept = Array.from({ length: 99 }, (_, n) => n + 6)
      expect(await numbersOf(subject(), id)).toEqual([1, ...kept])
      // What only an erased version said is gone, and the index is told.
      const { id: john } = await entityNamed(storage, alice, 'John')
      const jobs = await storage.relationships(alice, john, { now: start + 9_000, includeHistory: true })
      const companies = jobs.map(({ target }) => target)
      expect(companies).toContain('Acme')
      expect(companies).toContain('Company 5')
      expect(companies).not.toContain('Company 4')
      const { removedRows } = await storage.changes(alice, { revision: 1, row: 0 }, 1000)
      expect(removedRows).toHaveLength(4)
    })

    it('leaves a past without a version where one was erased, and nothing wrong', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, employment('John', 'Acme'))
      await changeOften(subject(), id, 102)
      const at = async (asOf: number) =>
        (await storage.list(alice, { now: start + 9_000, limit: 9, asOf })).items.map(({ content }) => content)
      expect(await at(start + 5)).toEqual(['John works at Acme'])
      expect(await at(start + 15)).toEqual([])
      expect(await at(start + 45)).toEqual(['John works at Company 4'])
    })

    it('keeps a version that a contradiction needs, so that it can be reverted', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, employment('John', 'Acme'))
      await storage.update(alice, id, { now: start + 1, metadata: { n: 0 } })
      await notebook.store(alice, { ...employment('John', 'Globex', { createdAt: start + 2 }), doubts: [id] })
      for (let n = 3; n < 110; n++) await storage.update(alice, id, { now: start + n, metadata: { n } })
      const [found] = (await storage.listContradictions(alice, { now: start + 200, limit: 9 })).items
      for (const verdict of ['accept', 'revert'] as const) {
        const decided = await storage.decide(alice, found?.id ?? '', { verdict, now: start + 200 })
        expect(decided).toMatchObject({ refused: null })
      }
      const numbers = await numbersOf(subject(), id)
      expect([numbers.slice(0, 2), numbers.length]).toEqual([[1, 2], 101])
    })

    it('keeps the facts of a content that several versions share', async () => {
      const { storage, notebook } = subject()
      const states = [
        { start: 0, stop: 1, subject: null, about: 'a', value: 'v', topic: 'work' as const, confidence: 1 },
      ]
      const id = await notebook.storeOne(alice, { content: 'first' })
      await storage.update(alice, id, { now: start + 1, content: notebook.draft({ content: 'second', states }) })
      for (let n = 2; n < 110; n++) await storage.update(alice, id, { now: start + n, metadata: { n } })
      const query = { now: start + 200, leastConfidence: 0, leastTrust: 0, limit: 9 }
      expect(await storage.bestFacts(alice, query)).toMatchObject([{ memoryId: id, value: 'v' }])
      expect(await storage.bestFacts(alice, { ...query, asOf: start + 105 })).toMatchObject([{ value: 'v' }])
    })
  })
}
