import { describe, expect, it } from 'vitest'
import { checksumOf } from '../core/memory.js'
import { userScope } from '../core/scope.js'
import type { ConnectedVersion, HydratedVersion, IndexFeed } from '../storage/ports/index-feed.js'
import type { SearchHit, SearchQuery } from './index/search.js'
import type { UserIndexes } from './index/user-indexes.js'
import type { AskedQuery } from './query/asked-query.js'
import { findLeads } from './query/leads.js'
import { defaultFusion, type FusionWeights } from './rank/fuse.js'
import { candidateWith } from './rank/ranked.fixture.js'
import { rerankDepth } from './rank/rerank.js'
import { retrieve } from './retrieve.js'

const scope = userScope('ana')
const now = Date.UTC(2024, 4, 15)
const { weights } = defaultFusion

/** A store and an index with the contents of a test, which record their calls. */
class Shelf {
  readonly searches: SearchQuery[] = []
  readonly hydrated: number[][] = []
  readonly connectedKeys: string[][] = []
  hits: SearchHit[] = []
  hitsWithin: SearchHit[] = []
  /** Rows that are found ahead by keywords. */
  ahead: number[] = []
  connected: ConnectedVersion[] = []
  versions: HydratedVersion[] = []
  private isAhead = false

  put(row: number, content: string, fields: Partial<SearchHit> & { id?: string } = {}): this {
    const { id = `mem_${row}`, ...hit } = fields
    const saidAt = hit.saidAt ?? 0
    const checksum = checksumOf(content)
    const { memory } = candidateWith({ id, content, checksum, createdAt: saidAt }, {})
    this.versions.push({ row, memory, vector: null, modelId: 'fake' })
    this.hits.push({ row, saidAt, cosine: null, keyword: 0.3, denseRank: null, keywordRank: row, ...hit })
    return this
  }

  async ask(query: Partial<AskedQuery> & { wanted?: number; weights?: FusionWeights }) {
    const { wanted = 10, weights: chosen = weights, ...rest } = query
    const asked: AskedQuery = {
      text: 'tea',
      asked: rest.text ?? 'tea',
      hybrid: true,
      moment: { kind: 'now', now },
      includeHistory: false,
      includeFlagged: false,
      filter: undefined,
      former: null,
      ...rest,
    }
    this.isAhead = true
    const leads = await findLeads(this.deps, scope, asked, chosen)
    this.isAhead = false
    return { leads, ...(await retrieve(this.deps, scope, { ...asked, vector: null, wanted }, leads, chosen)) }
  }

  private get deps(): { storage: IndexFeed; indexes: UserIndexes } {
    const storage: IndexFeed = {
      changes: async () => ({ mark: { revision: 0, row: 0 }, more: false, changed: [], removedRows: [] }),
      hydrate: async (_, rows) => {
        this.hydrated.push([...rows])
        return this.versions.filter(({ row }) => rows.includes(row))
      },
      matching: async () => [],
      connected: async (_, keys) => {
        this.connectedKeys.push([...keys])
        return this.connected
      },
    }
    const indexes: UserIndexes = {
      searchAhead: () => Promise.reject(new Error('a recall searches nothing ahead')),
      search: async (_, query) => {
        if (query.limit === 40 && this.isAhead) {
          const found = this.hits.filter(({ row }) => this.ahead.includes(row))
          return { hits: found, searched: found.length, searchedIn: 'memory' }
        }
        this.searches.push(query)
        const hits = query.within ? this.hitsWithin : this.hits
        return { hits: hits.slice(0, query.limit * 2), searched: hits.length, searchedIn: 'memory' }
      },
      refresh: async (scope) => ({ scope, searchedIn: 'memory' }),
      stats: () => ({ users: 0, versions: 0, bytes: 0, pending: 0 }),
      kept: async () => undefined,
      close: async () => undefined,
    }
    return { storage, indexes }
  }
}

