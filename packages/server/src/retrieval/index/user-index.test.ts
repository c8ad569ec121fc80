import type { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { userScope } from '../../core/scope.js'
import type { IndexFeed } from '../../storage/ports/index-feed.js'
import { VectorArena } from './dense-scan.js'
import { startIndexWorker } from './index-thread.js'
import {
  dimensions,
  indexOpener,
  MemoryFeed,
  modelId,
  nextRow,
  now,
  rowsFound,
  unitVector,
  version,
} from './user-index.fixture.js'
import type { Refreshed } from './user-indexes.js'

const open = indexOpener()

describe('staying current', () => {
  it('shows each write to the next search, even while another search loads', async () => {
    const feed = new MemoryFeed(1)
    const indexes = open(feed)
    const searches: Promise<void>[] = []
    for (let row = 1; row <= 50; row++) {
      feed.put('ann', version(row, { content: `word${row}` }))
      searches.push(
        rowsFound(indexes, userScope('ann'), { text: `word${row}` }).then((rows) => expect(rows).toEqual([row])),
      )
      if (row % 10 === 0) await Promise.all(searches)
    }
    await Promise.all(searches)
    expect(indexes.stats().pending).toBe(0)
  })

  it('shows a write to a search that started after it, however long the store takes to return what it read', async () => {
    const turns = fc.array(fc.constantFrom('write', 'search', 'hand out', 'hand out'), { maxLength: 60, size: 'max' })
    const feed = new MemoryFeed(2)
    const held: (() => void)[] = []
    feed.afterRead = () =>
      new Promise((resolve) => {
        held.push(resolve)
      })
    const indexes = open(feed)
    let round = 0
    await fc.assert(
      fc.asyncProperty(turns, async (steps) => {
        round += 1
        const userId = `user-${round}`
        const searches: Promise<void>[] = []
        for (const turn of steps) {
          if (turn === 'write') feed.put(userId, version(nextRow(feed, userId), { content: 'tea' }))
          if (turn === 'hand out') held.shift()?.()
          if (turn === 'search') {
            const written = [...feed.log(userId).versions.keys()]
            const query = { ...now, text: 'tea', limit: 100 }
            // Refreshes first, as a recall does while the query is embedded.
            const search = indexes
              .refresh(userScope(userId))
              .then((refreshed) => indexes.search(userScope(userId), query, refreshed))
            searches.push(
              search.then(({ hits }) => expect(hits.map((hit) => hit.row)).toEqual(expect.arrayContaining(written))),
            )
            searches.push(
              rowsFound(indexes, userScope(userId), query).then((rows) =>
                expect(rows).toEqual(expect.arrayContaining(written)),
              ),
            )
          }
          // Lets the returned slices arrive.
          await new Promise(setImmediate)
        }
        let done = false
        const all = Promise.all(searches).finally(() => {
          done = true
        })
        while (!done) {
          held.shift()?.()
          await new Promise(setImmediate)
        }
        await all
      }),
      { numRuns: 40 },
    )
  })

  it('loads a user once for concurrent searches', async () => {
    const feed = new MemoryFeed()
    feed.put('ann', version(1, { content: 'tea' }))
    const indexes = open(feed)
    const found = await Promise.all(
      Array.from({ length: 20 }, () => rowsFound(indexes, userScope('ann'), { text: 'tea' })),
    )
    expect(found).toEqual(Array.from({ length: 20 }, () => [1]))
    // The first search started its own read. All others share the next one.
    expect(feed.calls).toBeLessThanOrEqual(2)
  })

  it('refreshes a user before a search, which then does not read the store again', async () => {
    const feed = new MemoryFeed()
    feed.put('ann', version(1, { content: 'tea' }))
    const indexes = open(feed)
    const refreshed = await indexes.refresh(userScope('ann'))
    expect(indexes.stats()).toMatchObject({ users: 1, versions: 1 })
    const { calls } = feed
    const { hits } = await indexes.search(userScope('ann'), { ...now, text: 'tea' }, refreshed)
    expect(hits.map((hit) => hit.row)).toEqual([1])
    expect(feed.calls).toBe(calls)
  })

  it('reads the store again if the refreshed index is of another user, was dropped, or is partly updated', async () => {
    const feed = new MemoryFeed(2)
    for (const userId of ['ann', 'bob'])
      feed.put(userId, ...[1, 2, 3].map((row) => version(row, { content: `tea ${userId}` })))
    const rowsAfter = async (userId: string, refreshed: Refreshed) => {
      const { hits } = await indexes.search(userScope(userId), { ...now, text: 'tea' }, refreshed)
      return hits.map((hit) => hit.row).sort()
    }
    const indexes = open(feed)
    const ofBob = await indexes.refresh(userScope('bob'))
    feed.put('ann', version(4, { content: 'tea' }))
    expect(await rowsAfter('ann', ofBob)).toEqual([1, 2, 3, 4])

    const small = open(feed, { memoryBudgetBytes: 1 })
    const dropped = await small.refresh(userScope('ann'))
    await small.refresh(userScope('bob'))
    const { hits } = await small.search(userScope('ann'), { ...now, text: 'tea' }, dropped)
    expect(hits).toHaveLength(4)

    // Changes in two slices: in between, a search must not see the first without the second.
    const refreshed = await indexes.refresh(userScope('ann'))
    feed.put('ann', ...[1, 2, 3, 4].map((row) => version(row, { content: 'milk' })))
    const searches: Promise<number[]>[] = []
    feed.afterRead = async () => {
      searches.push(rowsAfter('ann', refreshed))
    }
    await indexes.refresh(userScope('ann'))
    feed.afterRead = async () => undefined
    for (const rows of await Promise.all(searches)) expect([[], [1, 2, 3, 4]]).toContainEqual(rows)
    expect(searches.length).toBeGreaterThan(1)
  })

  it('reloads if the store was restored to an earlier state', async () => {
    const feed = new MemoryFeed()
    const indexes = open(feed)
    for (const row of [1, 2, 3]) feed.put('ann', version(row, { content: 'tea' }))
    expect(await rowsFound(indexes, userScope('ann'), { text: 'tea' })).toEqual([1, 2, 3])
    feed.users.clear()
    feed.put('ann', version(2, { content: 'tea' }))
    expect(await rowsFound(indexes, userScope('ann'), { text: 'tea' })).toEqual([2])
    expect(indexes.stats()).toMatchObject({ users: 1, versions: 1 })
  })

  it('passes a storage failure on, and reloads from the start afterwards', async () => {
    const feed = new MemoryFeed(2)
    feed.put('ann', ...[1, 2, 3, 4, 5].map((row) => version(row, { content: 'tea' })))
    let failing = true
    const indexes = open({
      changes: async (scope, since, limit) => {
        if (failing && since.row >= 4) throw new Error('disk trouble')
        return feed.changes(scope, since, limit)
      },
    })
    const failed = [1, 2].map(() => rowsFound(indexes, userScope('ann'), { text: 'tea' }))
    for (const search of failed) await expect(search).rejects.toThrow('disk trouble')
    expect(indexes.stats()).toMatchObject({ users: 0, versions: 0, pending: 0 })
    failing = false
    expect(await rowsFound(indexes, userScope('ann'), { text: 'tea' })).toEqual([1, 2, 3, 4, 5])
  })
})

describe('keeping users apart', () => {
  it('never shows one user a row, a score or a count of another', async () => {
    const shared = new MemoryFeed(3)
    const alone = new MemoryFeed(3)
    // The second set of indexes only ever sees Ann. A tiny budget makes the first drop and reload users.
    const together = open(shared, { memoryBudgetBytes: 10_000 })
    const separate = open(alone)
    const both = fc.record({
      kind: fc.constantFrom('ann', 'bob', 'search', 'forget'),
      word: fc.constantFrom('tea', 'milk', 'rum'),
    })
    let round = 0
    await fc.assert(
      fc.asyncProperty(fc.array(both, { maxLength: 40 }), async (steps) => {
        round += 1
        const [ann, bob] = [`ann-${round}`, `bob-${round}`]
        for (const { kind, word } of steps) {
          const fields = { content: `${word} and more`, vector: unitVector() }
          if (kind === 'ann') for (const feed of [shared, alone]) feed.put(ann, version(nextRow(feed, ann), fields))
          if (kind === 'bob') shared.put(bob, version(nextRow(shared, bob), { ...fields, content: `${word} canary` }))
          if (kind === 'forget') shared.remove(bob, ...shared.log(bob).versions.keys())
          if (kind !== 'search') continue
          const query = { ...now, text: `${word} canary`, vector: unitVector() }
          const [seen, , expected] = await Promise.all([
            together.search(userScope(ann), query),
            together.search(userScope(bob), query),
            separate.search(userScope(ann), query),
          ])
          expect(seen).toEqual(expected)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('returns correct results with a memory budget for one user, and stays near that budget', async () => {
    const feed = new MemoryFeed()
    const userIds = Array.from({ length: 30 }, (_, user) => `user-${user}`)
    for (const userId of userIds) {
      feed.put(userId, ...Array.from({ length: 50 }, (_, row) => version(row + 1, { content: `${userId} note${row}` })))
    }
    const indexes = open(feed, { memoryBudgetBytes: 1 })
    for (const order of [userIds, [...userIds].reverse()]) {
      for (const userId of order) {
        expect(await rowsFound(indexes, userScope(userId), { text: 'note7' })).toEqual([8])
        expect(indexes.stats()).toMatchObject({ users: 1, versions: 50 })
      }
    }
    const found = userIds.map((userId) => rowsFound(indexes, userScope(userId), { text: 'note7' }))
    expect(await Promise.all(found)).toEqual(userIds.map(() => [8]))
    expect(indexes.stats().users).toBe(1)
  })

  it('drops the least recently searched user', async () => {
    const feed = new MemoryFeed()
    for (const userId of ['ann', 'bob', 'cid']) feed.put(userId, version(1, { content: 'tea' }))
    const probe = open(feed)
    await probe.refresh(userScope('ann'))
    const before = probe.stats().bytes
    await probe.refresh(userScope('bob'))
    // The spare memory of the thread shrank by the block that Bob borrowed.
    const oneUser = probe.stats().bytes - before + new VectorArena(dimensions).blockBytes
    expect(oneUser).toBeGreaterThan(0)

    const marks: string[] = []
    const watched = {
      changes: (...call: Parameters<IndexFeed['changes']>) => {
        if (call[1].revision === 0) marks.push(call[0].userId)
        return feed.changes(...call)
      },
    }
    const indexes = open(watched, { memoryBudgetBytes: 2.7 * oneUser })
    for (const userId of ['ann', 'bob', 'ann', 'cid', 'ann', 'bob']) await indexes.refresh(userScope(userId))
    expect(marks).toEqual(['ann', 'bob', 'cid', 'bob'])
  })
})

describe('failures and limits', () => {
  it('fails pending searches when the thread dies, and serves the next search from a new thread', async () => {
    const feed = new MemoryFeed()
    feed.put('ann', version(1, { content: 'tea' }))
    const workers: Worker[] = []
    const startWorker = () => {
      const worker = startIndexWorker({ dimensions, modelId })
      workers.push(worker)
      return worker
    }
    const indexes = open(feed, { startWorker })
    expect(await rowsFound(indexes, userScope('ann'), { text: 'tea' })).toEqual([1])

    let handOut: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      handOut = resolve
    })
    feed.afterRead = () => held
    const waiting = rowsFound(indexes, userScope('ann'), { text: 'tea' })
    const outcome = expect(waiting).rejects.toMatchObject({ code: 'unavailable' })
    await workers[0]?.terminate()
    handOut()
    await outcome
    expect(indexes.stats()).toMatchObject({ users: 0, versions: 0, bytes: 0, pending: 0 })

    expect(await rowsFound(indexes, userScope('ann'), { text: 'tea' })).toEqual([1])
    expect(workers).toHaveLength(2)
  })

  it('refuses searches if too many are waiting', async () => {
    const feed = new MemoryFeed()
    feed.put('ann', version(1, { content: 'tea' }))
    const indexes = open(feed, { mostPending: 3 })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => rowsFound(indexes, userScope('ann'), { text: 'tea' })),
    )
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ])
    expect(outcomes[4]).toMatchObject({ reason: { code: 'unavailable' } })
    expect(await rowsFound(indexes, userScope('ann'), { text: 'tea' })).toEqual([1])
  })

  it('rejects pending and new searches after it is closed', async () => {
    const feed = new MemoryFeed()
    feed.put('ann', version(1, { content: 'tea' }))
    const indexes = open(feed)
    const waiting = expect(rowsFound(indexes, userScope('ann'), { text: 'tea' })).rejects.toMatchObject({
      code: 'unavailable',
    })
    await indexes.close()
    await waiting
    await expect(indexes.refresh(userScope('ann'))).rejects.toMatchObject({ code: 'unavailable' })
  })
})
