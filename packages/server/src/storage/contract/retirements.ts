import { describe, expect, it } from 'vitest'
import type { RetiringRule } from '../../core/contradiction.js'
import { checksumOf } from '../../core/memory.js'
import { alice, allRows, bob, employment, entityNamed, start } from './notebook.js'
import type { Subject } from './subject.js'

const now = start + 200
const later = start + 1_000

export function describeRetirements(subject: () => Subject): void {
  const judged = (id: string, content: string) => ({ id, checksum: checksumOf(content) })
  type Judged = ReturnType<typeof judged>
  function retire(memory: Judged, by: Judged | null, scope = alice) {
    const rule: RetiringRule = by ? 'repeated' : 'chatter'
    const reason = { slot: '', oldValue: '', newValue: '', rule }
    return subject().storage.retire(scope, {
      id: subject().notebook.id('con'),
      ...{ memory, by, now, reason },
      why: rule,
    })
  }
  const listed = async () =>
    (await subject().storage.list(alice, { now: later, limit: 50 })).items.map(({ content }) => content).sort()
  const found = async () => {
    const { items } = await subject().storage.listContradictions(alice, { now: later, limit: 50, offset: 0 })
    const [first] = items
    if (!first) throw new Error('nothing was recorded')
    return first
  }
  const decide = (id: string, verdict: 'accept' | 'revert', at: number) =>
    subject().storage.decide(alice, id, { verdict, now: start + at })
  const asOf = async (at: number) =>
    (await allRows(subject().storage, alice))
      .filter(({ validFrom, validTo }) => validFrom < start + at && (validTo === null || validTo >= start + at))
      .map(({ content }) => content)
      .sort()
  async function two(first: object = {}, second: object = {}) {
    const [a = '', b = ''] = await subject().notebook.store(
      alice,
      { content: 'a', ...first },
      { content: 'b', ...second },
    )
    return { a: judged(a, 'a'), b: judged(b, 'b') }
  }

  describe('a retired memory', () => {
    it('is superseded by the memory that repeats it, from now on', async () => {
      const { a, b } = await two()
      expect(await retire(a, b)).toBe(true)
      expect(await listed()).toEqual(['b'])
      expect(await found()).toMatchObject({
        status: 'applied',
        why: 'repeated',
        createdAt: now,
        reason: { rule: 'repeated' },
        old: { id: a.id, content: 'a', supersededAt: now, supersededBy: b.id },
        new: { id: b.id, content: 'b', supersededAt: null },
      })
      expect([await asOf(100), await asOf(300)]).toEqual([['a', 'b'], ['b']])
    })

    it('comes back beside the other one when it is reverted, and goes again when that is accepted', async () => {
      const { a, b } = await two()
      await retire(a, b)
      const { id } = await found()
      expect(await decide(id, 'revert', 300)).toMatchObject({ refused: null, contradiction: { status: 'reverted' } })
      expect(await listed()).toEqual(['a', 'b'])
      expect([await asOf(250), await asOf(400)]).toEqual([['b'], ['a', 'b']])
      expect(await decide(id, 'accept', 400)).toMatchObject({ refused: null, contradiction: { status: 'accepted' } })
      expect(await listed()).toEqual(['b'])
    })

    it('may have no successor', async () => {
      const { a } = await two()
      expect(await retire(a, null)).toBe(true)
      expect(await listed()).toEqual(['b'])
      const { id, old, new: other } = await found()
      expect(old).toMatchObject({ id: a.id, supersededAt: now, supersededBy: null })
      expect(other.id).toBe(a.id)
      expect(await asOf(100)).toEqual(['a', 'b'])
      for (const [verdict, at] of [
        ['revert', 300],
        ['accept', 400],
        ['revert', 500],
      ] as const) {
        expect(await decide(id, verdict, at)).toMatchObject({ refused: null })
        expect(await listed()).toEqual(verdict === 'revert' ? ['a', 'b'] : ['b'])
      }
      await subject().storage.forget(alice, { memoryIds: [a.id] })
      expect(await subject().storage.find(alice, a.id, { now: later })).toBeNull()
    })

    it('is not retired again after a revert, by any other memory', async () => {
      const { a, b } = await two()
      const c = judged(await subject().notebook.storeOne(alice, { content: 'c' }), 'c')
      await retire(a, b)
      await decide((await found()).id, 'revert', 300)
      expect([await retire(a, b), await retire(a, c), await retire(a, null)]).toEqual([false, false, false])
      expect(await listed()).toEqual(['a', 'b', 'c'])
      expect(await subject().storage.knownPairs(alice, [b.id])).toEqual([{ oldId: a.id, newId: b.id, retires: true }])
    })

    it('leaves a relationship in place that the other memory states too', async () => {
      const { notebook, storage } = subject()
      const [a = '', b = ''] = await notebook.store(
        alice,
        employment('John', 'Acme'),
        employment('John', 'Acme', { content: 'Acme employs John' }),
      )
      await retire(judged(a, 'John works at Acme'), judged(b, 'Acme employs John'))
      const john = await entityNamed(storage, alice, 'John', later)
      expect(await storage.relationships(alice, john.id, { now: later })).toMatchObject([
        { target: 'Acme', validTo: null },
      ])
    })
  })

  describe('nothing is retired', () => {
    it.each([
      ['that is flagged', { flagged: true }, {}],
      ['by a flagged memory', {}, { flagged: true }],
      ['by a memory of another project', {}, { project: 'p' }],
      ['that has expired', { expiresAt: now }, {}],
      ['by a memory that expires earlier', { expiresAt: later + 2 }, { expiresAt: later + 1 }],
      ['by a memory that expires, if it does not', {}, { expiresAt: later + 1 }],
    ])('%s', async (_what, first, second) => {
      const { a, b } = await two(first, second)
      expect(await retire(a, b)).toBe(false)
      expect((await listed()).includes('b')).toBe(true)
      expect((await subject().storage.knownPairs(alice, [a.id, b.id])).length).toBe(0)
    })

    it('whose content has changed since, that is history, or that belongs to another user', async () => {
      const { a, b } = await two()
      expect(await retire({ ...a, checksum: checksumOf('other') }, b)).toBe(false)
      expect(await retire(a, { ...b, checksum: checksumOf('other') })).toBe(false)
      expect(await retire(a, a)).toBe(false)
      expect(await retire(a, b, bob)).toBe(false)
      await subject().notebook.storeOne(bob, { content: 'mine' })
      expect(await retire(a, null, bob)).toBe(false)
      expect(await subject().storage.knownPairs(bob, [a.id])).toEqual([])
      await retire(a, b)
      expect([await retire(a, b), await retire(b, a)]).toEqual([false, false])
      expect(await listed()).toEqual(['b'])
    })
  })
}
