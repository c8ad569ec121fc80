import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { userScope } from '../../core/scope.js'
import type { SearchQuery } from './search.js'
import { MemorySegments } from './segments.fixture.js'
import {
  dimensions,
  indexOpener,
  MemoryFeed,
  modelId,
  nextRow,
  now,
  random,
  rowsFound,
  unitVector,
  version,
} from './user-index.fixture.js'
import { expectLikeReference } from './user-index.reference.js'

const openIn = indexOpener()

const time = fc.integer({ min: 0, max: 20 })
const words = fc.array(fc.constantFrom('tea', 'milk', 'teas', 'the', 'naïve', '東京', 'rum', 'unheard'), {
  maxLength: 6,
})
const fieldsOf = {
  project: fc.constantFrom(null, null, 'alpha', 'beta'),
  validFrom: time,
  validTo: fc.option(time),
  expiresAt: fc.option(time),
  flagged: fc.boolean(),
  modelId: fc.constantFrom(modelId, modelId, modelId, 'older'),
}
const text = words.map((list) => list.join(' '))
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('put'),
      pick: fc.constant(0),
      versions: fc.array(fc.record({ ...fieldsOf, content: text }), { maxLength: 20 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('change'),
      pick: fc.double({ min: 0, max: 0.99, noNaN: true }),
      fields: fc.record(fieldsOf),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('remove'), pick: fc.double({ min: 0, max: 0.99, noNaN: true }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('search'),
      pick: fc.constant(0),
      dense: fc.boolean(),
      only: fc.boolean(),
      within: fc.option(fc.array(fc.record({ from: time, to: time }), { maxLength: 2 }), { nil: undefined }),
      project: fc.constantFrom(undefined, 'alpha', 'gamma'),
      query: fc.record({
        text: fc.option(text),
        moment: fc.oneof(
          fc.record({ kind: fc.constant('now'), now: time }),
          fc.record({ kind: fc.constant('asOf'), at: time }),
        ),
        includeHistory: fc.boolean(),
        includeFlagged: fc.boolean(),
        limit: fc.constantFrom(1, 3, 10, 100),
      }),
    }),
  },
)

