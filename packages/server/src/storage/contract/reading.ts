import { describe, expect, it } from 'vitest'
import { msPerDay } from '../../core/clock.js'
import { decayOf } from '../../core/decay.js'
import { everyoneScope, userScope } from '../../core/scope.js'
import type { ListCursor, ListQuery } from '../ports/memory-reads.js'
import { alice, bob, employment, entityNamed, historyOf, provenanceOf, start } from './notebook.js'
import type { Subject } from './subject.js'

export function describeReading(subject: () => Subject): void {
  describe('recent', () => {
    const recent = async (scope = alice, { now = start + 1_000, limit = 10 } = {}) =>
      (await subject().storage.recent(scope, { now, limit })).map(({ content }) => content)

    it('gives the latest memories first, by their own time and then by id, and no more than the limit', async () => {
      const { notebook } = subject()
      const at = (createdAt: number, content: string) => ({ content, createdAt: start + createdAt })
      await notebook.store(alice, at(3, 'late'), at(1, 'early'), at(2, 'middle'), at(2, 'middle, stored after'))
      expect(await recent()).toEqual(['late', 'middle, stored after', 'middle', 'early'])
      expect(await recent(alice, { limit: 2 })).toEqual(['late', 'middle, stored after'])
    })

    it('gives whole memories', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, employment('John', 'Acme', { metadata: { mood: 'calm' } }))
      const [found] = await storage.recent(alice, { now: start, limit: 1 })
      expect(found).toEqual(await storage.find(alice, id, { now: start }))
    })

    it('leaves out superseded and expired memories', async () => {
      const { notebook } = subject()
      const old = await notebook.storeOne(alice, { content: 'old' })
      await notebook.store(alice, { content: 'new', supersedes: [old] }, { content: 'brief', expiresAt: start + 500 })
      expect((await recent(alice, { now: start + 499 })).sort()).toEqual(['brief', 'new'])
      expect(await recent(alice, { now: start + 500 })).toEqual(['new'])
    })

    it('stays within one project, and without a project among memories that have none', async () => {
      const { notebook } = subject()
      await notebook.store(alice, { content: 'at home', project: 'home' }, { content: 'anywhere' })
      expect(await recent(userScope('alice', 'home'))).toEqual(['at home'])
      expect(await recent(userScope('alice', 'work'))).toEqual([])
      expect(await recent()).toEqual(['anywhere'])
    })

    it('stays within one user', async () => {
      await subject().notebook.store(alice, { content: 'of Alice' })
      expect(await recent(bob)).toEqual([])
      await subject().notebook.store(bob, { content: 'of Bob' })
      expect(await recent(bob)).toEqual(['of Bob'])
      expect(await recent(userScope('nobody'))).toEqual([])
    })
  })

  describe('list', () => {
    it('pages newest first without gaps or repetitions, even among equal times', async () => {
      const { storage, notebook } = subject()
      const facts = Array.from({ length: 23 }, (_, i) => ({
        content: `fact ${i}`,
        createdAt: start + Math.floor(i / 5),
      }))
      const ids = await notebook.store(alice, ...facts)
      const byCursor: string[] = []
      let cursor: ListCursor | undefined
      do {
        const page = await storage.list(alice, cursor ? { now: start, limit: 4, cursor } : { now: start, limit: 4 })
        expect(page.total).toBe(23)
        byCursor.push(...page.items.map((memory) => memory.id))
        cursor = page.next ?? undefined
      } while (cursor)
      const byOffset: string[] = []
      for (let offset = 0; offset < 30; offset += 6) {
        const page = await storage.list(alice, { now: start, limit: 6, offset })
        byOffset.push(...page.items.map((memory) => memory.id))
      }
      const created = new Map(ids.map((id, i) => [id, facts[i]?.createdAt ?? 0]))
      const expected = [...ids].sort((a, b) => (created.get(b) ?? 0) - (created.get(a) ?? 0) || (a < b ? 1 : -1))
      expect(byCursor).toEqual(expected)
      expect(byOffset).toEqual(expected)
    })

    it('has no next page when the last page is exactly full', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, { content: 'a' }, { content: 'b' })
      expect((await storage.list(alice, { now: start, limit: 2 })).next).toBeNull()
      expect(await storage.list(alice, { now: start, limit: 2, offset: 5 })).toEqual({
        items: [],
        total: 2,
        next: null,
      })
    })

    it('finds text ignoring case, and takes wildcards literally', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, { content: 'Größe ÄPFEL 100%' }, { content: 'under_score' }, { content: 'a\\b "c"' })
      const found = async (q: string) =>
        (await storage.list(alice, { now: start, limit: 10, q })).items.map((memory) => memory.content)
      expect(await found('äpfel')).toEqual(['Größe ÄPFEL 100%'])
      expect(await found('GRÖSSE')).toEqual([])
      expect(await found('GRÖ')).toEqual(['Größe ÄPFEL 100%'])
      expect(await found('UNDER')).toEqual(['under_score'])
      expect(await found('%')).toEqual(['Größe ÄPFEL 100%'])
      expect(await found('_')).toEqual(['under_score'])
      expect(await found('a\\B')).toEqual(['a\\b "c"'])
      expect(await found("' OR 1=1 --")).toEqual([])
    })

    it('pages through the matches of a text search', async () => {
      const { storage, notebook } = subject()
      const facts = Array.from({ length: 9 }, (_, i) => ({ content: i % 3 ? `tea ${i}` : `milk ${i}` }))
      await notebook.store(alice, ...facts)
      const query = { now: start, limit: 2, q: 'TEA' }
      const first = await storage.list(alice, query)
      const second = await storage.list(alice, first.next ? { ...query, cursor: first.next } : query)
      const third = await storage.list(alice, { ...query, offset: 4 })
      expect([first, second, third].map((page) => page.items.map((memory) => memory.content))).toEqual([
        ['tea 8', 'tea 7'],
        ['tea 5', 'tea 4'],
        ['tea 2', 'tea 1'],
      ])
      expect([first.total, second.total, third.total]).toEqual([6, 6, 6])
      expect([second.next === null, third.next]).toEqual([false, null])
    })

    it('filters by an entity of the scope that the current version mentions', async () => {
      const { storage, notebook } = subject()
      const [first, second] = await notebook.store(
        alice,
        employment('John', 'Acme'),
        employment('Mary', 'Acme', { createdAt: start + 1 }),
      )
      const acme = await entityNamed(storage, alice, 'Acme')
      const listed = async () => {
        const page = await storage.list(alice, { now: start, limit: 1, entityId: acme.id })
        const rest = page.next
          ? await storage.list(alice, { now: start, limit: 9, entityId: acme.id, cursor: page.next })
          : { items: [] }
        return [page.total, [...page.items, ...rest.items].map((memory) => memory.id)]
      }
      expect(await listed()).toEqual([2, [second, first]])
      await storage.update(alice, second ?? '', { now: start + 2, content: notebook.draft({ content: 'nothing' }) })
      expect(await listed()).toEqual([1, [first]])
      expect((await storage.list(bob, { now: start, limit: 9, entityId: acme.id })).total).toBe(0)
      expect((await storage.list(alice, { now: start, limit: 9, entityId: notebook.id('ent') })).total).toBe(0)
    })

    it('includes flagged memories', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, { content: 'bad', flagged: true })
      expect((await storage.list(alice, { now: start, limit: 9 })).items).toMatchObject([{ flagged: true }])
    })

    it('returns only flagged memories, or only the others, and counts them', async () => {
      const { storage, notebook } = subject()
      const bad = await notebook.storeOne(alice, { content: 'bad', flagged: true })
      const good = await notebook.storeOne(alice, { content: 'good' })
      await notebook.store(bob, { content: 'another bad', flagged: true })
      const listed = async (query: Partial<ListQuery>) => {
        const { items, total } = await storage.list(alice, { now: start + 10, limit: 9, ...query })
        return [total, items.map(({ id }) => id)]
      }
      expect(await listed({ flagged: true })).toEqual([1, [bad]])
      expect(await listed({ flagged: false })).toEqual([1, [good]])
      expect(await listed({ flagged: true, q: 'good' })).toEqual([0, []])
      await storage.update(alice, bad, { now: start + 5, trust: { flagged: false, trustScore: 1 } })
      expect(await listed({ flagged: true })).toEqual([0, []])
      expect(await listed({ flagged: true, asOf: start + 2 })).toEqual([1, [bad]])
    })
  })

  describe('recognise', () => {
    it('searches exactly the given project', async () => {
      const { storage, notebook } = subject()
      const [none, p] = await notebook.store(
        alice,
        employment('John', 'Acme'),
        employment('John', 'Acme', { project: 'p' }),
      )
      const { contentKey } = notebook.draft(employment('John', 'Acme'))
      const knownIn = async (project: string | null) => {
        const known = await storage.recognise(alice, {
          now: start,
          project,
          contentKeys: [contentKey, 'other', contentKey],
          slots: ['WORKS_AT|john', 'WORKS_AT|mary'],
        })
        return [known.revision, ...[known.sameContent, known.sameSlot].map((all) => all.map((each) => each.memory.id))]
      }
      expect(await knownIn(null)).toEqual([1, [none], [none]])
      expect(await knownIn('p')).toEqual([1, [p], [p]])
      expect(await knownIn('q')).toEqual([1, [], []])
    })

    it('returns nothing for an unknown user', async () => {
      const { storage } = subject()
      const facts = { now: start, project: null, contentKeys: ['x'], slots: ['y'] }
      expect(await storage.recognise(alice, facts)).toEqual({ revision: 0, sameContent: [], sameSlot: [] })
    })
  })

  describe('decayReport', () => {
    it('scores like core/decay, lowest first, and counts three groups that add up', async () => {
      const { storage, notebook } = subject()
      const settings = { enabled: true, halfLifeDays: 30, accessBoostWeight: 0.2 }
      const now = start + 200 * msPerDay
      const ages = [0, 10, 20, 40, 80, 100, 199]
      const ids = await notebook.store(
        alice,
        ...ages.map((days) => ({ content: `${days} days`, createdAt: now - days * msPerDay })),
      )
      const accessed = { userId: 'alice', memoryId: ids[6] ?? '', count: 30, at: now - msPerDay }
      await storage.recordAccess([accessed])
      const old = await notebook.storeOne(alice, { content: 'old', createdAt: start })
      await notebook.store(alice, { content: 'replaces', createdAt: now, supersedes: [old] })
      await notebook.store(bob, { content: 'foreign', createdAt: start })
      const report = await storage.decayReport(alice, {
        now,
        settings,
        limit: 3,
        offset: 1,
        forecastDays: [0, 30, 3650],
      })
      expect(report).toMatchObject({ total: 8, healthy: 3, decaying: 2, expired: 3 })
      expect(report.distribution).toEqual([0, 3, 0, 1, 0, 0, 1, 1, 0, 2])
      expect(report.forecast).toEqual([
        { days: 0, healthy: 3, decaying: 2, expired: 3 },
        { days: 30, healthy: 0, decaying: 4, expired: 4 },
        { days: 3650, healthy: 0, decaying: 0, expired: 8 },
      ])
      expect(report.memories.map((memory) => memory.content)).toEqual(['199 days', '80 days', '40 days'])
      expect(report.memories[0]).toEqual({
        id: ids[6],
        content: '199 days',
        lastAccessed: now - msPerDay,
        decayScore: decayOf(
          { createdAt: now - 199 * msPerDay, accessCount: 30, lastAccessed: now - msPerDay },
          settings,
          now,
        ).decayScore,
      })
      expect((await storage.decayReport(everyoneScope(), { now, settings, limit: 0, offset: 0 })).total).toBe(9)
    })
  })

  describe('projects', () => {
    it('restrict every read', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, employment('John', 'Acme', { project: 'p', expiresAt: start + 50 }))
      await notebook.store(alice, employment('Mary', 'Globex'))
      const row = (await allRowsOf(subject(), id)).row
      const john = await entityNamed(storage, alice, 'John')
      const settings = { enabled: false, halfLifeDays: 1, accessBoostWeight: 0 }
      const seen = async (project: string) => {
        const scope = userScope('alice', project)
        const now = start
        return [
          (await storage.find(scope, id, { now })) !== null,
          (await historyOf(storage, scope, id)).length,
          (await provenanceOf(storage, scope, id)).length,
          (await storage.list(scope, { now, limit: 9 })).total,
          (await storage.decayReport(scope, { now, settings, limit: 9, offset: 0 })).total,
          (await storage.expired(scope, start + 50, 9)).total,
          (await storage.listEntities(scope, { now, limit: 9, offset: 0 })).total,
          (await storage.findEntity(scope, john.id, now)) !== null,
          (await storage.relationships(scope, john.id, { now })).length,
          (await storage.hydrate(scope, [row], { vectors: false })).length,
          (await storage.matching(scope, {})).length,
          (await storage.connected(scope, ['john'], 9)).length,
        ]
      }
      expect(await seen('p')).toEqual([true, 1, 1, 1, 1, 1, 2, true, 1, 1, 1, 1])
      expect(await seen('q')).toEqual([false, 0, 0, 0, 0, 0, 0, false, 0, 0, 0, 0])
      expect((await storage.list(everyoneScope('p'), { now: start, limit: 9 })).items.map((each) => each.id)).toEqual([
        id,
      ])
    })
  })
}

async function allRowsOf({ storage }: Subject, memoryId: string) {
  const { changed } = await storage.changes(alice, { revision: 0, row: 0 }, 100)
  const versions = await storage.hydrate(
    alice,
    changed.map((version) => version.row),
    { vectors: false },
  )
  const found = versions.find((version) => version.memory.id === memoryId)
  if (!found) throw new Error(`no version of ${memoryId}`)
  return found
}