describe('retrieve', () => {
  it('also searches the time that the question mentions, and merges the hits', async () => {
    const shelf = new Shelf().put(1, 'tea').put(2, 'more tea')
    shelf.hitsWithin = shelf.hits.splice(1)
    const { candidates } = await shelf.ask({ text: 'Where was tea in May 2023?' })
    expect(shelf.searches.map(({ within }) => within?.length ?? 0).sort()).toEqual([0, 1])
    const [span] = shelf.searches.find(({ within }) => within)?.within ?? []
    expect(span?.from).toBeLessThan(Date.UTC(2023, 4, 1))
    expect(span?.to).toBeGreaterThan(Date.UTC(2023, 5, 1))
    // A rank among hits from that time is not a rank among all hits.
    const rankOf = (wanted: number) => candidates.find(({ row }) => row === wanted)?.signals.keyword?.rank
    expect([rankOf(1), rankOf(2)]).toEqual([1, null])
  })

  it('searches once if the question mentions no time, an open span, or the time signal has no weight', async () => {
    for (const [text, chosen] of [
      ['Where was tea?', weights],
      ['Where was tea since 2020?', weights],
      ['Where was tea in May 2023?', { ...weights, time: 0 }],
    ] as const) {
      const shelf = new Shelf().put(1, 'tea')
      await shelf.ask({ text, weights: chosen })
      expect(shelf.searches).toHaveLength(1)
    }
  })

  it.each([
    [1, 60],
    [20, 60],
    [30, 80],
  ])(
    'wanting %i it looks at the best %i: as many for every usual limit, so that the order does not move',
    async (wanted, looked) => {
      const shelf = new Shelf()
      for (let row = 1; row <= 80; row++) shelf.put(row, `tea ${row}`, { keyword: row / 100, saidAt: row * 1e10 })
      await shelf.ask({ wanted })
      expect(shelf.hydrated[0]).toEqual(Array.from({ length: looked }, (_, index) => 80 - index))
    },
  )

  it('returns as many candidates as a reranker reads, however few are wanted', async () => {
    const shelf = new Shelf()
    for (let row = 1; row <= 80; row++) shelf.put(row * 10, `tea ${row}`, { saidAt: row * 1e10 })
    const { candidates } = await shelf.ask({ wanted: 1 })
    expect(candidates.length).toBeGreaterThanOrEqual(rerankDepth)
  })

  it('reads an answer that follows a good question, even if it has little in common with the query', async () => {
    const shelf = new Shelf()
    for (let row = 1; row <= 40; row++) shelf.put(row * 10, `tea ${row}`, { keyword: 0.05, saidAt: row * 1e10 })
    shelf.put(999, 'Ben: Which tea is best?', { keyword: 0.9 })
    shelf.put(1000, 'Ana: Oolong.', { keyword: 0 })
    const { candidates } = await shelf.ask({ wanted: 5 })
    expect(candidates.find(({ row }) => row === 1000)?.signals.reply?.score).toBeGreaterThan(0.5)
  })

  it('does not read again what was read ahead, and finds the same', async () => {
    const shelf = new Shelf().put(1, 'tea').put(2, 'green tea').put(3, 'black tea')
    const without = await shelf.ask({})
    shelf.hydrated.length = 0
    shelf.ahead = [2, 3]
    expect(await shelf.ask({})).toMatchObject({ candidates: without.candidates })
    expect(shelf.hydrated).toEqual([[2, 3], [1]])
    shelf.hydrated.length = 0
    shelf.ahead = [1, 2, 3]
    expect(await shelf.ask({})).toMatchObject({ candidates: without.candidates })
    expect(shelf.hydrated).toEqual([[1, 2, 3]])
  })

  it('reads nothing ahead for a purely semantic query or with a filter', async () => {
    const shelf = new Shelf().put(1, 'tea')
    shelf.ahead = [1]
    for (const query of [{ hybrid: false }, { filter: { entity: 'Ana' } }, { weights: { ...weights, keyword: 0 } }]) {
      expect((await shelf.ask(query)).leads.readAhead.size).toBe(0)
    }
    expect((await shelf.ask({})).leads.readAhead.size).toBe(1)
  })

  it('omits versions that were deleted since the search', async () => {
    const shelf = new Shelf().put(1, 'tea').put(2, 'gone')
    shelf.versions.pop()
    const { candidates } = await shelf.ask({})
    expect(candidates.map(({ row }) => row)).toEqual([1])
  })

  it('returns one version per memory', async () => {
    const shelf = new Shelf().put(1, 'old tea', { id: 'mem_a' }).put(2, 'new tea', { id: 'mem_a' })
    expect((await shelf.ask({ includeHistory: true })).candidates).toHaveLength(1)
  })

  it('returns nothing and searches nothing if the filter matches nothing', async () => {
    const shelf = new Shelf().put(1, 'tea')
    const { candidates } = await shelf.ask({ filter: { entity: 'nobody' } })
    expect(candidates).toEqual([])
    expect(shelf.searches).toEqual([])
  })
})

