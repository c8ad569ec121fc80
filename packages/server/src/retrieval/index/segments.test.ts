import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { userScope } from '../../core/scope.js'
import { readSegment, segmentFormat, segmentKind } from './index-segment.js'
import type { SearchQuery } from './search.js'
import { segmentVersions } from './segment-keeper.js'
import { damage, fill, keepSegments, MemorySegments, sentence, words } from './segments.fixture.js'
import { indexOpener, MemoryFeed, modelId, nextRow, now, random, unitVector, version } from './user-index.fixture.js'
import type { UserIndexes } from './user-indexes.js'

const open = indexOpener()
const ann = userScope('ann')
const keep = (feed: MemoryFeed, segments: MemorySegments) => keepSegments(open(feed, { segments }))

const queries: Partial<SearchQuery>[] = [
  { text: 'tea in the garden' },
  { text: 'violin', includeFlagged: true, includeHistory: true },
  { vector: unitVector() },
  { vector: unitVector(), text: 'winter harbour', limit: 50 },
  { text: 'river', moment: { kind: 'asOf', at: 300 } },
  { text: 'river', moment: { kind: 'now', now: 2_010 } },
]

/** Everything that a search returns: rows, scores and ranks. */
async function answers(indexes: UserIndexes) {
  const found = []
  for (const query of queries) found.push(await indexes.search(ann, { ...now, ...query }))
  found.push(await indexes.search(userScope('ann', 'boat'), { ...now, text: 'letter' }))
  return found
}

/** Loaded from segments and from rows, the index must answer alike. */
async function expectSameAnswers(feed: MemoryFeed, segments: MemorySegments): Promise<void> {
  const failures: unknown[] = []
  const loaded = open(feed, { segments, segmentFailed: (error) => failures.push(error) })
  expect(await answers(loaded)).toEqual(await answers(open(feed)))
  await loaded.kept()
  expect(failures).toEqual([])
}

describe('an index from stored segments', () => {
  it('answers every search exactly like one from rows', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 3 * segmentVersions + 40)
    await keep(feed, segments)
    expect(segments.of('ann').map(({ rows }) => rows.length)).toEqual([256, 256, 256])
    const calls: number[] = []
    const watched = {
      changes: async (...asked: Parameters<MemoryFeed['changes']>) => {
        const slice = await feed.changes(...asked)
        calls.push(slice.changed.length)
        return slice
      },
    }
    const loaded = open(watched, { segments })
    expect(await answers(loaded)).toEqual(await answers(open(feed)))
    // Only what is in no segment came from rows.
    expect(calls[0]).toBe(40)
    expect(Math.max(...calls.slice(1))).toBe(0)
  })

  it('answers alike after versions changed, were removed and were added', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    for (let round = 0; round < 4; round++) {
      fill(feed, segmentVersions + 30)
      const rows = [...feed.log('ann').versions.keys()]
      for (let n = 0; n < 60; n++) {
        const row = rows[Math.floor(random() * rows.length)] ?? 1
        const before = feed.log('ann').versions.get(row)?.version
        if (before && n % 6 > 0) feed.put('ann', { ...before, validTo: n % 2 === 0 ? 800 : null, flagged: n % 3 === 0 })
        else if (round % 2 === 1) feed.remove('ann', row)
      }
      await keep(feed, segments)
      await expectSameAnswers(feed, segments)
    }
  })

  it('fills the gap that an erasure leaves, and stores it again', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 3 * segmentVersions)
    await keep(feed, segments)
    feed.remove('ann', segments.of('ann')[1]?.rows[5] ?? 0)
    await expectSameAnswers(feed, segments)
    expect(segments.of('ann').map(({ rows }) => rows.length)).toEqual([256, 255, 256])
    await expectSameAnswers(feed, segments)
  })

  it('reads rows instead of a damaged segment, says so, and replaces it', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 4 * segmentVersions)
    await keep(feed, segments)
    damage(segments)
    const failures: unknown[] = []
    const indexes = open(feed, { segments, segmentFailed: (error) => failures.push(error) })
    expect(await answers(indexes)).toEqual(await answers(open(feed)))
    expect(failures).toHaveLength(1)
    await indexes.kept()
    expect(segments.of('ann')).toHaveLength(4)
    await expectSameAnswers(feed, segments)
  })

  it('ignores segments of another model', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 2 * segmentVersions)
    await keep(feed, segments)
    const indexes = open(feed, { segments, modelId: 'another-model' })
    await expect(indexes.search(ann, { ...now, vector: unitVector() })).resolves.toMatchObject({ hits: [] })
    const byWords = await indexes.search(ann, { ...now, text: 'tea' })
    expect(byWords.hits.length).toBeGreaterThan(0)
    expect(byWords.hits.every(({ cosine }) => cosine === null)).toBe(true)
  })

  it('ignores segments from after the revision that loading began with', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    // More than are read at once, so that there are two pages.
    fill(feed, 33 * segmentVersions)
    await keep(feed, segments)
    const erased = segments.of('ann')[0]?.rows[0] ?? 0
    const indexes = open(feed, { segments })
    segments.afterRead = async () => {
      segments.afterRead = async () => undefined
      // Between the pages, another instance erases a version of the first page, and stores what comes after that.
      feed.remove('ann', erased)
      fill(feed, 2 * segmentVersions)
      await keep(feed, segments)
    }
    expect(await answers(indexes)).toEqual(await answers(open(feed)))
    const all = { ...now, text: words.join(' '), includeHistory: true, includeFlagged: true, limit: 20_000 }
    const { hits } = await indexes.search(ann, all)
    expect(hits.length).toBeGreaterThan(8_000)
    expect(hits.some(({ row }) => row === erased)).toBe(false)
  })

  it('starts over if the store went back to before its segments', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 2 * segmentVersions)
    await keep(feed, segments)
    // As after restoring only the memories from a backup.
    for (const segment of segments.of('ann')) Object.assign(segment.to, { revision: segment.to.revision + 100 })
    await expectSameAnswers(feed, segments)
  })

  it('serves a search that begins while another loads the index, with the changes in between', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 2 * segmentVersions)
    await keep(feed, segments)
    const indexes = open(feed, { segments })
    const first = indexes.search(ann, { ...now, text: 'tea' })
    feed.put('ann', version(nextRow(feed, 'ann'), { content: 'zebra' }))
    const second = await indexes.search(ann, { ...now, text: 'zebra' })
    expect(second.hits.map(({ keywordRank }) => keywordRank)).toEqual([1])
    expect((await first).hits.length).toBeGreaterThan(0)
  })
})

