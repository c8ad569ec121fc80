import { describe, expect, it } from 'vitest'
import { everyoneScope, nobodyScope, type Scope, userScope } from '../../core/scope.js'
import type { OutdatedVersion, ReplacedVector } from '../ports/vector-upkeep.js'
import { alice, allRows, bob, type Fact, historyOf, provenanceOf, start, vectorFor } from './notebook.js'
import { outdatedIn, youngModel as young } from './outdated-versions.js'
import type { Subject } from './subject.js'

const everyone = everyoneScope()
const old = 'test-model'

/** A vector as the new model would return it, by default with more dimensions than the old one. */
function reembedded(version: OutdatedVersion, dimensions = 12): ReplacedVector {
  const { userId, row, modelId, checksum } = version
  return { userId, row, modelId, checksum, vector: vectorFor(`new ${version.content}`, dimensions) }
}

export function describeVectorUpkeep(subject: () => Subject): void {
  const outdated = (scope: Scope = everyone, limit = 100, modelId = young) =>
    outdatedIn(subject(), scope, limit, modelId)
  const contents = async (scope: Scope = everyone, limit = 100, modelId = young) =>
    (await outdated(scope, limit, modelId)).map(({ content }) => content)
  const count = (scope: Scope = everyone, modelId = young) => subject().storage.countOutdated(scope, modelId)
  const replaceAll = async (scope: Scope = everyone, modelId = young) =>
    subject().storage.replaceVectors(
      scope,
      modelId,
      (await outdated(scope, 100, modelId)).map((version) => reembedded(version)),
    )

  describe('outdated', () => {
    it('is empty for an empty store, and if the model made all vectors', async () => {
      expect([await count(), await outdated()]).toEqual([0, []])
      await subject().notebook.store(alice, { content: 'Ann sings' })
      expect([await count(everyone, old), await outdated(everyone, 5, old)]).toEqual([0, []])
      expect(await count()).toBe(1)
    })

    it('returns every version of any other model once, in slices of any size, valid ones before history', async () => {
      const { storage, notebook } = subject()
      const models = ['zz-model', old, young, 'ünlü', 'a-model', '😀', '\uffee']
      const facts = models.map((modelId): Fact => ({ content: `by ${modelId}`, modelId }))
      const [changed = ''] = await notebook.store(alice, { content: 'Ann lives in Oslo' }, ...facts)
      await notebook.store(bob, ...facts, { content: 'Bob had a car' })
      await storage.update(alice, changed, { now: start + 1, metadata: { moved: true } })
      const [car = ''] = (await storage.list(bob, { now: start, limit: 9, q: 'car' })).items.map(({ id }) => id)
      await notebook.store(bob, { content: 'Bob has a bike', supersedes: [car] })
      const current = [
        'Ann lives in Oslo',
        'Bob has a bike',
        ...[alice, bob].flatMap(() => models.filter((modelId) => modelId !== young).map((modelId) => `by ${modelId}`)),
      ]
      for (const limit of [1, 2, 3, 7, 100]) {
        const found = await contents(everyone, limit)
        expect(found.slice(0, current.length).sort()).toEqual([...current].sort())
        expect(found.slice(current.length)).toEqual(['Ann lives in Oslo', 'Bob had a car'])
      }
      expect(await count()).toBe(current.length + 2)
    })

    it('stays within the scope', async () => {
      const { notebook } = subject()
      await notebook.store(alice, { content: 'of Alice' }, { content: 'in a project of Alice', project: 'p' })
      await notebook.store(bob, { content: 'of Bob' })
      expect(await contents(alice)).toEqual(['of Alice', 'in a project of Alice'])
      expect(await contents(bob)).toEqual(['of Bob'])
      expect((await outdated(bob))[0]?.userId).toBe('bob')
      expect([await count(alice), await count(bob), await count()]).toEqual([2, 1, 3])
      for (const scope of [nobodyScope, userScope('carol'), userScope('bob\0')]) {
        expect([await count(scope), await contents(scope)]).toEqual([0, []])
      }
    })
  })

  describe('replaceVectors', () => {
    it('changes the vector, its quantized form and its model, nothing else, and shows in the feed', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, {
        content: 'Ann sings',
        metadata: { a: 1 },
        project: 'p',
        expiresAt: start + 99,
        entities: [['Ann', 'PERSON']],
      })
      await storage.update(alice, id, { now: start + 1, metadata: { a: 2 } })
      const rows = (await allRows(storage, alice)).map((version) => version.row)
      const everything = async () => [
        await storage.find(alice, id, { now: start + 2 }),
        await historyOf(storage, alice, id),
        await provenanceOf(storage, alice, id),
        await storage.matching(alice, { entity: 'ann' }),
        (await allRows(storage, alice))
          .map(({ quantized, scale, modelId, ...rest }) => rest)
          .sort((a, b) => a.row - b.row),
        (await storage.hydrate(alice, rows, { vectors: false })).map(({ memory }) => memory),
      ]
      const before = await everything()
      const { mark } = await storage.changes(alice, { revision: 0, row: 0 }, 9)
      expect(await replaceAll()).toBe(2)
      expect(await everything()).toEqual(before)
      const { changed } = await storage.changes(alice, mark, 9)
      expect(changed.map((version) => version.row).sort()).toEqual([...rows].sort())
      const vector = vectorFor('new Ann sings', 12)
      for (const version of changed) {
        expect(version.modelId).toBe(young)
        expect(version.quantized).toHaveLength(12)
        for (const [i, component] of vector.entries())
          expect((version.quantized[i] ?? 0) * version.scale).toBeCloseTo(component, 1)
      }
      for (const version of await storage.hydrate(alice, rows, { vectors: true })) {
        expect(version).toMatchObject({ modelId: young, vector })
      }
      expect([await count(), await count(everyone, old)]).toEqual([0, 2])
    })

    it('accepts vectors of fewer dimensions, and a return to the first model', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, { content: 'Ann sings' })
      for (const [modelId, dimensions] of [
        [young, 3],
        [old, 8],
      ] as const) {
        const versions = await outdated(everyone, 9, modelId)
        await storage.replaceVectors(
          everyone,
          modelId,
          versions.map((version) => reembedded(version, dimensions)),
        )
        expect((await allRows(storage, alice)).map((version) => version.quantized.length)).toEqual([dimensions])
      }
    })

    it('raises the revision once for each user whose vectors it replaced, and for no others', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, { content: 'Ann sings' }, { content: 'Ann swims' })
      await notebook.store(bob, { content: 'Bob sings' })
      const revisions = () => Promise.all([alice, bob].map((scope) => notebook.revision(scope)))
      const [ofAlice = 0, ofBob = 0] = await revisions()
      const versions = (await outdated()).map((version) => reembedded(version))
      expect(await replaceAll(alice)).toBe(2)
      expect(await revisions()).toEqual([ofAlice + 1, ofBob])
      expect(await storage.replaceVectors(everyone, young, versions)).toBe(1)
      expect(await revisions()).toEqual([ofAlice + 1, ofBob + 1])
      expect(await storage.replaceVectors(everyone, young, [])).toBe(0)
      expect(await revisions()).toEqual([ofAlice + 1, ofBob + 1])
    })

    it('changes nothing outside the scope, and nothing through a row of another user', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, { content: 'of Alice' })
      await notebook.store(bob, { content: 'of Bob' })
      const [mine, theirs] = await outdated()
      if (!mine || !theirs) throw new Error('two were stored')
      const before = await Promise.all([alice, bob].map((scope) => allRows(storage, scope)))
      for (const [scope, vector] of [
        [alice, reembedded(theirs)],
        [nobodyScope, reembedded(theirs)],
        [userScope('bob\0'), reembedded(theirs)],
        [everyone, { ...reembedded(theirs), userId: 'alice' }],
        [everyone, { ...reembedded(theirs), userId: 'carol' }],
        [everyone, { ...reembedded(theirs), row: mine.row }],
      ] as const) {
        expect(await storage.replaceVectors(scope, young, [vector])).toBe(0)
      }
      expect(await Promise.all([alice, bob].map((scope) => allRows(storage, scope)))).toEqual(before)
      expect(await storage.replaceVectors(bob, young, [reembedded(mine), reembedded(theirs)])).toBe(1)
      expect(await contents()).toEqual(['of Alice'])
    })

    it('skips versions that were forgotten, or embedded by another model, since they were read', async () => {
      const { storage, notebook } = subject()
      const [, gone = ''] = await notebook.store(alice, { content: 'stays' }, { content: 'goes' }, { content: 'taken' })
      const versions = await outdated()
      await storage.forget(alice, { memoryIds: [gone] })
      const taken = versions.filter(({ content }) => content === 'taken').map((version) => reembedded(version, 5))
      await storage.replaceVectors(everyone, 'third-model', taken)
      expect(
        await storage.replaceVectors(
          everyone,
          young,
          versions.map((version) => reembedded(version)),
        ),
      ).toBe(1)
      expect((await allRows(storage, alice)).map(({ content, modelId }) => [content, modelId]).sort()).toEqual([
        ['stays', young],
        ['taken', 'third-model'],
      ])
      expect(await storage.changes(alice, { revision: 0, row: 0 }, 9)).toMatchObject({ removedRows: [] })
    })

    it('does not undo a concurrent update: the new version is kept, the old one is history', async () => {
      const { storage, notebook } = subject()
      const [rewritten = '', moved = ''] = await notebook.store(alice, { content: 'first' }, { content: 'second' })
      const versions = await outdated()
      await storage.update(alice, rewritten, {
        now: start + 1,
        content: notebook.draft({ content: 'rewritten', modelId: young, vector: vectorFor('rewritten', 12) }),
      })
      await storage.update(alice, moved, { now: start + 1, project: 'p' })
      expect(
        await storage.replaceVectors(
          everyone,
          young,
          versions.map((version) => reembedded(version)),
        ),
      ).toBe(2)
      expect(await storage.find(alice, rewritten, { now: start + 2 })).toMatchObject({
        content: 'rewritten',
        version: 2,
      })
      const rows = await allRows(storage, alice)
      const rowOf = (content: string) => rows.find((version) => version.content === content)?.row ?? 0
      const [hydrated] = await storage.hydrate(alice, [rowOf('rewritten')], { vectors: true })
      expect(hydrated?.vector).toEqual(vectorFor('rewritten', 12))
      expect(rows.find((version) => version.content === 'first')?.validTo).toBe(start + 1)
      // The new version with the other project kept the old vector: it is found next.
      expect(await contents()).toEqual(['second'])
      expect(await replaceAll()).toBe(1)
      expect(
        (await storage.list(alice, { now: start + 2, limit: 9 })).items.map(({ project }) => project).sort(),
      ).toEqual([null, 'p'])
    })

    it('rejects a whole slice if one vector is invalid', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, { content: 'a' }, { content: 'b' })
      const [a, b] = (await outdated()).map((version) => reembedded(version))
      if (!a || !b) throw new Error('two were stored')
      const broken = { ...b, vector: Float32Array.of(1, Number.NaN) }
      await expect(storage.replaceVectors(everyone, young, [a, broken])).rejects.toThrow()
      expect(await contents()).toEqual(['a', 'b'])
      expect(await storage.replaceVectors(everyone, young, [a, b])).toBe(2)
    })

    it('is durable, and the remaining versions are found after reopening', async () => {
      const { storage, notebook, reopen } = subject()
      await notebook.store(alice, { content: 'a' }, { content: 'b' }, { content: 'c' })
      const { versions } = await storage.outdated(everyone, young, null, 2)
      await storage.replaceVectors(
        everyone,
        young,
        versions.map((version) => reembedded(version)),
      )
      const again = await reopen()
      expect((await again.outdated(everyone, young, null, 9)).versions.map(({ content }) => content)).toEqual(['c'])
      expect(await again.countOutdated(everyone, young)).toBe(1)
    })
  })
}
