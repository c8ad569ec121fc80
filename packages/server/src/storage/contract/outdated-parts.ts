import { describe, expect, it } from 'vitest'
import { parsePortable } from '../ports/portable.js'
import { age, content, home, martaIn, now, withoutHome } from './marta.js'
import { alice, allRows, bob, historyOf, start, vectorFor, wordsOf } from './notebook.js'
import type { Subject } from './subject.js'

export function describeOutdatedParts(subject: () => Subject): void {
  const { find, shown, contradictions, decide, searched, slotsOf, marta, moved } = martaIn(subject)

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
}
