import { describe, expect, it } from 'vitest'
import { userScope } from '../../core/scope.js'
import type { SearchQuery } from './search.js'
import { segmentVersions } from './segment-keeper.js'
import { damage, fill, keepSegments, MemorySegments, words } from './segments.fixture.js'
import { indexOpener, MemoryFeed, now, rowsFound, unitVector, version } from './user-index.fixture.js'
import type { UserIndexes } from './user-indexes.js'

const open = indexOpener()
const ann = userScope('ann')
const keep = (feed: MemoryFeed, segments: MemorySegments) => keepSegments(open(feed, { segments }))

const queries: Partial<SearchQuery>[] = [
  { text: 'tea in the garden' },
  { text: 'violin', includeFlagged: true, includeHistory: true },
  { vector: unitVector() },
  { vector: unitVector(), text: 'winter harbour and an unheard word', limit: 50 },
  { text: 'river', moment: { kind: 'asOf', at: 300 } },
  { text: 'river', moment: { kind: 'now', now: 2_010 } },
  { text: 'letter', vector: unitVector(), within: [{ from: 100, to: 140 }] },
  { text: 'letter', vector: unitVector(), onlyRows: [3, 50, 51, 400, 900, 12_345] },
]

/** Rows, scores and ranks, wherever the search looked. */
async function answers(indexes: UserIndexes) {
  const searches = queries.map((query) => indexes.search(ann, { ...now, ...query }))
  searches.push(
    indexes.search(userScope('ann', 'boat'), { ...now, text: 'letter', vector: queries[2]?.vector ?? null }),
  )
  const found = await Promise.all(searches)
  return found.map(({ hits, searched }) => ({ searched, hits: hits.map(rounded) }))
}

/** The sums of the same numbers in another order differ in the last digits. */
function rounded<T extends { readonly keyword: number | null }>(hit: T): T {
  return { ...hit, keyword: hit.keyword === null ? null : Number(hit.keyword.toFixed(9)) }
}

/** Indexes in memory, and indexes for which every user is too large. */
function both(feed: MemoryFeed, segments: MemorySegments) {
  return { memory: open(feed), storage: open(feed, { segments, mostVersionsInMemory: 0 }) }
}