describe('storing segments', () => {
  it('stores once for two instances', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 4 * segmentVersions)
    await Promise.all([keep(feed, segments), keep(feed, segments)])
    await keep(feed, segments)
    expect(segments.of('ann').map(({ rows }) => rows.length)).toEqual([256, 256, 256, 256])
    await expectSameAnswers(feed, segments)
  })

  it('stores nothing of a version that is erased meanwhile, and continues later', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 2 * segmentVersions)
    const indexes = open(feed, { segments })
    segments.beforeSave = async () => {
      segments.beforeSave = async () => undefined
      feed.remove('ann', 3)
    }
    await indexes.refresh(ann)
    await indexes.kept()
    expect(segments.of('ann')).toEqual([])
    await keep(feed, segments)
    expect(segments.of('ann').flatMap(({ rows }) => rows)).not.toContain(3)
    await expectSameAnswers(feed, segments)
  })

  it('keeps answering if storing fails, and says so', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 2 * segmentVersions)
    segments.beforeSave = () => Promise.reject(new Error('the disk is full'))
    const failures: unknown[] = []
    const indexes = open(feed, { segments, segmentFailed: (error) => failures.push(error) })
    await indexes.refresh(ann)
    await indexes.kept()
    expect(failures).toEqual([new Error('the disk is full')])
    expect(await answers(indexes)).toEqual(await answers(open(feed)))
  })

  it('replaces everything once most of it is outdated', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, 2 * segmentVersions)
    for (let round = 0; round < 4; round++) {
      await keep(feed, segments)
      feed.put('ann', ...[...feed.log('ann').versions.values()].map(({ version: each }) => each))
    }
    await keep(feed, segments)
    const stored = segments.of('ann').reduce((sum, { rows }) => sum + rows.length, 0)
    expect(stored).toBeLessThanOrEqual(5 * segmentVersions)
    await expectSameAnswers(feed, segments)
  })

  it('stores few long texts, in small segments, and short tails not at all', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    for (let n = 1; n <= 50; n++) feed.put('ann', version(n, { content: `${sentence()} `.repeat(250) }))
    await keep(feed, segments)
    expect(segments.of('ann').length).toBeGreaterThan(2)
    expect(segments.of('ann').flatMap(({ rows }) => rows)).toHaveLength(50)
    fill(feed, 30)
    await keep(feed, segments)
    expect(segments.of('ann').flatMap(({ rows }) => rows)).toHaveLength(50)
    await expectSameAnswers(feed, segments)
  })
})

describe('the bytes of a segment', () => {
  it('are refused if any of them is changed, missing or added', async () => {
    const feed = new MemoryFeed()
    const segments = new MemorySegments(feed)
    fill(feed, segmentVersions)
    await keep(feed, segments)
    const [segment] = segments.of('ann')
    if (!segment) throw new Error('nothing was stored')
    const { bytes, seed } = segment
    const kind = segmentKind(modelId)
    expect(readSegment(bytes, seed, kind)?.count).toBe(segmentVersions)
    expect(readSegment(bytes, seed + 1, kind)).toBeUndefined()
    expect(readSegment(bytes, seed, { ...kind, format: 0 })).toBeUndefined()
    expect(readSegment(bytes, seed, segmentKind('another'))).toBeUndefined()
    for (let n = 0; n < 500; n++) {
      const changed = bytes.slice()
      const place = n < 64 ? n : Math.floor(random() * bytes.length)
      changed[place] = (changed[place] ?? 0) ^ (1 << Math.floor(random() * 8))
      // The last numbers of the header are empty, but are part of the sum.
      expect(readSegment(changed, seed, kind), `byte ${place}`).toBeUndefined()
    }
    for (const length of [0, 7, 63, 64, bytes.length - 8])
      expect(readSegment(bytes.slice(0, length), seed, kind)).toBeUndefined()
    expect(readSegment(Uint8Array.from([...bytes, ...new Uint8Array(8)]), seed, kind)).toBeUndefined()
  })

  it('get another format whenever texts become other words, or vectors other codes', async () => {
    // If this fails, raise `segmentFormat` unless words and codes are the same as before, and update the number below.
    const sources = [
      'tokenize.ts',
      'dense-codes.ts',
      '../../language/words/stem.ts',
      '../../language/words/script-stem.ts',
    ]
    const hash = createHash('sha256').update(String(segmentFormat))
    for (const source of [...sources, '../../language/words/foreign-words.ts']) {
      hash.update(await readFile(new URL(source, import.meta.url)))
    }
    expect(hash.digest('hex').slice(0, 12)).toBe('04ab1dde61c2')
  })
})
