import { describe, expect, it } from 'vitest'
import { markedText, partsOf, remainingText } from '../../core/outdated.js'
import { parsePortable } from '../ports/portable.js'
import { alice, allRows, bob, type EndedPart, type Fact, historyOf, start, vectorFor, wordsOf } from './notebook.js'
import type { Subject } from './subject.js'

const content = 'Marta is 34, lives in Gothenburg, and has two kids'
const [age, home] = [
  { slot: 'AGE|marta', value: '34' },
  { slot: 'LIVES_IN|marta', value: 'gothenburg' },
]
const withoutHome = 'Marta is 34, and has two kids'

export function describeOutdatedParts(subject: () => Subject): void {
  const now = start + 1_000
  const find = (id: string) => subject().storage.find(alice, id, { now })
  const listed = async (asOf?: number) =>
    (await subject().storage.list(alice, { now, limit: 50, ...(asOf === undefined ? {} : { asOf }) })).items
  /** Content and outdated words of every current memory. */
  const shown = async (asOf?: number) =>
    Object.fromEntries(
      (await listed(asOf)).map((memory) => [
        memory.content,
        partsOf(memory.content, memory.outdated).map((p) => p.text),
      ]),
    )
  const contradictions = async () =>
    (await subject().storage.listContradictions(alice, { now, limit: 50, offset: 0 })).items
  const decide = (verdict: 'accept' | 'revert', id: string, at = 300, more: object = {}) =>
    subject().storage.decide(alice, id, { verdict, now: start + at, ...more })
  const searched = async () =>
    (await allRows(subject().storage, alice)).flatMap((row) => (row.validTo === null ? [row.content] : []))
  const slotsOf = async (id: string) => {
    const asked = { now, project: null, contentKeys: [], slots: [age.slot, home.slot] }
    const { sameSlot } = await subject().storage.recognise(alice, asked)
    return sameSlot.find(({ memory }) => memory.id === id)?.slots.map(({ slot }) => slot) ?? []
  }
  const marta = (more: Partial<Fact> = {}) =>
    subject().notebook.storeOne(alice, { content, slots: [age, home], entities: [['Marta', 'PERSON']], ...more })
  /** Marta moves at 100; her age and her kids stay. */
  async function moved(more: Partial<EndedPart> = {}) {
    const { notebook } = subject()
    const old = await marta()
    const part = { ...wordsOf(old, content, 'lives in Gothenburg'), slots: [age], slot: home, ...more }
    const fresh = await notebook.storeOne(alice, {
      content: 'Marta moved to Copenhagen and bought a bike',
      createdAt: start + 100,
      ends: [part],
    })
    const [found] = await contradictions()
    if (!found) throw new Error('there is no contradiction')
    return { old, fresh, part, id: found.id }
  }

  describe('outdated parts', () => {
    it('are kept with who ended them and since when, and the memory stays current', async () => {
      const { old, fresh, part } = await moved()
      const memory = await find(old)
      expect(memory).toMatchObject({ content, version: 2, supersededAt: null, entities: ['Marta'], createdAt: start })
      expect(memory?.outdated).toEqual([{ start: part.start, end: part.end, since: start + 100, by: fresh }])
      expect(await find(fresh)).toMatchObject({ supersedes: [], outdated: [] })
      expect(await shown()).toEqual({
        [content]: ['lives in Gothenburg'],
        'Marta moved to Copenhagen and bought a bike': [],
      })
      const [found] = await contradictions()
      expect(found).toMatchObject({ status: 'applied', part: { start: part.start, end: part.end } })
    })

    it('appear in the history from the moment they ended, and not as of an earlier one', async () => {
      const { storage } = subject()
      const { old } = await moved()
      const versions = await historyOf(storage, alice, old)
      expect(
        versions.map(({ version, outdated, validFrom, validTo, checksum }) => ({
          version,
          outdated: outdated.length,
          from: validFrom - start,
          to: validTo === null ? null : validTo - start,
          checksum,
        })),
      ).toEqual([
        { version: 1, outdated: 0, from: 0, to: 100, checksum: versions[0]?.checksum },
        { version: 2, outdated: 1, from: 100, to: null, checksum: versions[0]?.checksum },
      ])
      expect(await shown(start + 50)).toEqual({ [content]: [] })
      expect((await shown(start + 101))[content]).toEqual(['lives in Gothenburg'])
      const rows = await allRows(storage, alice)
      const hydrated = await storage.hydrate(
        alice,
        rows.map(({ row }) => row),
        { vectors: false },
      )
      expect(hydrated.map(({ memory }) => [memory.version, memory.outdated.length])).toEqual([
        [1, 0],
        [1, 0],
        [2, 1],
      ])
    })

    it('are neither searched nor among the slots that a store compares', async () => {
      const { storage } = subject()
      const vector = vectorFor('the rest')
      const { old } = await moved({ vector })
      expect((await searched()).sort()).toEqual([withoutHome, 'Marta moved to Copenhagen and bought a bike'].sort())
      expect(await slotsOf(old)).toEqual([age.slot])
      const current = (await allRows(storage, alice)).find((row) => row.content === withoutHome)
      const [version] = await storage.hydrate(alice, [current?.row ?? 0], { vectors: true })
      expect(version?.vector).toEqual(vector)
    })

    it('of one memory that end in one commit share a version, and keep only the slots that all leave', async () => {
      const { notebook, storage } = subject()
      const old = await marta()
      const part = (words: string, kept: typeof age) => ({ ...wordsOf(old, content, words), slots: [kept] })
      const changes = [part('lives in Gothenburg', age), part('is 34', home)]
      await notebook.storeOne(alice, { content: 'All is new', createdAt: start + 100, ends: changes })
      expect(await historyOf(storage, alice, old)).toHaveLength(2)
      expect((await shown())[content]).toEqual(['is 34', 'lives in Gothenburg'])
      expect(await slotsOf(old)).toEqual([])
      expect(await searched()).toContain('Marta, and has two kids')
    })

    it('of several memories can end by one memory', async () => {
      const { notebook } = subject()
      const [a = '', b = ''] = await notebook.store(alice, { content: 'a b' }, { content: 'c d' })
      const ends = [wordsOf(a, 'a b', 'b'), wordsOf(b, 'c d', 'c')]
      await notebook.storeOne(alice, { content: 'neither', createdAt: start + 1, ends })
      expect(await shown()).toEqual({ 'a b': ['b'], 'c d': ['c'], neither: [] })
    })

    it('do not end twice', async () => {
      const { notebook, storage } = subject()
      const { old, fresh, part } = await moved()
      await notebook.storeOne(alice, { content: 'Marta is in Oslo', createdAt: start + 200, ends: [part] })
      expect(await historyOf(storage, alice, old)).toHaveLength(2)
      expect((await find(old))?.outdated).toMatchObject([{ by: fresh }])
    })

    it('never begin before the version that they are a part of', async () => {
      const { notebook, storage } = subject()
      const old = await marta({ createdAt: start + 500 })
      await notebook.storeOne(alice, { content: 'past', createdAt: start, ends: [wordsOf(old, content, 'is 34')] })
      const times = (await historyOf(storage, alice, old)).map(({ validFrom, validTo }) => [validFrom, validTo])
      expect(times).toEqual([
        [start + 500, start + 500],
        [start + 500, null],
      ])
    })

    it('refuse a memory that is no longer current, and write nothing', async () => {
      const { notebook } = subject()
      const old = await marta()
      await notebook.storeOne(alice, { content: 'all else', createdAt: start + 1, supersedes: [old] })
      const late = notebook.storeOne(alice, { content: 'late', ends: [wordsOf(old, content, 'is 34')] })
      await expect(late).rejects.toThrow('no longer current')
      expect(await shown()).toEqual({ 'all else': [] })
    })

    it('are told as events of the old memory', async () => {
      const { storage } = subject()
      const { old, fresh, id } = await moved()
      await decide('revert', id)
      const { events } = await storage.events(alice, null, 20)
      expect(events.slice(2)).toMatchObject([
        { type: 'memory.outdated', action: 'OUTDATE', memoryId: old, relatedIds: [fresh] },
        { type: 'memory.restored', action: 'RESTORE', memoryId: old, relatedIds: [fresh] },
      ])
    })

    it('stay through changes of metadata and expiry, and go with a new content', async () => {
      const { notebook, storage } = subject()
      const { old } = await moved()
      const kept = await storage.update(alice, old, { now: start + 200, metadata: { mood: 'calm' } })
      expect(kept?.outdated).toHaveLength(1)
      await notebook.commit(alice, { sightings: [{ memoryId: old, segments: [0, 0], expiresAt: start + 9_000 }] })
      expect((await find(old))?.outdated).toHaveLength(1)
      const draft = notebook.draft({ content })
      const same = { ...draft, outdated: kept?.outdated ?? [] }
      expect((await storage.update(alice, old, { now: start + 300, content: same }))?.outdated).toHaveLength(1)
      expect((await storage.update(alice, old, { now: start + 400, content: draft }))?.outdated).toEqual([])
      expect(await searched()).toContain(content)
    })

    it('stay when the memory that ended them is erased or expires, without its id', async () => {
      const { notebook, storage } = subject()
      const { old, fresh } = await moved()
      const part = wordsOf(old, content, 'two kids')
      await notebook.storeOne(alice, {
        content: 'three kids',
        createdAt: start + 200,
        expiresAt: start + 300,
        ends: [part],
      })
      await notebook.storeOne(bob, { content: 'other' })
      await storage.forget(alice, { memoryIds: [fresh] }, now)
      await storage.purgeExpired(alice, now)
      const history = await historyOf(storage, alice, old)
      expect(history.map(({ outdated }) => outdated.map(({ by, since }) => [by, since - start]))).toEqual([
        [],
        [[null, 100]],
        [
          [null, 100],
          [null, 200],
        ],
      ])
      expect(JSON.stringify(history)).not.toContain(fresh)
      expect(await contradictions()).toEqual([])
    })

    it('are re-embedded without their words', async () => {
      const { storage } = subject()
      await moved()
      const { versions } = await storage.outdated(alice, 'another model', null, 10)
      expect(versions.map((version) => version.content).sort()).toEqual(
        [content, withoutHome, 'Marta moved to Copenhagen and bought a bike'].sort(),
      )
    })

    it('that are part of an import must be sorted and separate', async () => {
      const { portableReader } = subject()
      await moved()
      const reader = await portableReader()
      let changed = 0
      for await (const record of reader.read({ vectors: false, keys: false })) {
        if (record.record !== 'version' || !record.outdated) continue
        changed += 1
        const [part] = record.outdated
        expect(() => parsePortable({ ...record, outdated: [part, part] })).toThrow('overlap')
        expect(() => parsePortable({ ...record, outdated: [{ ...part, end: part?.start }] })).toThrow('outdated')
        const { outdated: _outdated, ...before } = record
        expect(parsePortable(before)).toEqual(before)
      }
      await reader.close()
      expect(changed).toBe(1)
    })
  })

  describe('contradictions about a part', () => {
    it('make the part current again when reverted, keep both memories, and change nothing when repeated', async () => {
      const { storage } = subject()
      const { old, fresh, id } = await moved()
      const before = (
        await storage.hydrate(alice, [(await allRows(storage, alice))[0]?.row ?? 0], { vectors: true })
      )[0]
      const reverted = await decide('revert', id)
      expect(reverted).toMatchObject({ refused: null, contradiction: { status: 'reverted', decidedAt: start + 300 } })
      expect(await shown()).toEqual({ [content]: [], 'Marta moved to Copenhagen and bought a bike': [] })
      expect(await find(fresh)).toMatchObject({ supersededAt: null, supersededBy: null })
      expect((await slotsOf(old)).sort()).toEqual([age.slot, home.slot])
      expect((await searched()).sort()).toEqual([content, 'Marta moved to Copenhagen and bought a bike'].sort())
      const rows = (await allRows(storage, alice)).filter((row) => row.content === content && row.validTo === null)
      const [again] = await storage.hydrate(
        alice,
        rows.map(({ row }) => row),
        { vectors: true },
      )
      expect(again?.vector).toEqual(before?.vector)
      expect((await shown(start + 200))[content]).toEqual(['lives in Gothenburg'])
      expect(await decide('revert', id, 400)).toEqual(reverted)
      expect(await historyOf(storage, alice, old)).toHaveLength(3)
    })

    it('only change their status when accepted after they were applied, and can end the part again after a revert', async () => {
      const { storage } = subject()
      const { old, fresh, id } = await moved()
      expect(await decide('accept', id)).toMatchObject({ refused: null, contradiction: { status: 'accepted' } })
      expect(await historyOf(storage, alice, old)).toHaveLength(2)
      await decide('revert', id, 400)
      expect((await shown())[content]).toEqual([])
      await decide('accept', id, 500)
      expect((await find(old))?.outdated).toMatchObject([{ since: start + 500, by: fresh }])
      expect(await slotsOf(old)).toEqual([age.slot])
    })

    it('that are open end only the part when accepted, with the vector of the remaining text', async () => {
      const { notebook, storage } = subject()
      const old = await marta()
      const part = { ...wordsOf(old, content, 'lives in Gothenburg'), slot: home }
      const fresh = await notebook.storeOne(alice, {
        content: 'Copenhagen?',
        createdAt: start + 100,
        doubtsParts: [part],
      })
      const [open] = await contradictions()
      expect(open).toMatchObject({ status: 'open', part: { start: part.start, end: part.end } })
      expect((await shown())[content]).toEqual([])
      const vector = vectorFor('the rest')
      const remaining = [{ memoryId: old, text: withoutHome, vector, modelId: 'newer' }]
      await decide('accept', open?.id ?? '', 300, { remaining })
      expect((await find(old))?.outdated).toMatchObject([{ since: start + 300, by: fresh }])
      expect(await slotsOf(old)).toEqual([age.slot])
      const current = (await allRows(storage, alice)).find((row) => row.content === withoutHome)
      expect(current?.modelId).toBe('newer')
      const [version] = await storage.hydrate(alice, [current?.row ?? 0], { vectors: true })
      expect(version?.vector).toEqual(vector)
      expect(await shown(start + 200)).toEqual({ [content]: [], 'Copenhagen?': [] })
    })

    it('that are open stay without effect when reverted', async () => {
      const { notebook, storage } = subject()
      const old = await marta()
      const part = wordsOf(old, content, 'two kids')
      await notebook.storeOne(alice, { content: 'three', createdAt: start + 1, doubtsParts: [part] })
      const [open] = await contradictions()
      await decide('revert', open?.id ?? '')
      expect(await historyOf(storage, alice, old)).toHaveLength(1)
      expect(await shown()).toEqual({ [content]: [], three: [] })
    })

    it('about two parts of a memory are decided one by one, and every other fact stays', async () => {
      const { notebook } = subject()
      const { old, id } = await moved()
      const part = { ...wordsOf(old, content, 'is 34'), slots: [], slot: age }
      await notebook.storeOne(alice, { content: 'Marta is 35', createdAt: start + 200, ends: [part] })
      expect(await searched()).toContain('Marta, and has two kids')
      await decide('revert', id)
      expect((await shown())[content]).toEqual(['is 34'])
      expect(await slotsOf(old)).toEqual([home.slot])
      expect(await searched()).toContain('Marta, lives in Gothenburg, and has two kids')
      const other = (await contradictions()).find(({ status }) => status === 'applied')
      await decide('revert', other?.id ?? '', 400)
      expect((await shown())[content]).toEqual([])
      expect((await slotsOf(old)).sort()).toEqual([age.slot, home.slot])
    })

    it('leave a part outdated that another contradiction still contests', async () => {
      const { notebook } = subject()
      const { old, part, id } = await moved()
      const other = await notebook.storeOne(alice, { content: 'Oslo', createdAt: start + 200, ends: [part] })
      await decide('revert', id)
      expect((await find(old))?.outdated).toMatchObject([{ by: other, since: start + 200 }])
    })

    it('supersede the old memory when nothing else of it is left, and restore it when reverted', async () => {
      const { notebook } = subject()
      const old = await notebook.storeOne(alice, { content: 'tea, coffee' })
      const part = (words: string) => wordsOf(old, 'tea, coffee', words)
      await notebook.storeOne(alice, { content: 'no tea', createdAt: start + 1, ends: [part('tea')] })
      const last = await notebook.storeOne(alice, {
        content: 'no coffee',
        createdAt: start + 2,
        doubtsParts: [part('coffee')],
      })
      const open = (await contradictions()).find(({ status }) => status === 'open')
      await decide('accept', open?.id ?? '')
      expect(await find(old)).toMatchObject({ supersededBy: last })
      expect(await decide('revert', open?.id ?? '', 400)).toMatchObject({ refused: null })
      expect(await shown()).toEqual({ 'tea, coffee': ['tea'], 'no tea': [], 'no coffee': [] })
    })

    it('are reverted with the new memory when a whole replacement by it is', async () => {
      const { notebook } = subject()
      const old = await marta()
      const whole = await notebook.storeOne(alice, { content: 'whole' })
      const part = { ...wordsOf(old, content, 'lives in Gothenburg'), slots: [age], slot: home }
      await notebook.storeOne(alice, { content: 'new', createdAt: start + 100, supersedes: [whole], ends: [part] })
      const id = (await contradictions()).find((each) => each.part === null)?.id ?? ''
      await decide('revert', id)
      expect(await shown()).toEqual({ [content]: [], whole: [] })
      expect((await contradictions()).map(({ status }) => status)).toEqual(['reverted', 'reverted'])
      expect((await slotsOf(old)).sort()).toEqual([age.slot, home.slot])
    })

    it('are refused if a memory has changed or was replaced since, and then nothing is written', async () => {
      const { notebook, storage } = subject()
      const { old, fresh, part, id } = await moved()
      await notebook.storeOne(alice, { content: 'doubt', createdAt: start + 150, doubtsParts: [part] })
      const open = (await contradictions()).find(({ status }) => status === 'open')?.id ?? ''
      await storage.update(alice, old, { now: start + 200, content: notebook.draft({ content: 'rewritten' }) })
      expect(await decide('revert', id)).toMatchObject({ refused: 'changed', contradiction: { status: 'applied' } })
      expect(await decide('accept', open)).toMatchObject({ refused: 'changed', contradiction: { status: 'open' } })
      expect(await historyOf(storage, alice, old)).toHaveLength(3)
      await notebook.storeOne(alice, { content: 'newest', createdAt: start + 250, supersedes: [fresh] })
      expect(await decide('revert', id)).toMatchObject({ refused: 'superseded' })
    })

    it('lose no other fact, whatever is accepted and reverted in any order', async () => {
      const { notebook } = subject()
      const facts = ['is 34', 'lives in Gothenburg', 'has two kids']
      const old = await marta()
      for (const [index, words] of facts.entries()) {
        const part = wordsOf(old, content, words)
        const more = index === 1 ? { doubtsParts: [part] } : { ends: [part] }
        await notebook.storeOne(alice, { content: `change ${index}`, createdAt: start + index + 1, ...more })
      }
      const ids = (await contradictions()).map(({ id }) => id)
      const verdicts = ['revert', 'accept'] as const
      for (let step = 0; step < 12; step++) {
        await decide(verdicts[(step >> 1) % 2] ?? 'accept', ids[(step * 5) % ids.length] ?? '', 300 + step)
        const state = await contradictions()
        const standing = state.flatMap(({ status, part }) =>
          part && (status === 'applied' || status === 'accepted') ? [content.slice(part.start, part.end)] : [],
        )
        const memory = await find(old)
        if (memory?.supersededAt === null) {
          expect(partsOf(content, memory.outdated).map(({ text }) => text)).toEqual(
            facts.filter((words) => standing.includes(words)),
          )
          expect(await searched()).toContain(remainingText(content, memory.outdated))
          for (const words of standing) expect(markedText(content, memory.outdated)).toContain(`: ${words})`)
        } else expect(standing).toHaveLength(facts.length)
      }
    })
  })
}