describe('a search in the storage', () => {
  it('answers exactly like one in memory, from segments, from the gaps between them and from what is newer', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 1_500)
    await keep(feed, segments)
    expect(segments.of('ann').length).toBeGreaterThan(4)
    const { memory, storage } = both(feed, segments)
    expect(await answers(storage)).toEqual(await answers(memory))
    // Old versions in new segments or in none, a gap in the middle, and new ones.
    feed.put('ann', version(10, { content: 'violin violin', validTo: 20 }), version(700, { content: 'river tea' }))
    feed.remove('ann', 600, 1_400)
    fill(feed, 40)
    expect(await answers(storage)).toEqual(await answers(memory))
    // The gap has been filled meanwhile, and what changed is in another segment than before.
    fill(feed, 2 * segmentVersions)
    expect(await answers(storage)).toEqual(await answers(memory))
    await storage.kept()
    expect(await answers(storage)).toEqual(await answers(memory))
    expect(storage.stats()).toMatchObject({ users: 0, versions: 0, pending: 0 })
  })

  it('finds the ten nearest of all versions by their exact vectors', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    const vectors = Array.from({ length: 4_000 }, unitVector)
    feed.put('ann', ...vectors.map((vector, index) => version(index + 1, { vector })))
    await keep(feed, segments)
    const { storage } = both(feed, segments)
    let found = 0
    const asked = Array.from({ length: 30 }, unitVector)
    for (const vector of asked) {
      const product = (other: Float32Array) => other.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0)
      const exact = vectors
        .map((other, index) => ({ row: index + 1, cosine: product(other) }))
        .sort((a, b) => b.cosine - a.cosine)
        .slice(0, 10)
      // As many as a recall compares by their exact vectors.
      const rows = new Set(await rowsFound(storage, ann, { vector, limit: 40 }))
      found += exact.filter(({ row }) => rows.has(row)).length
    }
    expect(found / (10 * asked.length)).toBeGreaterThanOrEqual(0.97)
  })

  it('shows each write and each removal to the next search', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 600)
    await keep(feed, segments)
    const { storage } = both(feed, segments)
    feed.put('ann', version(5_000, { content: 'a xylophone' }))
    expect(await rowsFound(storage, ann, { text: 'xylophone' })).toEqual([5_000])
    feed.put('ann', version(300, { content: 'another xylophone' }))
    expect(await rowsFound(storage, ann, { text: 'xylophone' })).toEqual([300, 5_000])
    feed.remove('ann', 300)
    expect(await rowsFound(storage, ann, { text: 'xylophone' })).toEqual([5_000])
    expect(await rowsFound(storage, ann, { onlyRows: [300, 303], text: 'tea', vector: unitVector() })).toEqual([303])
  })

  it('finds a version that changes and is stored again while the search runs', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 40 * segmentVersions)
    await keep(feed, segments)
    const { storage } = both(feed, segments)
    await storage.refresh(ann)
    let pages = 0
    segments.afterRead = async () => {
      pages += 1
      if (pages !== 1) return
      // Its segment goes with another version, so it is in a gap, and no longer in that gap when the search gets there.
      feed.remove('ann', 11)
      feed.put('ann', version(10, { content: 'a xylophone' }))
    }
    expect(await rowsFound(storage, ann, { text: 'xylophone' })).toEqual([10])
    expect(pages).toBeGreaterThan(2)
  })

  it('leaves out a version that is replaced while the search runs', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 40 * segmentVersions)
    const newest = 40 * segmentVersions + 1_000
    feed.put('ann', version(newest, { content: 'a xylophone of oak' }))
    await keep(feed, segments)
    const { storage } = both(feed, segments)
    await storage.refresh(ann)
    let pages = 0
    segments.afterRead = async () => {
      pages += 1
      if (pages !== 3) return
      feed.put('ann', version(newest, { content: 'a xylophone of oak', validTo: 5 }))
      feed.put('ann', version(newest + 1, { content: 'a xylophone of ash' }))
    }
    expect(await rowsFound(storage, ann, { text: 'xylophone' })).toEqual([newest + 1])
    expect(pages).toBeGreaterThan(2)
  })

  it('reads rows instead of a damaged segment, says so, and replaces it', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 1_500)
    await keep(feed, segments)
    damage(segments)
    const failures: unknown[] = []
    const storage = open(feed, {
      ...{ segments, mostVersionsInMemory: 0 },
      segmentFailed: (error) => void failures.push(error),
    })
    expect(await answers(storage)).toEqual(await answers(open(feed)))
    expect(failures).toHaveLength(1)
    await storage.kept()
    expect(await answers(storage)).toEqual(await answers(open(feed)))
    expect(failures).toHaveLength(1)
  })

  it('reads rows instead of a damaged segment that cannot be removed', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 1_500)
    await keep(feed, segments)
    damage(segments)
    segments.dropSegments = async () => {
      throw new Error('the disk is full')
    }
    const storage = open(feed, { segments, mostVersionsInMemory: 0 })
    expect(await rowsFound(storage, ann, { text: 'absent' })).toEqual([])
    expect(await answers(storage)).toEqual(await answers(open(feed)))
  })

  it('leaks no row, score or count from one user to another', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 600)
    await keep(feed, segments)
    const { storage } = both(feed, segments)
    const alone = await answers(storage)
    fill(feed, 300, 'bob')
    const [ours, theirs] = await Promise.all([
      answers(storage),
      storage.search(userScope('bob'), { ...now, text: words.join(' '), includeHistory: true, includeFlagged: true }),
    ])
    expect(ours).toEqual(alone)
    expect(theirs.searched).toBe(300)
  })

  it('reads everything once for queries that are sent together', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 600)
    await keep(feed, segments)
    const { storage } = both(feed, segments)
    await storage.refresh(ann)
    segments.pages = 0
    await answers(storage)
    expect(segments.pages).toBe(1)
  })

  it('searches ahead like in memory', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 600)
    await keep(feed, segments)
    const { memory, storage } = both(feed, segments)
    const vector = unitVector()
    const ahead = { content: 'a xylophone', project: null, validFrom: 2, expiresAt: null, flagged: false, vector }
    const steps = [
      { project: undefined, queries: [{ ...now, vector }], added: [ahead] },
      {
        project: undefined,
        queries: [
          { ...now, vector },
          { ...now, vector: unitVector() },
        ],
        added: [],
      },
    ]
    const found = await storage.searchAhead(ann, steps)
    expect(found).toEqual(await memory.searchAhead(ann, steps))
    expect(found[1]?.[0]?.[0]).toMatchObject({ row: -1, denseRank: 1 })
    // Nobody else finds it.
    expect(await rowsFound(storage, ann, { text: 'xylophone' })).toEqual([])
  })

  it('rejects waiting searches when it is closed', async () => {
    const feed = new MemoryFeed()
    fill(feed, 100)
    const storage = open(feed, { segments: new MemorySegments(feed), mostVersionsInMemory: 0 })
    await storage.refresh(ann)
    const refused = expect(storage.search(ann, { ...now, text: 'tea' })).rejects.toThrow('stopping')
    await storage.close()
    await refused
  })
})

describe('where a user is searched', () => {
  const place = async (indexes: UserIndexes) => (await indexes.search(ann, { ...now, text: 'tea' })).searchedIn

  it('changes with the number of versions, and not for a few of them', async () => {
    const feed = new MemoryFeed()
    const indexes = open(feed, { segments: new MemorySegments(feed), mostVersionsInMemory: 100 })
    fill(feed, 100)
    expect(await place(indexes)).toBe('memory')
    expect(indexes.stats()).toMatchObject({ users: 1, versions: 100 })
    feed.put('ann', version(1_000))
    expect(await place(indexes)).toBe('storage')
    expect(indexes.stats()).toMatchObject({ users: 0, versions: 0, bytes: expect.any(Number) })
    feed.remove('ann', ...Array.from({ length: 20 }, (_, index) => index + 1))
    expect(await place(indexes)).toBe('storage')
    expect(await place(indexes)).toBe('storage')
    feed.remove('ann', 30, 31)
    // The search that sees it is still one in the storage.
    expect(await place(indexes)).toBe('storage')
    expect(await place(indexes)).toBe('memory')
    feed.put('ann', version(1_001), version(1_002), version(1_003))
    expect(await place(indexes)).toBe('memory')
  })

  it('is known before anything is loaded, and does not affect others', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 600)
    await keep(feed, segments)
    const indexes = open(feed, { segments, mostVersionsInMemory: 500 })
    feed.put('bob', version(1, { content: 'tea' }))
    await indexes.search(userScope('bob'), { ...now, text: 'tea' })
    feed.calls = 0
    expect(await indexes.refresh(ann)).toMatchObject({ searchedIn: 'storage' })
    expect(feed.calls).toBe(0)
    expect(indexes.stats()).toMatchObject({ users: 1, versions: 1 })
  })
})