// The same in memory, and as a user who is too large for it.
describe.each(['memory', 'storage'] as const)('search in %s', (place) => {
  const open: typeof openIn = (feed, options) => {
    if (place === 'memory' || !(feed instanceof MemoryFeed)) return openIn(feed, options)
    return openIn(feed, { segments: new MemorySegments(feed), mostVersionsInMemory: 0, ...options })
  }

  it('finds what a scan of every version finds, with the same scores', async () => {
    // Slices of 7 versions, so that loads and updates take several slices.
    const feed = new MemoryFeed(7)
    const indexes = open(feed)
    let user = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }), async (steps) => {
        user += 1
        const userId = `user-${user}`
        for (const next of steps) {
          const known = [...feed.log(userId).versions.values()].map((entry) => entry.version)
          const chosen = known[Math.floor(next.pick * known.length)]
          if (next.kind === 'put')
            feed.put(userId, ...next.versions.map((fields) => version(nextRow(feed, userId), fields)))
          else if (next.kind === 'change' && chosen) feed.put(userId, { ...chosen, ...next.fields })
          else if (next.kind === 'remove' && chosen) feed.remove(userId, chosen.row)
          else if (next.kind === 'search') {
            const scope = userScope(userId, next.project)
            const onlyRows = next.only ? known.filter(() => random() < 0.5).map(({ row }) => row) : undefined
            const query = {
              ...next.query,
              ...(onlyRows ? { onlyRows } : {}),
              ...(next.within ? { within: next.within } : {}),
              vector: next.dense ? unitVector() : null,
            }
            expectLikeReference(known, scope, query, await indexes.search(scope, query))
          }
        }
      }),
      { numRuns: 80 },
    )
  })

  it('compares times to the millisecond', async () => {
    const feed = new MemoryFeed()
    const indexes = open(feed)
    feed.put('ann', version(1, { validFrom: 100, validTo: 200, expiresAt: 300, content: 'tea' }))
    feed.put('ann', version(2, { validFrom: 200, expiresAt: 300, content: 'tea' }))
    const at = (moment: SearchQuery['moment'], includeHistory = false) =>
      rowsFound(indexes, userScope('ann'), { text: 'tea', moment, includeHistory })
    for (const [time, rows] of [
      // Even if the clock was set back: the current version is the one that nothing replaced.
      [99, [2]],
      [200, [2]],
      [299, [2]],
      [300, []],
    ] as const) {
      expect(await at({ kind: 'now', now: time }), `now ${time}`).toEqual(rows)
    }
    for (const [time, rows] of [
      [100, []],
      [101, [1]],
      [199, [1]],
      [200, [1]],
      [201, [2]],
      [299, [2]],
      [300, []],
    ] as const) {
      expect(await at({ kind: 'asOf', at: time }), `as of ${time}`).toEqual(rows)
    }
    expect(await at({ kind: 'now', now: 250 }, true)).toEqual([1, 2])
    expect(await at({ kind: 'now', now: 300 }, true)).toEqual([])
  })

  it('gives every hit its scores by meaning and by keywords, whichever found it', async () => {
    const feed = new MemoryFeed()
    const vector = unitVector()
    feed.put('ann', version(1, { vector, content: 'unrelated words' }))
    feed.put('ann', version(2, { vector: vector.map((component) => -component), content: 'green tea' }))
    const { hits } = await open(feed).search(userScope('ann'), { ...now, vector, text: 'tea', limit: 1 })
    expect(hits).toHaveLength(2)
    expect(hits[0]).toMatchObject({ row: 1, keyword: 0, denseRank: 1, keywordRank: null })
    expect(hits[0]?.cosine).toBeCloseTo(1, 1)
    expect(hits[1]).toMatchObject({ row: 2, denseRank: null, keywordRank: 1 })
    expect(hits[1]?.cosine).toBeCloseTo(-1, 1)
    expect(hits[1]?.keyword).toBeGreaterThan(0.2)
  })

  it('prefers the newer of equal hits', async () => {
    const feed = new MemoryFeed()
    const vector = unitVector()
    for (const row of [3, 1, 5, 2, 4]) feed.put('ann', version(row, { vector, content: 'tea' }))
    const indexes = open(feed)
    for (const query of [{ vector }, { text: 'tea' }]) {
      const { hits } = await indexes.search(userScope('ann'), { ...now, ...query, limit: 2 })
      expect(hits.map((hit) => hit.row)).toEqual([5, 4])
    }
  })

  it('accepts an allow list with repeated, unknown and removed rows', async () => {
    const feed = new MemoryFeed()
    const indexes = open(feed)
    feed.put('ann', ...[1, 2, 3, 4].map((row) => version(row, { content: 'tea' })))
    feed.remove('ann', 3)
    const onlyRows = [2, 2, 3, 99, 4, 2]
    const { hits, searched } = await indexes.search(userScope('ann'), { ...now, text: 'tea', onlyRows })
    expect(hits.map((hit) => hit.row)).toEqual([4, 2])
    expect(searched).toBe(2)
    expect(await rowsFound(indexes, userScope('ann'), { text: 'tea', onlyRows: [] })).toEqual([])
  })

  it('finds a version by its new text after a change', async () => {
    const feed = new MemoryFeed()
    const indexes = open(feed)
    for (const content of ['green tea', 'red wine']) {
      feed.put('ann', version(1, { content }))
      const found = (text: string) => rowsFound(indexes, userScope('ann'), { text })
      expect(await found(content)).toEqual([1])
      if (content === 'red wine') expect(await found('tea')).toEqual([])
    }
    expect(indexes.stats().versions).toBe(place === 'memory' ? 1 : 0)
  })

  it('scores the same words by the current memories of their own user, however often they are searched', async () => {
    const feed = new MemoryFeed()
    const indexes = open(feed)
    const scores = async (user: string) => {
      const { hits } = await indexes.search(userScope(user), { ...now, text: 'tea' })
      return hits.map(({ row, keyword }) => [row, keyword])
    }
    feed.put('ann', version(1, { content: 'tea' }), version(2, { content: 'tea and cake and much more of it' }))
    feed.put('ben', version(3, { content: 'a cup of tea' }))
    const [ann, ben] = [await scores('ann'), await scores('ben')]
    expect(ann).toHaveLength(2)
    expect([await scores('ann'), await scores('ann'), await scores('ben'), await scores('ann')]).toEqual([
      ann,
      ann,
      ben,
      ann,
    ])
    feed.put('ann', version(4, { content: 'no such drink' }))
    const later = await scores('ann')
    expect(later.map(([row]) => row)).toEqual(ann.map(([row]) => row))
    expect(later).not.toEqual(ann)
    feed.remove('ann', 1)
    expect((await scores('ann')).map(([row]) => row)).toEqual([2])
  })

  it('ranks the same words again if more hits are wanted, a filter is set or something has expired', async () => {
    const feed = new MemoryFeed()
    const indexes = open(feed)
    const versions = Array.from({ length: 8 }, (_, row) => {
      const fields = { flagged: row === 5, expiresAt: row === 6 ? 50 : null, project: row % 2 === 0 ? 'alpha' : null }
      return version(row + 1, { ...fields, content: `tea ${'milk '.repeat(row)}`, validFrom: row })
    })
    feed.put('ann', ...versions)
    const usual = { ...now, moment: { kind: 'now', now: 10 }, text: 'tea milk', limit: 3 } as const
    const asked: SearchQuery[] = [
      usual,
      { ...usual, limit: 6 },
      { ...usual, includeFlagged: true },
      { ...usual, moment: { kind: 'now', now: 60 } },
      { ...usual, within: [{ from: 1, to: 4 }] },
      { ...usual, vector: unitVector() },
    ]
    for (const query of [...asked, ...asked.reverse()]) {
      for (const scope of [userScope('ann'), userScope('ann', 'alpha')]) {
        expectLikeReference(versions, scope, query, await indexes.search(scope, query))
      }
    }
  })

  it('ranks versions of another model by keywords only, and by meaning once they are re-embedded', async () => {
    const feed = new MemoryFeed()
    const indexes = open(feed)
    const vector = unitVector()
    feed.put('ann', version(1, { vector, modelId: 'older', content: 'green tea' }))
    const other = { ...version(2, { modelId: 'wide', content: 'tea' }), quantized: new Int8Array(999) }
    feed.put('ann', other)
    const search = () => indexes.search(userScope('ann'), { ...now, vector, text: 'tea' })
    for (const hit of (await search()).hits) expect(hit).toMatchObject({ cosine: null, denseRank: null })
    feed.put('ann', version(1, { vector, content: 'green tea' }))
    expect((await search()).hits.find((hit) => hit.row === 1)).toMatchObject({ denseRank: 1 })
  })

  it('returns no hits for an unknown user, empty text and text without a word', async () => {
    const feed = new MemoryFeed()
    const indexes = open(feed)
    expect(await indexes.search(userScope('nobody'), { ...now, text: 'tea' })).toMatchObject({ hits: [], searched: 0 })
    expect(indexes.stats()).toMatchObject({ users: 0, versions: 0, pending: 0 })
    feed.put('ann', version(1))
    for (const text of ['', '   ', '?!', '🎉']) {
      expect(await indexes.search(userScope('ann'), { ...now, text })).toMatchObject({ hits: [], searched: 1 })
      const { hits } = await indexes.search(userScope('ann'), { ...now, text, vector: unitVector() })
      expect(hits).toMatchObject([{ row: 1, keyword: null, denseRank: 1 }])
    }
  })

  it('finds text in any script, and rows wider than 32 bits', async () => {
    const feed = new MemoryFeed()
    const indexes = open(feed)
    const wide = 5 * 2 ** 32
    const contents = ['Sie wohnt in München', '彼女は東京に住んでいる', 'Она живёт в Москве', '그녀는 서울에 산다']
    feed.put('ann', ...contents.map((content, index) => version(wide + index, { content })))
    for (const [index, text] of ['munchen', '東京', 'МОСКВЕ', '서울'].entries()) {
      expect(await rowsFound(indexes, userScope('ann'), { text })).toEqual([wide + index])
    }
  })

  it('refuses a query vector of another length or with NaN', async () => {
    const indexes = open(new MemoryFeed())
    for (const vector of [new Float32Array(3), new Float32Array(dimensions).fill(Number.NaN)]) {
      await expect(indexes.search(userScope('ann'), { ...now, vector })).rejects.toThrow(RangeError)
    }
  })

  it('finds the nearest versions among 10,000', async () => {
    const feed = new MemoryFeed()
    const versions = Array.from({ length: 10_000 }, (_, row) => version(row + 1, { content: `note number${row + 1}` }))
    feed.put('ann', ...versions)
    const indexes = open(feed)
    const vector = unitVector()
    const query = { ...now, vector, text: 'number4321' }
    expectLikeReference(versions, userScope('ann'), query, await indexes.search(userScope('ann'), query))
    expect(indexes.stats()).toMatchObject(
      place === 'memory' ? { users: 1, versions: 10_000 } : { users: 0, versions: 0 },
    )
    feed.remove('ann', ...versions.slice(0, 6_000).map(({ row }) => row))
    expectLikeReference(versions.slice(6_000), userScope('ann'), query, await indexes.search(userScope('ann'), query))
    feed.remove('ann', ...versions.map(({ row }) => row))
    expect(await indexes.search(userScope('ann'), query)).toMatchObject({ hits: [], searched: 0 })
    expect(indexes.stats()).toMatchObject({ users: 0, versions: 0 })
  })
})