describe('findLeads', () => {
  it('takes the time of an event from the memory with most of its words', async () => {
    const saidAt = Date.UTC(2023, 1, 1)
    const shelf = new Shelf().put(1, 'We moved', { keyword: 0.5, saidAt })
    const before = await shelf.ask({ text: 'Where was tea before we moved?' })
    expect(shelf.searches[0]).toMatchObject({ text: 'we moved', vector: null })
    expect(before.leads.spans).toEqual([{ from: -Infinity, to: expect.any(Number) }])
    const after = await shelf.ask({ text: 'Where was tea after we moved?' })
    expect(after.leads.spans).toEqual([{ from: expect.any(Number), to: Infinity }])
    for (const { from, to } of [...(before.leads.spans ?? []), ...(after.leads.spans ?? [])]) {
      // The day of the event belongs to both sides.
      expect(saidAt >= from && saidAt < to).toBe(true)
    }
  })

  it('has no time for an event that no memory mentions', async () => {
    const shelf = new Shelf().put(1, 'Something else', { keyword: 0.1 })
    expect((await shelf.ask({ text: 'Where was tea before we moved?' })).leads.spans).toBeNull()
    expect((await new Shelf().ask({ text: 'Where was tea before we moved?' })).leads.spans).toBeNull()
  })

  it('weighs an entity less the more memories mention it', async () => {
    const shelf = new Shelf().put(1, 'tea')
    const scoreAmong = async (count: number) => {
      shelf.connected = Array.from({ length: count }, (_, index) => ({ row: index + 1, hops: 0 }))
      return (await shelf.ask({})).leads.graphByRow.get(1) ?? 0
    }
    expect(await scoreAmong(10)).toBe(1)
    expect(await scoreAmong(20)).toBeCloseTo(0.25, 9)
    shelf.connected = [{ row: 1, hops: 1 }]
    expect((await shelf.ask({})).leads.graphByRow.get(1)).toBe(0.5)
  })

  it('looks for names inside text without spaces', async () => {
    const shelf = new Shelf().put(1, 'tea')
    await shelf.ask({ text: '林若溪和周牧野谁更高？' })
    const [keys = []] = shelf.connectedKeys
    expect(keys).toEqual(expect.arrayContaining(['林若溪', '周牧野']))
    await shelf.ask({ text: '林'.repeat(900) })
    expect(shelf.connectedKeys[1]?.length).toBeLessThan(500)
  })

  it('does not ask the store for entities if they have no weight', async () => {
    const shelf = new Shelf().put(1, 'tea')
    await shelf.ask({ weights: { ...weights, graph: 0 } })
    await shelf.ask({ hybrid: false })
    expect(shelf.connectedKeys).toEqual([])
    await shelf.ask({})
    expect(shelf.connectedKeys).toEqual([['tea']])
  })
})
