import { describe, expect, it } from 'vitest'
import { endOf, type MemoryEvent } from '../../core/memory-event.js'
import { everyoneScope, nobodyScope, userScope } from '../../core/scope.js'
import { alice, bob, start } from './notebook.js'
import type { Subject } from './subject.js'

const hour = 3_600_000
const told = ({ type, memoryId }: MemoryEvent) => `${type} ${memoryId}`

export function describeEvents(subject: () => Subject): void {
  describe('the event log', () => {
    it('records stores, replacements and updates in order, with ids and without content', async () => {
      const { storage, notebook } = subject()
      const first = notebook.memory({ content: 'Ann lives in Oslo', project: 'p' })
      await notebook.commit(alice, { memories: [first], now: start + 1 })
      const second = notebook.memory({ content: 'Ann lives in Rome', project: 'p', supersedes: [first.id] })
      await notebook.commit(alice, { memories: [second], now: start + 2 })
      await storage.update(alice, second.id, { now: start + 3, metadata: { mood: 'calm' } })
      const { events, more } = await storage.events(alice, null, 10)
      const common = { userId: 'alice', project: 'p', item: null }
      expect(events).toEqual([
        {
          ...common,
          mark: { revision: 1, position: 0 },
          type: 'memory.stored',
          action: 'ADD',
          memoryId: first.id,
          checksum: first.version.checksum,
          relatedIds: [],
          at: start + 1,
        },
        {
          ...common,
          mark: { revision: 2, position: 0 },
          type: 'memory.stored',
          action: 'UPDATE',
          memoryId: second.id,
          checksum: second.version.checksum,
          relatedIds: [first.id],
          at: start + 2,
        },
        {
          ...common,
          mark: { revision: 2, position: 1 },
          type: 'memory.superseded',
          action: 'SUPERSEDE',
          memoryId: first.id,
          checksum: null,
          relatedIds: [second.id],
          at: start + 2,
        },
        {
          ...common,
          mark: { revision: 3, position: 0 },
          type: 'memory.updated',
          action: 'UPDATE',
          memoryId: second.id,
          checksum: second.version.checksum,
          relatedIds: [],
          at: start + 3,
        },
      ])
      expect(more).toBe(false)
    })

    it('keeps only the id of an erased memory', async () => {
      const { storage, notebook } = subject()
      const gone = notebook.memory({ content: 'gone', project: 'secret-project' })
      const kept = notebook.memory({ content: 'kept' })
      await notebook.commit(alice, { memories: [gone, kept] })
      await storage.forget(alice, { memoryIds: [gone.id] }, start + 5)
      const { events } = await storage.events(alice, null, 10)
      expect(events.map(told)).toEqual([`memory.stored ${kept.id}`, `memory.forgotten ${gone.id}`])
      expect(events[1]).toMatchObject({
        action: 'FORGET',
        project: null,
        checksum: null,
        relatedIds: [],
        at: start + 5,
      })
      await storage.forget(alice, { all: true }, start + 6)
      const all = await storage.events(alice, null, 10)
      expect(all.events.map(told)).toEqual([`memory.forgotten ${gone.id}`, `memory.forgotten ${kept.id}`])
    })

    it('records nothing for a failed change or a repeated fact', async () => {
      const { storage, notebook } = subject()
      const memory = notebook.memory({ content: 'once' })
      await notebook.commit(alice, { memories: [memory] })
      const broken = notebook.memory({ content: 'never', supersedes: [notebook.id('mem')] })
      await expect(notebook.commit(alice, { memories: [broken] })).rejects.toThrow()
      await notebook.commit(alice, { sightings: [{ memoryId: memory.id, segments: [0, 0] }] })
      expect((await storage.events(alice, null, 10)).events.map(told)).toEqual([`memory.stored ${memory.id}`])
    })

    it('continues from a mark, slice by slice, even after reopening', async () => {
      const { storage, notebook, reopen } = subject()
      const memories = ['a', 'b', 'c'].map((content) => notebook.memory({ content }))
      await notebook.commit(alice, { memories })
      const first = await storage.events(alice, null, 2)
      expect(first).toMatchObject({ more: true, mark: { revision: 1, position: 1 }, missedUpTo: null })
      const again = await reopen()
      const rest = await again.events(alice, first.mark, 2)
      expect(rest.events.map(told)).toEqual([`memory.stored ${memories[2]?.id}`])
      expect(rest).toMatchObject({ more: false, mark: endOf(1) })
      expect((await again.events(alice, rest.mark, 2)).events).toEqual([])
    })

    it('shows users only their own events, and the scope of nobody none', async () => {
      const { storage, notebook } = subject()
      const mine = notebook.memory({ content: 'mine' })
      await notebook.commit(alice, { memories: [mine] })
      await notebook.commit(bob, { memories: [notebook.memory({ content: 'theirs' })] })
      expect((await storage.events(alice, null, 9)).events.map(told)).toEqual([`memory.stored ${mine.id}`])
      const empty = { events: [], mark: endOf(0), more: false, missedUpTo: null }
      expect(await storage.events(nobodyScope, null, 9)).toEqual(empty)
      expect(await storage.events(userScope('carol'), endOf(7), 9)).toEqual(empty)
      expect(await storage.events(userScope('ali\0ce'), null, 9)).toEqual(empty)
      expect(await storage.revisionsOf(['bob', 'carol', 'alice'])).toEqual([1, 0, 1])
    })

    it('can be filtered by project, and shows forgotten memories in every project', async () => {
      const { storage, notebook } = subject()
      const [one, two] = ['p', 'q'].map((project) => notebook.memory({ content: `in ${project}`, project }))
      if (!one || !two) throw new Error('two memories')
      await notebook.commit(alice, { memories: [one, two] })
      await storage.forget(alice, { memoryIds: [two.id] }, start)
      const { events } = await storage.events(userScope('alice', 'p'), null, 9)
      expect(events.map(told)).toEqual([`memory.stored ${one.id}`, `memory.forgotten ${two.id}`])
    })

    it('records each expiry once, even if several callers ask for it', async () => {
      const { storage, notebook } = subject()
      const short = notebook.memory({ content: 'short', expiresAt: start + hour, project: 'p' })
      const long = notebook.memory({ content: 'long', expiresAt: start + 9 * hour })
      await notebook.commit(alice, { memories: [short, long] })
      const now = start + 2 * hour
      expect(await storage.usersToTellOfExpiry(everyoneScope(), 0, start + hour - 1)).toEqual([])
      expect(await storage.usersToTellOfExpiry(everyoneScope(), 0, now)).toEqual(['alice'])
      expect(await storage.usersToTellOfExpiry(everyoneScope(), start + hour, now)).toEqual([])
      expect(await storage.usersToTellOfExpiry(bob, 0, now)).toEqual([])
      const counts = await Promise.all([1, 2, 3].map(() => storage.tellOfExpiry(alice, now)))
      expect(counts.sort()).toEqual([0, 0, 1])
      expect(await storage.usersToTellOfExpiry(everyoneScope(), 0, now)).toEqual([])
      const { events } = await storage.events(alice, endOf(1), 9)
      expect(events).toMatchObject([
        { type: 'memory.expired', action: 'EXPIRE', memoryId: short.id, project: 'p', checksum: null, at: now },
      ])
    })

    it('records an expiry that a purge finds first, and keeps only its id', async () => {
      const { storage, notebook } = subject()
      const short = notebook.memory({ content: 'short', expiresAt: start + hour, project: 'p' })
      await notebook.commit(alice, { memories: [short] })
      await storage.purgeExpired(everyoneScope(), start + 2 * hour)
      const { events } = await storage.events(alice, null, 9)
      expect(events.map(told)).toEqual([`memory.expired ${short.id}`, `memory.forgotten ${short.id}`])
      expect(events.map(({ project, action }) => [project, action])).toEqual([
        [null, 'EXPIRE'],
        [null, 'CLEANUP'],
      ])
    })

    it('reports if events after the mark are no longer kept', async () => {
      const { storage, notebook } = subject()
      for (const [index, content] of ['a', 'b', 'c'].entries())
        await notebook.commit(alice, { memories: [notebook.memory({ content })], now: start + index * hour })
      await notebook.commit(bob, { memories: [notebook.memory({ content: 'd' })], now: start })
      expect(await storage.trimEvents(alice, start + hour + 1)).toBe(2)
      expect(await storage.trimEvents(everyoneScope(), start + hour + 1)).toBe(1)
      expect(await storage.trimEvents(nobodyScope, start + 9 * hour)).toBe(0)
      const late = await storage.events(alice, endOf(1), 9)
      expect(late).toMatchObject({ missedUpTo: endOf(2), events: [{ mark: { revision: 3 } }] })
      expect(await storage.events(alice, endOf(2), 9)).toMatchObject({ missedUpTo: null })
      expect(await storage.events(alice, null, 9)).toMatchObject({ missedUpTo: null, events: [{}] })
      // A mark from a log that has started over.
      expect(await storage.events(alice, endOf(99), 9)).toMatchObject({ missedUpTo: endOf(2), events: [{}] })
    })
  })
}
