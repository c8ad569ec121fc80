/** Filters of recall, list and forget. `npm run test:filters -- --filters 100000` compares more of them with the reference. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Comparison, Filter } from '../../core/filter.js'
import { everyoneScope, nobodyScope, type Scope, userScope } from '../../core/scope.js'
import { type FilteredMemory, holds } from './filter-reference.js'
import { alice, allRows, bob, type Fact, type Notebook, start } from './notebook.js'
import { type RandomFact, randomFact, randomFilter } from './random-filters.js'
import type { Subject } from './subject.js'

const filters = Number(process.env.KEEPSAKE_TEST_FILTERS || 300)
const seed = Number(process.env.KEEPSAKE_TEST_SEED || 20260302)
const memoriesPerRound = 60
const filtersPerRound = 2_000
const filtersAtOnce = 8

const has = (key: string, ...values: (string | number | boolean | null)[]): Filter => ({
  field: 'metadata',
  path: key.split('.'),
  test: { op: 'in', values },
})
const not = (part: Filter): Filter => ({ field: 'not', part })

export function describeFilters(subject: () => Subject): void {
  const listed = async (scope: Scope, filter: Filter, more: { asOf?: number; includeExpired?: boolean } = {}) =>
    (await subject().storage.list(scope, { now: start + 10, limit: 500, filter, ...more })).items

  describe('filters', () => {
    it(`agrees with the reference on ${filters} random filters (seed ${seed})`, {
      timeout: 60_000 + filters * 100,
    }, async () => {
      const { storage, notebook } = subject()
      let [done, selective] = [0, 0]
      for (let round = 0; done < filters; round++) {
        const scope = userScope(`alice ${round}`)
        const facts = fc.sample(randomFact, { numRuns: memoriesPerRound, seed: seed + round })
        await storeAll(notebook, scope, facts)
        await storeAll(notebook, userScope(`bob ${round}`), facts.slice(0, 9))
        const rows = (await allRows(storage, scope)).map(({ row }) => row)
        const { items } = await storage.listEntities(scope, { now: start, limit: 99, offset: 0 })
        const ids = new Map(items.map(({ name, id }) => [name, id]))
        const memories = facts.map((fact) => memoryOf(fact, ids))
        const numRuns = Math.min(filtersPerRound, filters - done)
        const chosen = fc.sample(randomFilter([...ids.values()]), { numRuns, seed: seed + round })
        for (let at = 0; at < chosen.length; at += filtersAtOnce) {
          await Promise.all(
            chosen.slice(at, at + filtersAtOnce).map(async (filter) => {
              const found = new Set(await storage.matching(scope, { filter }))
              const passing = memories.filter((memory) => holds(filter, memory))
              const wrong = memories.filter((memory, place) => found.has(rows[place] ?? 0) !== passing.includes(memory))
              expect(wrong, `${JSON.stringify(filter)} is wrong about these`).toEqual([])
              expect(found.size).toBe(passing.length)
              selective += passing.length > 0 && passing.length < rows.length ? 1 : 0
            }),
          )
        }
        done += numRuns
      }
      // Otherwise the filters would say little.
      expect(selective / done).toBeGreaterThan(0.25)
    })

    it('compare numbers as numbers and text by code point, exactly', async () => {
      const { storage, notebook } = subject()
      const numbers = [
        -(2 ** 62),
        -1,
        0,
        5e-324,
        0.1,
        0.3,
        0.1 + 0.2,
        9,
        10,
        2 ** 53,
        2 ** 53 + 2,
        2 ** 62,
        2 ** 63,
        1e300,
      ]
      const texts = ['', '10', '9', 'A', 'a', 'ä', '\uffff', '😀']
      for (const values of [numbers, texts]) {
        const scope = userScope(typeof values[0])
        await notebook.store(scope, ...values.map((value, n) => ({ content: `${n}`, metadata: { value } })))
        const rows = (await allRows(storage, scope)).map(({ row }) => row)
        for (const [place, value] of values.entries()) {
          const found = (op: Comparison) =>
            storage.matching(scope, { filter: { field: 'metadata', path: ['value'], test: { op, value } } })
          expect(await found('gt')).toEqual(rows.slice(place + 1))
          expect(await found('gte')).toEqual(rows.slice(place))
          expect(await found('lt')).toEqual(rows.slice(0, place))
          expect(await found('lte')).toEqual(rows.slice(0, place + 1))
          expect(await storage.matching(scope, { filter: has('value', value) })).toEqual([rows[place]])
        }
      }
    })

    it('narrow a list, its total and its pages', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, ...Array.from({ length: 9 }, (_, n) => ({ content: `${n}`, metadata: { n } })))
      const filter: Filter = { field: 'metadata', path: ['n'], test: { op: 'gte', value: 4 } }
      const first = await storage.list(alice, { now: start, limit: 2, filter })
      expect(first.total).toBe(5)
      const rest = await storage.list(alice, {
        now: start,
        limit: 9,
        filter,
        ...(first.next ? { cursor: first.next } : {}),
      })
      expect([...first.items, ...rest.items].map(({ content }) => content).sort()).toEqual(['4', '5', '6', '7', '8'])
    })

    it('see the version of that time in a list of the past', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, { content: 'a', metadata: { state: 'old' } })
      await storage.update(alice, id, { now: start + 5, metadata: { state: 'new' } })
      expect(await listed(alice, has('state', 'old'))).toEqual([])
      expect(await listed(alice, has('state', 'new'))).toHaveLength(1)
      expect(await listed(alice, has('state', 'old'), { asOf: start + 3 })).toHaveLength(1)
      expect(await listed(alice, has('state', 'new'), { asOf: start + 3 })).toEqual([])
    })

    it('see the event time of the current content, which other changes keep', async () => {
      const { storage, notebook } = subject()
      const day = 86_400_000
      const fact = { content: 'old', event: { from: start - 9 * day, to: start - 8 * day } }
      const [id = '', other = ''] = await notebook.store(alice, fact, { content: 'none' })
      const until = (at: number): Filter => ({ field: 'eventTime', test: { op: 'lt', value: at } })
      expect((await listed(alice, until(start))).map((memory) => memory.id)).toEqual([id])
      await storage.update(alice, id, { now: start + 1, metadata: { a: 1 } })
      await notebook.storeOne(alice, { content: 'new', supersedes: [other] })
      expect((await listed(alice, until(start))).map((memory) => memory.id)).toEqual([id])
      const { version } = notebook.memory({ content: 'newer' })
      await storage.update(alice, id, { now: start + 2, content: version })
      expect(await listed(alice, until(start))).toEqual([])
      expect(await listed(alice, until(start), { asOf: start + 2 })).toHaveLength(1)
    })

    it('never reach another user, whatever they negate', async () => {
      const { storage, notebook } = subject()
      const fact: Fact = { content: 'of Bob', metadata: { a: 1 }, entities: [['Ann', 'PERSON']] }
      await notebook.storeOne(bob, fact)
      await notebook.storeOne(alice, { content: 'of Alice' })
      const ann: Filter = { field: 'entity', test: { op: 'in', values: ['Ann'] } }
      const [{ id = '' } = {}] = (await storage.listEntities(bob, { now: start, limit: 1, offset: 0 })).items
      const byId: Filter = { field: 'entity', test: { op: 'in', values: [id] } }
      for (const filter of [
        has('a', 1),
        ann,
        byId,
        not(has('z', 1)),
        { field: 'or', parts: [ann, not(ann)] } as const,
      ]) {
        expect((await listed(alice, filter)).filter(({ userId }) => userId !== 'alice')).toEqual([])
        expect(await listed(nobodyScope, filter)).toEqual([])
        const own = (await allRows(storage, alice)).map(({ row }) => row)
        expect((await storage.matching(alice, { filter })).filter((row) => !own.includes(row))).toEqual([])
        await storage.forget(userScope('carol'), { filter }, start)
        expect(await storage.forget(nobodyScope, { filter }, start)).toEqual([])
      }
      expect((await storage.forget(alice, { filter: not(has('z', 1)) }, start)).map(({ userId }) => userId)).toEqual([
        'alice',
      ])
      expect((await listed(everyoneScope(), ann)).map(({ userId }) => userId)).toEqual(['bob'])
    })

    it('compare an entity within its own user in a list of everyone', async () => {
      const { notebook } = subject()
      await notebook.store(alice, { content: 'a', entities: [['Ann', 'PERSON']] }, { content: 'b' })
      await notebook.store(bob, { content: 'c' }, { content: 'd', entities: [['Ann', 'PERSON']] })
      const ann: Filter = { field: 'entity', test: { op: 'in', values: ['Ann'] } }
      expect((await listed(everyoneScope(), ann)).map(({ content }) => content).sort()).toEqual(['a', 'd'])
      expect((await listed(everyoneScope(), not(ann))).map(({ content }) => content).sort()).toEqual(['b', 'c'])
    })

    it('choose what is forgotten by the current version, with expired and superseded memories', async () => {
      const { storage, notebook } = subject()
      const run = (n: number) => ({ metadata: { run: n } })
      const [old = '', changed = ''] = await notebook.store(
        alice,
        { content: 'superseded', ...run(1) },
        { content: 'changed', ...run(1) },
        { content: 'expired', ...run(1), expiresAt: start + 1 },
        { content: 'kept', ...run(2) },
      )
      await notebook.storeOne(alice, { content: 'successor', ...run(2), supersedes: [old] })
      await storage.update(alice, changed, { now: start + 2, ...run(3) })
      const erased = await storage.forget(alice, { filter: has('run', 1) }, start + 9)
      expect(erased).toHaveLength(2)
      const left = await listed(alice, not(has('z', 1)), { includeExpired: true })
      expect(left.map(({ content }) => content).sort()).toEqual(['changed', 'kept', 'successor'])
      expect(await storage.find(alice, old, { now: start })).toBeNull()
      expect(await storage.forget(alice, { filter: has('run', 1) }, start + 9)).toEqual([])
    })

    it('erase more than one chunk, within the project only', async () => {
      const { storage, notebook } = subject()
      const many = Array.from({ length: 450 }, (_, n) => ({
        content: `fact ${n}`,
        metadata: { n },
        project: n % 9 ? 'p' : null,
      }))
      await notebook.store(alice, ...many)
      const small: Filter = { field: 'metadata', path: ['n'], test: { op: 'lt', value: 440 } }
      const erased = await storage.forget(userScope('alice', 'p'), { filter: small }, start)
      expect(erased).toHaveLength(many.filter(({ metadata, project }) => metadata.n < 440 && project === 'p').length)
      expect(await listed(userScope('alice', 'p'), small)).toEqual([])
      expect((await listed(alice, small)).length).toBe(49)
    })

    it('match nothing with text that cannot be stored', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, { content: 'a', metadata: { a: 'x' }, project: 'p' })
      for (const text of ['x\0', '\ud800', 'p\0y']) {
        expect(await storage.matching(alice, { filter: has('a', text) })).toEqual([])
        expect(
          await storage.matching(alice, { filter: { field: 'metadata', path: [`a${text}`], test: { op: 'exists' } } }),
        ).toEqual([])
        expect(
          await storage.matching(alice, { filter: { field: 'project', test: { op: 'in', values: [text] } } }),
        ).toEqual([])
        expect(
          await storage.matching(alice, { filter: { field: 'entity', test: { op: 'in', values: [text] } } }),
        ).toEqual([])
      }
    })
  })
}

async function storeAll(notebook: Notebook, scope: ReturnType<typeof userScope>, facts: readonly RandomFact[]) {
  const memories = facts.map((fact, place) => ({
    ...notebook.memory({ ...fact, content: `fact ${place}` }),
    source: fact.source,
  }))
  await notebook.commit(scope, { memories })
}

function memoryOf(fact: RandomFact, ids: ReadonlyMap<string, string>): FilteredMemory {
  return {
    metadata: fact.metadata ?? {},
    project: fact.project ?? null,
    source: fact.source,
    createdAt: fact.createdAt ?? start,
    trustScore: fact.trustScore ?? 1,
    event: fact.event ?? null,
    entityNames: (fact.entities ?? []).flatMap(([name]) => [name, ids.get(name) ?? name]),
  }
}
