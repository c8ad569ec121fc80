import { describe, expect, it } from 'vitest'
import { everyoneScope, nobodyScope, userScope } from '../../core/scope.js'
import { alice, allRows, bob, employment, entityNamed, historyOf, start, wordsOf } from './notebook.js'
import type { Subject } from './subject.js'

export function describeContradictions(subject: () => Subject): void {
  const page = { now: start + 1_000, limit: 50, offset: 0 }
  const one = async (query: object = {}) => {
    const { items } = await subject().storage.listContradictions(alice, { ...page, ...query })
    const [first] = items
    if (!first) throw new Error('there is no contradiction')
    return first
  }
  const decide = (verdict: 'accept' | 'revert', id: string, at = 300) =>
    subject().storage.decide(alice, id, { verdict, now: start + at })
  /** John works at Acme from 0; Globex replaces it at 100. */
  async function replaced(more: object = {}) {
    const { notebook } = subject()
    const old = await notebook.storeOne(alice, employment('John', 'Acme', more))
    const fresh = await notebook.storeOne(
      alice,
      employment('John', 'Globex', { createdAt: start + 100, supersedes: [old], ...more }),
    )
    return { old, fresh, id: (await one()).id }
  }
  const listed = async (now = start + 1_000) =>
    (await subject().storage.list(alice, { now, limit: 50 })).items.map(({ content }) => content)
  const employers = async (query: { asOf?: number; includeHistory?: boolean } = {}) => {
    const { storage } = subject()
    const john = await entityNamed(storage, alice, 'John', start + 1_000)
    return (await storage.relationships(alice, john.id, { now: start + 1_000, ...query })).map(
      ({ target, validFrom, validTo }) => `${target} ${validFrom - start}..${validTo === null ? '' : validTo - start}`,
    )
  }
  /** Contents that the index would search as of a moment. */
  const asOf = async (at: number) =>
    (await allRows(subject().storage, alice))
      .filter(({ validFrom, validTo }) => validFrom < start + at && (validTo === null || validTo >= start + at))
      .map(({ content }) => content)

  describe('contradictions', () => {
    it('are written with the store that found them, with both sides and the reason', async () => {
      const { storage, notebook } = subject()
      const { old, fresh, id } = await replaced({ project: 'home' })
      const found = await one()
      expect(found).toMatchObject({ userId: 'alice', project: 'home', status: 'applied', decidedAt: null })
      expect(found).toMatchObject({ createdAt: start, why: 'not John works at Globex' })
      expect(found.reason).toEqual({ slot: 'SLOT', oldValue: 'old', newValue: 'John works at Globex', rule: 'changed' })
      expect(found.old).toEqual({
        id: old,
        content: 'John works at Acme',
        createdAt: start,
        expiresAt: null,
        supersededAt: start + 100,
        supersededBy: fresh,
      })
      expect(found.new).toMatchObject({ id: fresh, content: 'John works at Globex', supersededAt: null })
      expect(await storage.findContradiction(alice, id, page.now)).toEqual(found)
      await notebook.store(alice, { content: 'John may be at Initech', createdAt: start + 200, doubts: [fresh] })
      const { items, total } = await storage.listContradictions(alice, page)
      expect([total, items.map(({ status }) => status)]).toEqual([2, ['open', 'applied']])
    })

    it('are counted, paged and filtered by status and project, newest first', async () => {
      const { storage, notebook } = subject()
      const base = await notebook.storeOne(alice, { content: 'base', project: 'a' })
      for (let i = 0; i < 5; i++)
        await notebook.commit(alice, {
          now: start + i,
          memories: [notebook.memory({ content: `doubt ${i}`, project: i < 3 ? 'a' : 'b', doubts: [base] })],
        })
      const contents = async (query: object, scope = alice) => {
        const { items, total } = await storage.listContradictions(scope, { ...page, ...query })
        return [total, items.map((item) => item.new.content.slice(-1)).join('')]
      }
      expect(await contents({ limit: 2, offset: 1 })).toEqual([5, '32'])
      expect(await contents({ status: 'applied' })).toEqual([0, ''])
      expect(await contents({ status: 'open', offset: 3 })).toEqual([5, '10'])
      expect(await contents({}, userScope('alice', 'a'))).toEqual([3, '210'])
      expect(await contents({}, userScope('alice', 'b'))).toEqual([0, ''])
    })

    it('change only their status when accepted, and nothing when accepted again', async () => {
      const { id } = await replaced()
      const before = await listed()
      const accepted = await decide('accept', id)
      expect(accepted).toMatchObject({ refused: null, contradiction: { status: 'accepted', decidedAt: start + 300 } })
      expect(await decide('accept', id, 400)).toEqual(accepted)
      expect(await listed()).toEqual(before)
    })

    it('make the old memory current again when reverted, and keep the new one as its history', async () => {
      const { storage } = subject()
      const { old, fresh, id } = await replaced()
      expect(await employers()).toEqual(['Globex 100..'])
      const reverted = await decide('revert', id)
      expect(reverted).toMatchObject({ refused: null, contradiction: { status: 'reverted', decidedAt: start + 300 } })
      expect(await listed()).toEqual(['John works at Acme'])
      expect(await storage.find(alice, old, { now: page.now })).toMatchObject({
        supersededAt: null,
        supersededBy: null,
        supersedes: [],
        createdAt: start,
        content: 'John works at Acme',
        entities: ['John', 'Acme'],
      })
      expect(await storage.find(alice, fresh, { now: page.now })).toMatchObject({ supersededBy: old, supersedes: [] })
      expect(await employers()).toEqual(['Acme 0..'])
      expect(await entityNamed(storage, alice, 'Acme', page.now)).toMatchObject({ memoryCount: 1 })
      expect(await entityNamed(storage, alice, 'Globex', page.now)).toMatchObject({ memoryCount: 0 })
      const slots = ['WORKS_AT|john']
      const known = await storage.recognise(alice, { now: page.now, project: null, contentKeys: [], slots })
      expect(known.sameSlot.map(({ memory, slots: held }) => [memory.id, held[0]?.value])).toEqual([[old, 'acme']])
      expect(await decide('revert', id, 400)).toEqual(reverted)
    })

    it('still show what was known at each moment after a revert', async () => {
      const { storage } = subject()
      const { old, id } = await replaced()
      await decide('revert', id)
      expect(await asOf(50)).toEqual(['John works at Acme'])
      expect(await asOf(200)).toEqual(['John works at Globex'])
      expect(await asOf(301)).toEqual(['John works at Acme'])
      expect(await employers({ asOf: start + 50 })).toEqual(['Acme 0..'])
      expect(await employers({ asOf: start + 200 })).toEqual(['Globex 100..300'])
      expect(await employers({ asOf: start + 301 })).toEqual(['Acme 0..'])
      const versions = await historyOf(storage, alice, old)
      expect(versions.map(({ content, validFrom, validTo }) => [content, validFrom - start, validTo])).toEqual([
        ['John works at Acme', 0, start + 100],
        ['John works at Acme', 300, null],
      ])
    })

    it('make the new memory current again when accepted after a revert', async () => {
      const { old, fresh, id } = await replaced()
      await decide('revert', id)
      const { storage } = subject()
      expect(await decide('accept', id, 400)).toMatchObject({ refused: null, contradiction: { status: 'accepted' } })
      expect(await listed()).toEqual(['John works at Globex'])
      expect(await storage.find(alice, old, { now: page.now })).toMatchObject({ supersededBy: fresh })
      expect((await employers()).map((text) => text.split(' ')[0])).toEqual(['Globex'])
      expect(await asOf(350)).toEqual(['John works at Acme'])
      expect(await employers({ asOf: start + 350 })).toHaveLength(1)
      expect(await decide('revert', id, 500)).toMatchObject({ refused: null })
      expect(await listed()).toEqual(['John works at Acme'])
    })

    it('restore everything that the new memory replaced when reverted', async () => {
      const { storage, notebook } = subject()
      const [a = '', b = ''] = await notebook.store(alice, { content: 'a' }, { content: 'b' })
      await notebook.store(alice, { content: 'c', createdAt: start + 10, supersedes: [a, b] })
      const { items } = await storage.listContradictions(alice, page)
      await decide('revert', items[0]?.id ?? '')
      expect((await listed()).sort()).toEqual(['a', 'b'])
      const after = await storage.listContradictions(alice, page)
      expect(after.items.map(({ status }) => status)).toEqual(['reverted', 'reverted'])
    })

    it('that are open replace the old memory when accepted, and keep both when reverted', async () => {
      const { storage, notebook } = subject()
      const [a = '', b = ''] = await notebook.store(alice, { content: 'a' }, { content: 'b' })
      await notebook.store(alice, { content: 'not a', createdAt: start + 10, doubts: [a] })
      await notebook.store(alice, { content: 'not b', createdAt: start + 20, doubts: [b] })
      const { items } = await storage.listContradictions(alice, page)
      const idOf = (content: string) => items.find((item) => item.old.content === content)?.id ?? ''
      expect(await decide('accept', idOf('a'))).toMatchObject({ refused: null, contradiction: { status: 'accepted' } })
      expect(await decide('revert', idOf('b'))).toMatchObject({ refused: null, contradiction: { status: 'reverted' } })
      expect((await listed()).sort()).toEqual(['b', 'not a', 'not b'])
      expect(await asOf(200)).toEqual(expect.arrayContaining(['a', 'not a']))
      expect(await decide('revert', idOf('a'), 400)).toMatchObject({ refused: null })
      expect((await listed()).sort()).toEqual(['a', 'b', 'not b'])
    })

    it('cannot be decided, and change nothing, once a side was replaced or rewritten', async () => {
      const { storage, notebook } = subject()
      const { fresh, id } = await replaced()
      const third = await notebook.storeOne(
        alice,
        employment('John', 'Initech', { createdAt: start + 200, supersedes: [fresh] }),
      )
      expect(await decide('revert', id)).toMatchObject({ refused: 'superseded', contradiction: { status: 'applied' } })
      const { items } = await storage.listContradictions(alice, page)
      const later = items.find((item) => item.new.id === third)?.id ?? ''
      await storage.update(alice, third, { now: start + 250, content: notebook.draft({ content: 'John rests' }) })
      const revision = await notebook.revision(alice)
      expect(await decide('revert', later)).toMatchObject({ refused: 'changed' })
      expect(await notebook.revision(alice)).toBe(revision)
      expect(await listed()).toEqual(['John rests'])
    })

    it('can be decided after the metadata of a side have changed', async () => {
      const { storage } = subject()
      const { fresh, id } = await replaced()
      await storage.update(alice, fresh, { now: start + 150, metadata: { x: 1 } })
      expect(await decide('revert', id)).toMatchObject({ refused: null })
      expect(await listed()).toEqual(['John works at Acme'])
    })

    it('are erased with either memory', async () => {
      const { storage, notebook } = subject()
      const { fresh } = await replaced()
      const other = await notebook.storeOne(alice, { content: 'other', createdAt: start + 1, doubts: [fresh] })
      await storage.forget(alice, { memoryIds: [other] })
      expect((await storage.listContradictions(alice, page)).total).toBe(1)
      await storage.forget(alice, { memoryIds: [fresh] })
      expect((await storage.listContradictions(alice, page)).total).toBe(0)
      expect(await listed()).toEqual([])
    })

    it('leave nothing of the new memory when the old one is erased after a revert', async () => {
      const { storage } = subject()
      const { old, fresh, id } = await replaced()
      await decide('revert', id)
      const gone = await storage.forget(alice, { memoryIds: [old] })
      expect(gone.map(({ memoryId }) => memoryId).sort()).toEqual([old, fresh].sort())
      expect((await storage.listEntities(alice, page)).total).toBe(0)
    })

    it('are hidden once a side has expired, except in a list that asks for them, and end when it is purged', async () => {
      const { storage, notebook } = subject()
      const old = await notebook.storeOne(alice, { content: 'short', expiresAt: start + 500 })
      await notebook.store(alice, { content: 'long', createdAt: start + 10, doubts: [old] })
      const { id } = await one({ now: start + 499 })
      expect(await storage.listContradictions(alice, { ...page, now: start + 500 })).toEqual({
        items: [],
        total: 0,
        next: null,
      })
      expect(await storage.findContradiction(alice, id, start + 500)).toBeNull()
      expect(await decide('accept', id, 500)).toBeNull()
      expect(await one({ now: start + 500, includeExpired: true })).toMatchObject({ id })
      await storage.purgeExpired(alice, start + 500)
      expect((await storage.listContradictions(alice, { ...page, includeExpired: true })).total).toBe(0)
    })

    it('belong to one user: others cannot see or decide them', async () => {
      const { storage } = subject()
      const { id } = await replaced()
      for (const scope of [bob, nobodyScope, userScope('alice', 'elsewhere')]) {
        expect(await storage.listContradictions(scope, page)).toEqual({ items: [], total: 0, next: null })
        expect(await storage.findContradiction(scope, id, page.now)).toBeNull()
        expect(await storage.decide(scope, id, { verdict: 'revert', now: page.now })).toBeNull()
      }
      expect((await storage.listContradictions(everyoneScope(), page)).total).toBe(1)
      expect(await listed()).toEqual(['John works at Globex'])
    })

    it('stay consistent under concurrent decisions, and raise the revision that stores compare', async () => {
      const { notebook } = subject()
      const { id } = await replaced()
      const revision = await notebook.revision(alice)
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) => decide(i % 2 ? 'accept' : 'revert', id, 300 + i)),
      )
      expect(answers.every((answer) => answer?.refused === null)).toBe(true)
      expect(await listed()).toHaveLength(1)
      expect(await notebook.revision(alice)).toBeGreaterThan(revision)
      await expect(
        notebook.commit(alice, { expectedRevision: revision, memories: [notebook.memory({ content: 'late' })] }),
      ).rejects.toThrow('revision')
    })

    it('survive reopening the store', async () => {
      const { id } = await replaced()
      await decide('revert', id)
      const before = await one()
      const opened = await subject().reopen()
      expect(await opened.findContradiction(alice, id, page.now)).toEqual(before)
      expect((await opened.list(alice, { now: page.now, limit: 5 })).items).toHaveLength(1)
    })
  })

  describe('contested memories', () => {
    const contested = (ids: readonly string[], scope = alice) => subject().storage.contested(scope, ids)
    const said = 'I live in Oslo, and I sing'
    /** A memory, one that doubts all of it, and one that doubts a part of it. */
    async function doubted() {
      const { notebook } = subject()
      const old = await notebook.storeOne(alice, { content: said })
      const whole = await notebook.storeOne(alice, { content: 'All of that is wrong', doubts: [old] })
      const part = await notebook.storeOne(alice, {
        content: 'I live in Bergen',
        doubtsParts: [wordsOf(old, said, 'I live in Oslo')],
      })
      return { old, whole, part }
    }

    it('are the pairs with an open contradiction, and say whether only a part is concerned', async () => {
      const { old, whole, part } = await doubted()
      expect(await contested([whole, old])).toEqual([{ oldId: old, newId: whole, part: null }])
      expect(await contested([old, part])).toEqual([
        { oldId: old, newId: part, part: { start: 0, end: 'I live in Oslo'.length } },
      ])
      expect(await contested([old, whole, part])).toHaveLength(2)
    })

    it('are only pairs of which both memories are asked for', async () => {
      const { old, whole, part } = await doubted()
      for (const ids of [[], [old], [whole, part], [old, 'mem_unknown'], [old, old], [old, '\0']])
        expect(await contested(ids)).toEqual([])
    })

    it('are no longer contested once somebody has decided', async () => {
      const { old, whole, part } = await doubted()
      const { items } = await subject().storage.listContradictions(alice, page)
      for (const [at, { id }] of items.entries()) await decide(at === 0 ? 'accept' : 'revert', id)
      expect(await contested([old, whole, part])).toEqual([])
      const { old: replacedId, fresh } = await replaced()
      expect(await contested([replacedId, fresh])).toEqual([])
    })

    it('are those of one user', async () => {
      const { old, whole } = await doubted()
      expect(await contested([old, whole], bob)).toEqual([])
      await subject().notebook.store(bob, { content: 'of Bob' })
      expect(await contested([old, whole], bob)).toEqual([])
      expect(await contested([old, whole], userScope('nobody'))).toEqual([])
    })
  })
}
