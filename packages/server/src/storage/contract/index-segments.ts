import { describe, expect, it } from 'vitest'
import type { UserScope } from '../../core/scope.js'
import type { ChangeMark } from '../ports/index-feed.js'
import type { NewSegment, SegmentKind } from '../ports/index-segments.js'
import type { Storage } from '../ports/storage.js'
import { alice, bob, start } from './notebook.js'
import type { Subject } from './subject.js'

const beginning: ChangeMark = { revision: 0, row: 0 }
const kind: SegmentKind = { modelId: 'test-model', format: 1 }

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

async function slices(storage: Storage, scope: UserScope, limit: number): Promise<NewSegment[]> {
  const segments: NewSegment[] = []
  for (let from = beginning, more = true; more; ) {
    const slice = await storage.changes(scope, from, limit)
    const text = slice.changed.map(({ content }) => content).join('|')
    const rows = slice.changed.map(({ row }) => row)
    segments.push({ from, to: slice.mark, rows, seed: 7, bytes: bytesOf(text) })
    from = slice.mark
    more = slice.more
  }
  return segments
}

async function textsOf(
  storage: Storage,
  scope: UserScope,
  from = beginning,
  limit = 100,
  of = kind,
): Promise<string[]> {
  const { bytes, starts, ends } = await storage.indexSegments.segments(scope, of, from, limit)
  expect(starts.every((place) => place % 8 === 0)).toBe(true)
  return starts.map((place, index) => new TextDecoder().decode(bytes.subarray(place, ends[index])))
}

