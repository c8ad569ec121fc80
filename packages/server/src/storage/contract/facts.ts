import { describe, expect, it } from 'vitest'
import type { StatedFact, Topic } from '../../core/fact.js'
import { nobodyScope, userScope } from '../../core/scope.js'
import type { FactQuery } from '../ports/facts.js'
import { alice, bob, type Fact, start } from './notebook.js'
import type { Subject } from './subject.js'

const later = start + 1_000
const query: FactQuery = { now: later, leastConfidence: 0.3, leastTrust: 0.8, limit: 100 }

/** A memory that states itself. */
function stating(content: string, confidence = 0.9, topic: Topic = 'work', more: Partial<Fact> = {}): Fact {
  return { content, states: [stated(content, confidence, topic)], ...more }
}

function stated(content: string, confidence = 0.9, topic: Topic = 'work'): StatedFact {
  return { start: 0, stop: content.length, value: content, subject: null, about: topic, topic, confidence }
}

export function describeFacts(subject: () => Subject): void {
  const valuesOf = async (more: Partial<FactQuery> = {}, scope = alice) =>
    (await subject().storage.bestFacts(scope, { ...query, ...more })).map(({ value }) => value)

  describe('facts', () => {
    it('are returned with their memory and all fields, the surest first', async () => {
      const { storage, notebook } = subject()
      const fact = { ...stated('Ann is a nurse', 0.5), subject: 'Ann', about: 'occupation', start: 5, stop: 19 }
      const id = await notebook.storeOne(alice, { content: 'Yes, Ann is a nurse', states: [fact] })
      await notebook.store(alice, stating('I am a baker', 0.8))
      const [first, second] = await storage.bestFacts(alice, query)
      expect(first?.value).toBe('I am a baker')
      expect(second).toEqual({ ...fact, memoryId: id, createdAt: start })
    })

    it('are limited by number, confidence and topic', async () => {
      const { notebook } = subject()
      await notebook.store(alice, stating('a', 0.9), stating('b', 0.7, 'home'), stating('c', 0.2))
      expect(await valuesOf()).toEqual(['a', 'b'])
      expect(await valuesOf({ limit: 1 })).toEqual(['a'])
      expect(await valuesOf({ leastConfidence: 0.1, topics: ['home', 'work'] })).toEqual(['a', 'b', 'c'])
      expect(await valuesOf({ topics: ['home'] })).toEqual(['b'])
      expect(await valuesOf({ topics: [] })).toEqual([])
    })

    it('leave out memories that are flagged, of low trust, expired or superseded', async () => {
      const { notebook } = subject()
      const old = await notebook.storeOne(alice, stating('old'))
      await notebook.store(
        alice,
        stating('flagged', 0.9, 'work', { flagged: true }),
        stating('doubted', 0.9, 'work', { trustScore: 0.7 }),
        stating('short', 0.9, 'work', { expiresAt: later }),
        stating('new', 0.9, 'work', { supersedes: [old], createdAt: start + 10 }),
      )
      expect(await valuesOf()).toEqual(['new'])
      expect(await valuesOf({ now: later - 1 })).toEqual(['new', 'short'])
    })

    it('are separate per user and project', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, stating('mine'), stating('of a project', 0.8, 'work', { project: 'p' }))
      await notebook.store(bob, stating('foreign'))
      expect(await valuesOf()).toEqual(['mine', 'of a project'])
      expect(await valuesOf({}, userScope('alice', 'p'))).toEqual(['of a project'])
      expect(await valuesOf({}, userScope('nobody yet'))).toEqual([])
      expect(await storage.bestFacts(nobodyScope, query)).toEqual([])
    })

    it('stay with a content through changes of metadata, and are replaced with it', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, stating('I live in Rome'))
      await storage.update(alice, id, { now: start + 10, metadata: { a: 1 } })
      expect(await valuesOf()).toEqual(['I live in Rome'])
      const content = notebook.draft(stating('I live in Oslo'))
      await storage.update(alice, id, { now: start + 20, content })
      expect(await valuesOf()).toEqual(['I live in Oslo'])
    })

    it('are current again when their memory is restored', async () => {
      const { storage, notebook } = subject()
      const old = await notebook.storeOne(alice, stating('I live in Rome'))
      await notebook.store(alice, stating('I live in Oslo', 0.9, 'home', { supersedes: [old], createdAt: start + 10 }))
      const { items } = await storage.listContradictions(alice, { now: later, limit: 10, offset: 0 })
      await storage.decide(alice, items[0]?.id ?? '', { verdict: 'revert', now: start + 20 })
      expect(await valuesOf()).toEqual(['I live in Rome'])
    })

    it('of a past moment are those that memories stated then', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, stating('I live in Rome'))
      const old = await notebook.storeOne(alice, stating('old', 0.8))
      await storage.update(alice, id, { now: start + 10, metadata: { a: 1 } })
      await storage.update(alice, id, { now: start + 20, content: notebook.draft(stating('I live in Oslo')) })
      await notebook.store(alice, stating('new', 0.7, 'work', { supersedes: [old], createdAt: start + 30 }))
      expect(await valuesOf({ asOf: start })).toEqual([])
      expect(await valuesOf({ asOf: start + 5 })).toEqual(['I live in Rome', 'old'])
      expect(await valuesOf({ asOf: start + 15 })).toEqual(['I live in Rome', 'old'])
      expect(await valuesOf({ asOf: start + 25 })).toEqual(['I live in Oslo', 'old'])
      expect(await valuesOf({ asOf: start + 35 })).toEqual(['I live in Oslo', 'new'])
      expect(await valuesOf({ asOf: start + 5, topics: ['home'] })).toEqual([])
    })

    it('are erased with their memory', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, stating('secret'))
      await storage.forget(alice, { memoryIds: [id] })
      expect(await valuesOf()).toEqual([])
      expect(await valuesOf({ asOf: start + 5 })).toEqual([])
    })
  })

  describe('contents without facts', () => {
    it('are none for a user whose first memory was stored with facts', async () => {
      const { storage, notebook } = subject()
      await notebook.commit(alice, { memories: [notebook.memory(stating('one'))], factsModel: 'm1' })
      await notebook.commit(alice, { memories: [notebook.memory(stating('two'))], factsModel: 'm1' })
      expect(await storage.unreadContents(alice, 'm1', 0, 10)).toBeNull()
      expect(await storage.unreadContents(userScope('nobody yet'), 'm1', 0, 10)).toBeNull()
    })

    it('are those of a memory that was stored without facts', async () => {
      const { storage, notebook } = subject()
      await notebook.commit(alice, { memories: [notebook.memory(stating('one'))], factsModel: 'm1' })
      await notebook.commit(alice, { memories: [notebook.memory({ content: 'two' })], factsModel: 'm1' })
      const contents = await storage.unreadContents(alice, 'm1', 0, 10)
      expect(contents?.map(({ content }) => content)).toContain('two')
    })

    it('are returned in slices with their slots, each content once, and are read after the last slice', async () => {
      const { storage, notebook } = subject()
      const slots = [{ slot: 'LIVES_IN|john', value: 'rome' }]
      const id = await notebook.storeOne(alice, { content: 'John lives in Rome', slots })
      await storage.update(alice, id, { now: start + 10, metadata: { a: 1 } })
      await notebook.store(alice, { content: 'two' }, { content: 'three' })
      const first = await storage.unreadContents(alice, 'm1', 0, 2)
      expect(first?.map(({ content, slots: held }) => [content, held])).toEqual([
        ['John lives in Rome', slots],
        ['two', []],
      ])
      const read = (first ?? []).map(({ row, content }) => ({ row, facts: [stated(content)] }))
      await storage.writeFacts(alice, 'm1', read, false)
      const rest = await storage.unreadContents(alice, 'm1', read.at(-1)?.row ?? 0, 2)
      expect(rest?.map(({ content }) => content)).toEqual(['three'])
      await storage.writeFacts(alice, 'm1', [], true)
      expect(await storage.unreadContents(alice, 'm1', 0, 2)).toBeNull()
      expect((await valuesOf()).sort()).toEqual(['John lives in Rome', 'two'])
      expect(await valuesOf({ asOf: later })).toHaveLength(2)
    })

    it('are read again by another model, which replaces their facts', async () => {
      const { storage, notebook } = subject()
      await notebook.commit(alice, { memories: [notebook.memory(stating('one'))], factsModel: 'm1' })
      const contents = (await storage.unreadContents(alice, 'm2', 0, 10)) ?? []
      const read = contents.map(({ row }) => ({ row, facts: [stated('ONE')] }))
      await storage.writeFacts(alice, 'm2', read, true)
      expect(await valuesOf()).toEqual(['ONE'])
    })

    it('that were erased or replaced meanwhile get no current facts', async () => {
      const { storage, notebook } = subject()
      const [gone = '', changed = ''] = await notebook.store(alice, { content: 'gone' }, { content: 'changed' })
      const contents = (await storage.unreadContents(alice, 'm1', 0, 10)) ?? []
      await storage.forget(alice, { memoryIds: [gone] })
      await storage.update(alice, changed, { now: start + 10, content: notebook.draft(stating('new')) })
      const read = contents.map(({ row, content }) => ({ row, facts: [stated(content)] }))
      await storage.writeFacts(alice, 'm1', read, true)
      expect(await valuesOf()).toEqual(['new'])
      expect(await valuesOf({ asOf: start + 5 })).toEqual(['changed'])
    })

    it('are all contents of an imported user', async () => {
      const { storage, notebook, portableReader, openAnother } = subject()
      await notebook.commit(alice, { memories: [notebook.memory(stating('one'))], factsModel: 'm1' })
      const reader = await portableReader()
      const records = []
      for await (const record of reader.read({ vectors: true, keys: true })) records.push(record)
      await reader.close()
      expect(storage.refusesWrites()).toBeNull()
      const other = await openAnother()
      await other.storage.close()
      const writer = await other.portableWriter()
      await writer.begin('source')
      await writer.write(records)
      await writer.finish()
      await writer.close()
      const copy = await other.reopen()
      expect((await copy.unreadContents(alice, 'm1', 0, 10))?.map(({ content }) => content)).toEqual(['one'])
      expect(await copy.bestFacts(alice, query)).toEqual([])
    })
  })
}
