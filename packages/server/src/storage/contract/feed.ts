import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChangeMark, IndexedVersion } from '../ports/index-feed.js'
import { alice, allRows, bob, employment, start } from './notebook.js'
import type { Subject } from './subject.js'

const beginning: ChangeMark = { revision: 0, row: 0 }

export function describeFeed(subject: () => Subject): void {
  describe('changes', () => {
    it('returns everything exactly once, in slices of any size', async () => {
      const { storage, notebook } = subject()
      for (let i = 0; i < 4; i++) {
        await notebook.store(
          alice,
          ...[1, 2, 3].map((n) => ({ content: `fact ${i}.${n}`, project: n > 1 ? 'p' : null })),
        )
      }
      for (const limit of [1, 2, 3, 5, 12, 100]) {
        const seen: IndexedVersion[] = []
        let mark = beginning
        let more = true
        while (more) {
          const slice = await storage.changes(alice, mark, limit)
          expect(slice.changed.length).toBeLessThanOrEqual(limit)
          seen.push(...slice.changed)
          ;({ mark, more } = slice)
        }
        expect(seen.map((version) => version.content)).toEqual(
          [0, 1, 2, 3].flatMap((i) => [1, 2, 3].map((n) => `fact ${i}.${n}`)),
        )
        expect(new Set(seen.map((version) => version.row)).size).toBe(12)
        expect(await storage.changes(alice, mark, limit)).toEqual({ mark, more: false, changed: [], removedRows: [] })
      }
    })

    it('ends a slice early at long texts, so that a reader need not hold them all', async () => {
      const { storage, notebook } = subject()
      const contents = Array.from({ length: 90 }, (_, i) => `${i} `.padEnd(50_000, 'long '))
      await notebook.store(alice, ...contents.map((content) => ({ content })))
      const first = await storage.changes(alice, beginning, 2_000)
      expect(first.more).toBe(true)
      expect(first.changed.length).toBeLessThan(60)
      const seen = [...first.changed]
      for (let { mark, more } = first; more; ) {
        const slice = await storage.changes(alice, mark, 2_000)
        seen.push(...slice.changed)
        ;({ mark, more } = slice)
      }
      expect(seen.map((version) => version.content)).toEqual(contents)
    })

    it('returns nothing for an unknown user', async () => {
      const slice = await subject().storage.changes(alice, beginning, 10)
      expect(slice).toMatchObject({ mark: { revision: 0 }, more: false, changed: [], removedRows: [] })
    })

    it('returns a version again when it has ended, together with its successor', async () => {
      const { storage, notebook } = subject()
      const fact = { content: 'v1', project: 'p', expiresAt: start + 900, flagged: true }
      const id = await notebook.storeOne(alice, fact)
      const { mark, changed } = await storage.changes(alice, beginning, 10)
      expect(changed).toMatchObject([{ ...fact, validFrom: start, validTo: null, modelId: 'test-model' }])
      await storage.update(alice, id, { now: start + 5, content: notebook.draft({ content: 'v2' }), expiresAt: null })
      const updated = await storage.changes(alice, mark, 10)
      expect(updated.changed).toMatchObject([
        { row: changed[0]?.row, content: 'v1', validFrom: start, validTo: start + 5, expiresAt: start + 900 },
        { content: 'v2', validFrom: start + 5, validTo: null, expiresAt: null, flagged: false, project: 'p' },
      ])
      await notebook.store(alice, { content: 'v3', createdAt: start + 9, supersedes: [id] })
      const superseded = await storage.changes(alice, updated.mark, 10)
      expect(superseded.changed).toMatchObject([
        { content: 'v2', validTo: start + 9 },
        { content: 'v3', validTo: null },
      ])
      expect(superseded.removedRows).toEqual([])
    })

    it('reports removed rows to readers at any mark, and never reuses a row', async () => {
      const { storage, notebook } = subject()
      const ids = await notebook.store(alice, { content: 'a' }, { content: 'b' }, { content: 'c' })
      const all = await storage.changes(alice, beginning, 10)
      const partly = await storage.changes(alice, beginning, 1)
      const rows = all.changed.map((version) => version.row)
      await storage.update(alice, ids[0] ?? '', { now: start + 1, metadata: { x: 1 } })
      const newest = (await storage.changes(alice, all.mark, 10)).changed.map((version) => version.row)
      await storage.forget(alice, { memoryIds: [ids[0] ?? '', ids[1] ?? ''] })
      await notebook.store(alice, { content: 'd' })
      const removed = [...new Set([rows[0], rows[1], ...newest])].sort()
      for (const mark of [all.mark, partly.mark]) {
        const replay = new Map(mark === all.mark ? all.changed.map((version) => [version.row, version.content]) : [])
        const gone: number[] = []
        let at = mark
        let more = true
        while (more) {
          const slice = await storage.changes(alice, at, 1)
          for (const version of slice.changed) replay.set(version.row, version.content)
          for (const row of slice.removedRows) replay.delete(row)
          gone.push(...slice.removedRows)
          ;({ mark: at, more } = slice)
        }
        expect([...new Set(gone)].sort()).toEqual(removed)
        expect([...replay.values()].sort()).toEqual(['c', 'd'])
      }
      const [added] = (await allRows(storage, alice)).filter((version) => version.content === 'd')
      expect([...rows, ...newest]).not.toContain(added?.row)
    })

    it('includes a write as soon as the write has returned', async () => {
      const { storage, notebook } = subject()
      let mark = beginning
      for (let i = 0; i < 20; i++) {
        await notebook.store(alice, { content: `fact ${i}` })
        const slice = await storage.changes(alice, mark, 10)
        expect(slice.changed.map((version) => version.content)).toEqual([`fact ${i}`])
        mark = slice.mark
      }
    })
  })

  describe('vectors', () => {
    it('are returned bit for bit, and their quantized form is within half a step', async () => {
      const { storage, notebook } = subject()
      const component = fc.float({ noNaN: true, noDefaultInfinity: true, min: -8, max: 8 })
      await fc.assert(
        fc.asyncProperty(fc.float32Array({ minLength: 4, maxLength: 16 }), component, async (base, last) => {
          const vector = clean(Float32Array.from([...base, last]))
          // A view into a larger buffer, like one vector of a batch.
          const batch = new Float32Array(vector.length + 6)
          batch.set(vector, 3)
          const id = await notebook.storeOne(bob, { content: 'v', vector: batch.subarray(3, 3 + vector.length) })
          const version = (await allRows(storage, bob))[0]
          const [hydrated] = await storage.hydrate(bob, [version?.row ?? -1], { vectors: true })
          expect(new Uint8Array((hydrated?.vector ?? vector.subarray(1)).slice().buffer)).toEqual(
            new Uint8Array(vector.buffer),
          )
          const scale = version?.scale ?? Number.NaN
          const quantized = version?.quantized ?? new Int8Array()
          expect(scale).toBeCloseTo(Math.max(...vector.map(Math.abs)) / 127, 10)
          for (const [i, exact] of vector.entries()) {
            expect(Math.abs((quantized[i] ?? Number.NaN) * scale - exact)).toBeLessThanOrEqual(scale * 0.500001)
          }
          await storage.forget(bob, { memoryIds: [id] })
        }),
        { numRuns: 25 },
      )
    })
  })

  describe('hydrate', () => {
    it('returns the content of each version and the fields that all versions of the memory share', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, employment('John', 'Acme', { metadata: { v: 1 } }))
      const content = notebook.draft(employment('Mary', 'Globex'))
      await storage.update(alice, id, { now: start + 5, content, metadata: { v: 2 } })
      await storage.recordAccess([{ userId: 'alice', memoryId: id, count: 4, at: start + 6 }])
      const rows = (await allRows(storage, alice)).map((version) => version.row).sort((a, b) => a - b)
      const versions = await storage.hydrate(alice, [...rows, 1, -5, 0.5, Number.MAX_SAFE_INTEGER], { vectors: false })
      expect(versions).toMatchObject([
        {
          row: rows[0],
          vector: null,
          modelId: 'test-model',
          memory: { id, version: 1, content: 'John works at Acme' },
        },
        { row: rows[1], memory: { id, version: 2, content: 'Mary works at Globex', accessCount: 4, createdAt: start } },
      ])
      expect(versions.map(({ memory }) => [memory.metadata, memory.updatedAt])).toEqual([
        [{ v: 1 }, start],
        [{ v: 2 }, start + 5],
      ])
      expect(await storage.hydrate(alice, [], { vectors: true })).toEqual([])
    })

    it('returns every field as it was stored, for the requested project only', async () => {
      const { storage, notebook } = subject()
      const odd = 'a "quoted" \\ back\u2028slash\n\u0001 \ud83c\udf89 \u007f </script> \ufeff 東京'
      const metadata = { [odd]: [odd, null, true, -1.5e-7, 12345678901234], nested: { deep: [] } }
      const drafts = [0.1 + 0.2, 1, 0, 1 / 3].map((trustScore, index) => ({
        content: `${odd} ${index}`,
        metadata,
        project: index === 0 ? odd : null,
        trustScore,
        expiresAt: start + 1e12 + index,
      }))
      await notebook.store(alice, ...drafts)
      const rows = (await allRows(storage, alice)).map((version) => version.row).sort((a, b) => a - b)
      const versions = await storage.hydrate(alice, rows, { vectors: true })
      expect(versions.map(({ memory }) => memory)).toMatchObject(
        drafts.map(({ content, project, trustScore, expiresAt }) => {
          return { content, metadata, project, trustScore, expiresAt, userId: 'alice', supersededBy: null }
        }),
      )
      const [last, first] = [rows.at(-1) ?? 0, rows[0] ?? 0]
      const some = await storage.hydrate(alice, [last, first], { vectors: 1 })
      expect(some.map(({ row, vector }) => [row, vector === null])).toEqual(
        last === first
          ? [[last, false]]
          : expect.arrayContaining([
              [last, false],
              [first, true],
            ]),
      )
      const ofProject = await storage.hydrate({ ...alice, project: odd }, rows, { vectors: true })
      expect(ofProject.map(({ row }) => row)).toEqual(rows.slice(0, 1))
    })
  })

  describe('matching', () => {
    it('compares metadata as JSON: by key, type and value', async () => {
      const { storage, notebook } = subject()
      const values = [true, 1, '1', null, 'true', [1, 2], { a: 1, b: 2 }, 1.5, `it's "q"`, 0, '', 'a\\b']
      await notebook.store(alice, ...values.map((value, i) => ({ content: `${i}`, metadata: { key: value } })))
      const rows = (await allRows(storage, alice)).map((version) => version.row)
      for (const [i, value] of values.entries()) {
        expect(await storage.matching(alice, { metadata: { key: value } })).toEqual([rows[i]])
      }
      expect(await storage.matching(alice, { metadata: { key: { b: 2, a: 1 } } })).toEqual([rows[6]])
      expect(await storage.matching(alice, { metadata: { key: [2, 1] } })).toEqual([])
      expect(await storage.matching(alice, {})).toEqual(rows)
    })

    it('never interprets a key as anything but a key', async () => {
      const { storage, notebook } = subject()
      const keys = [`'; DROP TABLE memories; --`, 'a.b', '$', '"', '[0]', '__proto__', 'constructor', '%', '', 'ü']
      await notebook.store(
        alice,
        ...keys.map((key) => ({ content: key || 'empty', metadata: { [key]: 'x', other: 1 } })),
      )
      const rows = (await allRows(storage, alice)).map((version) => version.row)
      for (const [i, key] of keys.entries()) {
        expect(await storage.matching(alice, { metadata: { [key]: 'x' } })).toEqual([rows[i]])
        expect(await storage.matching(alice, { metadata: { [key]: 'x', other: 1 } })).toEqual([rows[i]])
        expect(await storage.matching(alice, { metadata: { [key]: 'x', other: 2 } })).toEqual([])
      }
      expect(await storage.matching(alice, { metadata: { toString: 'x' } })).toEqual([])
    })

    it('finds versions that mention an entity by id, name or alias', async () => {
      const { storage, notebook } = subject()
      await notebook.store(
        alice,
        { content: 'a', entities: [['Jonathan', 'PERSON', 'Jon']], metadata: { x: 1 } },
        { content: 'b', entities: [['Mary', 'PERSON']], metadata: { x: 1 } },
      )
      const [a] = (await allRows(storage, alice)).map((version) => version.row)
      const { items } = await storage.listEntities(alice, { now: start, limit: 9, offset: 0, q: 'jon' })
      for (const entity of [items[0]?.id ?? '', 'jonathan', 'JON']) {
        expect(await storage.matching(alice, { entity })).toEqual([a])
        expect(await storage.matching(alice, { entity, metadata: { x: 1 } })).toEqual([a])
        expect(await storage.matching(alice, { entity, metadata: { x: 2 } })).toEqual([])
        expect(await storage.matching(bob, { entity })).toEqual([])
      }
      expect(await storage.matching(alice, { entity: 'nobody' })).toEqual([])
    })
  })

  describe('connected', () => {
    it('returns mentions first, then versions one relationship away in either direction, within the limit', async () => {
      const { storage, notebook } = subject()
      await notebook.store(
        alice,
        employment('John', 'Acme'),
        { content: 'Acme makes rockets', entities: [['Acme', 'ORG']] },
        { content: 'John, called Johnny, sings', entities: [['John', 'PERSON', 'Johnny']] },
        { content: 'Paris is far away', entities: [['Paris', 'LOCATION']] },
      )
      const [both, acme, john] = (await allRows(storage, alice)).map((version) => version.row)
      expect(await storage.connected(alice, ['johnny'], 10)).toEqual([
        { row: john, hops: 0 },
        { row: both, hops: 0 },
        { row: acme, hops: 1 },
      ])
      expect(await storage.connected(alice, ['acme', 'unknown'], 10)).toEqual([
        { row: acme, hops: 0 },
        { row: both, hops: 0 },
        { row: john, hops: 1 },
      ])
      expect(await storage.connected(alice, ['john'], 2)).toHaveLength(2)
      expect(await storage.connected(alice, [], 10)).toEqual([])
    })
  })
}

/**
 * Keeps components to the sizes that vectors have: -8 to 8 is far from overflowing when divided by a scale, and 1e-6 divided by
 * 127 is still a number.
 */
function clean(vector: Float32Array): Float32Array {
  return vector.map((component) => {
    if (!Number.isFinite(component) || Math.abs(component) < 1e-6) return 0
    return Math.max(-8, Math.min(8, component))
  })
}