export function describeIndexSegments(subject: () => Subject): void {
  describe('segments of the index', () => {
    async function filled(memories = 5, limit = 2): Promise<Storage> {
      const { storage, notebook } = subject()
      for (let n = 1; n <= memories; n++) await notebook.store(alice, { content: `fact ${n}` })
      for (const segment of await slices(storage, alice, limit)) {
        expect(await storage.indexSegments.saveSegment(alice, kind, segment)).toBe(true)
      }
      return storage
    }

    it('returns the segments in order, from any of their marks on, with the bytes that were stored', async () => {
      const storage = await filled()
      expect(await textsOf(storage, alice)).toEqual(['fact 1|fact 2', 'fact 3|fact 4', 'fact 5'])
      expect(await textsOf(storage, alice, beginning, 2)).toEqual(['fact 1|fact 2', 'fact 3|fact 4'])
      const spans = await storage.indexSegments.segmentSpans(alice, kind)
      expect(spans.map(({ versions, seed }) => ({ versions, seed }))).toEqual(
        [2, 2, 1].map((versions) => ({ versions, seed: 7 })),
      )
      expect(spans.map(({ from }) => from).slice(1)).toEqual(spans.map(({ to }) => to).slice(0, -1))
      expect(await textsOf(storage, alice, spans[1]?.from)).toEqual(['fact 3|fact 4', 'fact 5'])
      const page = await storage.indexSegments.segments(alice, kind, beginning, 9)
      expect(page.spans).toEqual(spans)
      expect(page.revision).toBe(5)
    })

    it('returns the segments before a mark, the last ones if there are more, with the number of memories', async () => {
      const storage = await filled()
      const before = async (mark: ChangeMark | undefined, limit: number, scope = alice) => {
        const page = await storage.indexSegments.segmentsBefore(scope, kind, mark, limit)
        const { bytes, starts, ends } = page
        return { ...page, texts: starts.map((at, index) => new TextDecoder().decode(bytes.subarray(at, ends[index]))) }
      }
      const all = await before(undefined, 9)
      expect(all).toMatchObject({ revision: 5, memories: 5, texts: ['fact 1|fact 2', 'fact 3|fact 4', 'fact 5'] })
      expect(all.spans).toEqual(await storage.indexSegments.segmentSpans(alice, kind))
      const last = await before(undefined, 2)
      expect(last.texts).toEqual(['fact 3|fact 4', 'fact 5'])
      expect((await before(last.spans[0]?.from, 2)).texts).toEqual(['fact 1|fact 2'])
      expect((await before(all.spans[0]?.from, 2)).texts).toEqual([])
      expect(await before(undefined, 9, bob)).toMatchObject({ revision: 0, memories: 0, texts: [] })
      await subject().notebook.store(bob, { content: 'of Bob' })
      expect(await before(undefined, 9, bob)).toMatchObject({ memories: 1, texts: [] })
    })

    it('returns any bytes unchanged, long ones too', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, { content: 'a' }, { content: 'b' })
      const made = await slices(storage, alice, 1)
      const contents = [new Uint8Array(0), Uint8Array.from({ length: 300_001 }, (_, i) => (i * i) % 251)]
      for (const [index, segment] of made.entries()) {
        await storage.indexSegments.saveSegment(alice, kind, {
          ...segment,
          bytes: contents[index] ?? new Uint8Array(1),
        })
      }
      const { bytes, starts, ends } = await storage.indexSegments.segments(alice, kind, beginning, 9)
      expect(starts.map((place, index) => bytes.slice(place, ends[index]))).toEqual(contents)
      // The connection that read them still answers.
      for (let n = 0; n < 20; n++)
        expect((await storage.indexSegments.segments(alice, kind, beginning, 9)).spans).toHaveLength(2)
    })

    it("keeps a user's segments from other users, and of unknown users there are none", async () => {
      const storage = await filled()
      expect(await textsOf(storage, bob)).toEqual([])
      expect(await storage.indexSegments.segmentSpans(bob, kind)).toEqual([])
      const [segment] = await slices(storage, alice, 2)
      if (!segment) throw new Error('there are memories')
      // Neither a user without memories nor another user's rows.
      expect(await storage.indexSegments.saveSegment(bob, kind, segment)).toBe(false)
      await subject().notebook.store(bob, { content: 'of Bob' })
      expect(await storage.indexSegments.saveSegment(bob, kind, segment)).toBe(false)
      await storage.indexSegments.dropSegments(bob, 'all')
      expect(await textsOf(storage, alice)).toHaveLength(3)
    })

    it('changes nothing that an index would have to read', async () => {
      const { notebook } = subject()
      await filled()
      expect(await notebook.revision(alice)).toBe(5)
    })

    it('drops exactly the segments with an erased version, with its erasure', async () => {
      const { notebook } = subject()
      const storage = await filled(6, 2)
      const [last] = (await storage.list(alice, { now: start, limit: 1 })).items
      await storage.forget(alice, { memoryIds: [last?.id ?? ''] })
      const kept = await textsOf(storage, alice)
      expect(kept).toHaveLength(2)
      expect(kept.join('|')).not.toContain(last?.content ?? '?')
      await notebook.store(bob, { content: 'of Bob' })
      await storage.forget(bob, { all: true })
      expect(await textsOf(storage, alice)).toHaveLength(2)
      await storage.forget(alice, { all: true })
      expect(await textsOf(storage, alice)).toEqual([])
    })

    it('drops every segment with a version that has changed and was stored twice', async () => {
      const { storage, notebook } = subject()
      const id = await notebook.storeOne(alice, { content: 'old words' })
      const [before] = await slices(storage, alice, 9)
      await storage.update(alice, id, { now: start + 1, content: notebook.draft({ content: 'new words' }) })
      const after = await storage.changes(alice, before?.to ?? beginning, 9)
      const rows = after.changed.map(({ row }) => row)
      if (before) await storage.indexSegments.saveSegment(alice, kind, before)
      await storage.indexSegments.saveSegment(alice, kind, {
        from: before?.to ?? beginning,
        to: after.mark,
        rows,
        seed: 7,
        bytes: bytesOf('x'),
      })
      expect(rows).toContain(before?.rows[0])
      expect(await textsOf(storage, alice)).toHaveLength(2)
      await storage.forget(alice, { memoryIds: [id] })
      expect(await textsOf(storage, alice)).toEqual([])
    })

    it('drops the segment of an expired memory with its cleanup', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, { content: 'short-lived', expiresAt: start + 5 })
      for (const segment of await slices(storage, alice, 9))
        await storage.indexSegments.saveSegment(alice, kind, segment)
      expect(await textsOf(storage, alice)).toEqual(['short-lived'])
      await storage.purgeExpired(alice, start + 5)
      expect(await textsOf(storage, alice)).toEqual([])
    })

    it('does not store a segment whose version was erased while it was made', async () => {
      const { storage, notebook } = subject()
      const ids = await notebook.store(alice, { content: 'kept' }, { content: 'erased' })
      const made = await slices(storage, alice, 9)
      await storage.forget(alice, { memoryIds: [ids[1] ?? ''] })
      for (const segment of made) expect(await storage.indexSegments.saveSegment(alice, kind, segment)).toBe(false)
      expect(await textsOf(storage, alice)).toEqual([])
    })

    it('keeps the first of two segments from the same mark, even if both are stored at once', async () => {
      const { storage, notebook } = subject()
      await notebook.store(alice, { content: 'a' })
      const [segment] = await slices(storage, alice, 9)
      if (!segment) throw new Error('there is a memory')
      const both = ['one', 'two'].map((text) =>
        storage.indexSegments.saveSegment(alice, kind, { ...segment, bytes: bytesOf(text) }),
      )
      expect((await Promise.all(both)).filter(Boolean)).toHaveLength(1)
      expect(await textsOf(storage, alice)).toHaveLength(1)
    })

    it('drops one segment or all, and replaces those of another model or format', async () => {
      const storage = await filled()
      const spans = await storage.indexSegments.segmentSpans(alice, kind)
      await storage.indexSegments.dropSegments(alice, spans[1]?.from ?? beginning)
      expect(await textsOf(storage, alice)).toEqual(['fact 1|fact 2', 'fact 5'])
      const other = { ...kind, format: 2 }
      expect(await textsOf(storage, alice, beginning, 9, other)).toEqual([])
      expect(await textsOf(storage, alice, beginning, 9, { ...kind, modelId: 'another' })).toEqual([])
      const [first] = await slices(storage, alice, 1)
      // There is one from this mark already, but of another format.
      if (first) expect(await storage.indexSegments.saveSegment(alice, other, first)).toBe(true)
      expect(await textsOf(storage, alice)).toEqual([])
      expect(await textsOf(storage, alice, beginning, 9, other)).toEqual(['fact 1'])
      await storage.indexSegments.dropSegments(alice, 'all')
      expect(await textsOf(storage, alice, beginning, 9, other)).toEqual([])
    })

    it('reads the changes between two marks', async () => {
      const storage = await filled()
      const [, second, third] = await storage.indexSegments.segmentSpans(alice, kind)
      const slice = await storage.changes(alice, second?.from ?? beginning, 9, second?.to)
      expect(slice.changed.map(({ content }) => content)).toEqual(['fact 3', 'fact 4'])
      expect(slice).toMatchObject({ more: false, mark: third?.from })
      const part = await storage.changes(alice, beginning, 3, second?.to)
      expect(part.changed.map(({ content }) => content)).toEqual(['fact 1', 'fact 2', 'fact 3'])
      expect(part.more).toBe(true)
      const late = await storage.changes(alice, beginning, 9, { revision: 99, row: 0 })
      expect(late.mark.revision).toBe(5)
    })
  })

  describe('active users', () => {
    it('returns the most recent ones first, each once, and forgets those who are gone for a month', async () => {
      const { storage, notebook } = subject()
      for (const scope of [alice, bob]) await notebook.store(scope, { content: 'a' })
      await storage.activeUsers.recordActive([alice.userId, bob.userId], start)
      await storage.activeUsers.recordActive([alice.userId, 'unknown', 'not\0storable'], start + 1)
      expect(await storage.activeUsers.lastActive(9)).toEqual([alice.userId, bob.userId])
      expect(await storage.activeUsers.lastActive(1)).toEqual([alice.userId])
      await storage.activeUsers.recordActive([bob.userId], start + 31 * 86_400_000)
      expect(await storage.activeUsers.lastActive(9)).toEqual([bob.userId])
      await storage.forget(bob, { all: true })
      expect(await storage.activeUsers.lastActive(9)).toEqual([])
    })
  })
}
