import { describe, expect, it } from 'vitest'
import type { BareMemory } from '../../core/memory.js'
import type { Weighed } from '../../retrieval/rank/candidate.js'
import type { Contested } from '../../storage/ports/memory-reads.js'
import type { Deps } from '../deps.js'
import { currentFirst, inOrder } from './current-first.js'

/** The order needs ids and scores only. */
const weighed = (scores: Record<string, number>): Weighed[] =>
  Object.entries(scores).map(([id, score]) => ({ memory: { id } as BareMemory, score }) as Weighed)
const order = (scores: Record<string, number>, ...contested: Contested[]) =>
  Object.fromEntries(inOrder(weighed(scores), contested).map(({ memory, score }) => [memory.id, score]))
const ids = (scores: Record<string, number>, ...contested: Contested[]) => Object.keys(order(scores, ...contested))
const contest = (oldId: string, newId: string): Contested => ({ oldId, newId, part: null })

describe('the newer of two contested memories', () => {
  it('moves directly before the older one, with its score', () => {
    const result = order({ top: 1, old: 0.8, other: 0.6, fresh: 0.1 }, contest('old', 'fresh'))
    expect(Object.entries(result)).toEqual([
      ['top', 1],
      ['fresh', 0.8],
      ['old', 0.8],
      ['other', 0.6],
    ])
  })

  it('stays if it is already before the older one', () => {
    expect(order({ fresh: 0.9, old: 0.8 }, contest('old', 'fresh'))).toEqual({ fresh: 0.9, old: 0.8 })
  })

  it('moves up a chain of changes', () => {
    const scores = { first: 0.9, second: 0.8, third: 0.7 }
    expect(ids(scores, contest('first', 'second'), contest('second', 'third'))).toEqual(['third', 'second', 'first'])
  })

  it('comes before an earlier change of the same memory', () => {
    const dated = weighed({ old: 0.9, second: 0.5, third: 0.4 }).map((item, createdAt) => ({
      ...item,
      memory: { ...item.memory, createdAt },
    }))
    const ordered = inOrder(dated, [contest('old', 'second'), contest('old', 'third')])
    expect(ordered.map(({ memory }) => memory.id)).toEqual(['third', 'second', 'old'])
  })

  it('is ignored if one of the two was not found', () => {
    expect(ids({ old: 0.8, other: 0.4 }, contest('old', 'fresh'), contest('gone', 'other'))).toEqual(['old', 'other'])
    expect(ids({})).toEqual([])
  })

  it('neither adds nor loses a memory', () => {
    const before = weighed({ a: 0.9, b: 0.8, c: 0.7, d: 0.6 })
    const after = inOrder(before, [contest('a', 'd'), contest('d', 'a'), contest('b', 'c'), contest('a', 'a')])
    expect(after.map(({ memory }) => memory.id).sort()).toEqual(['a', 'b', 'c', 'd'])
    expect(before.map(({ memory }) => memory.id)).toEqual(['a', 'b', 'c', 'd'])
  })
})

describe('a newer memory that was read with what it changes', () => {
  it.each([
    ['stays if it does not answer then', 0.4, 0.02, ['old', 'fresh']],
    ['moves if it may answer then', 0.4, 0.2, ['fresh', 'old']],
    ['stays if it may answer then, but has nothing of the question', 0.00001, 0.2, ['old', 'fresh']],
    ['moves if it is likely to answer then, whatever it says by itself', 0.00001, 0.6, ['fresh', 'old']],
  ])('%s', async (_what, score, chance, expected) => {
    const found = weighed({ old: 0.8, fresh: score }).map((item) => ({
      ...item,
      memory: { ...item.memory, content: 'A note of some words', createdAt: 10, outdated: [], trustScore: 1 },
      ...(item.memory.id === 'fresh' ? { asChange: new Map([['old', chance]]) } : {}),
    })) as Weighed[]
    const query = { asked: '', vector: null, former: null }
    const ranked = await currentFirst({} as never, query, found, [contest('old', 'fresh')])
    expect(ranked.map(({ memory }) => memory.id)).toEqual(expected)
  })
})

describe('a newer memory without what the question names', () => {
  const said = { old: 'Just finished the Silmarillion, order 70155', fresh: 'Reading a crime novel now' }
  it.each([
    ['stays if the question asks what happened', 'When did I finish the Silmarillion?', 0.4, ['old', 'fresh']],
    ['stays if the question asks for a code', 'order 70155', 0.4, ['old', 'fresh']],
    ['moves if it matches nearly as well', 'When did I finish the Silmarillion?', 0.75, ['fresh', 'old']],
    ['moves if the question is about today', 'Am I still on the Silmarillion?', 0.4, ['fresh', 'old']],
    ['moves if the question names nothing', 'What was the last book?', 0.4, ['fresh', 'old']],
  ])('%s', async (_what, asked, score, expected) => {
    const found = weighed({ old: 0.8, fresh: score }).map((item) => ({
      ...item,
      memory: { ...item.memory, content: Reflect.get(said, item.memory.id), outdated: [], trustScore: 1 },
      ...(item.memory.id === 'fresh' ? { asChange: new Map([['old', 0.6]]) } : {}),
    })) as Weighed[]
    const ranked = await currentFirst({} as never, { asked, vector: null, former: null }, found, [
      contest('old', 'fresh'),
    ])
    expect(ranked.map(({ memory }) => memory.id)).toEqual(expected)
  })
})

describe('the older of two contested memories', () => {
  const [moved, lived] = ['moved', 'lived']
  const both = (scores: Record<string, number>) =>
    weighed(scores).map((item) => ({
      ...item,
      memory: {
        ...item.memory,
        content: '',
        createdAt: item.memory.id === lived ? 10 : 20,
        outdated: [],
        trustScore: 1,
      },
    })) as Weighed[]
  const asked = async (until: number | null, scores: Record<string, number>) => {
    const query = { asked: '', vector: null, former: { until } }
    const ranked = await currentFirst({} as never, query, both(scores), [contest(lived, moved)])
    return ranked.map(({ memory, score }) => [memory.id, score])
  }

  it('moves before the newer one if the question asks how it was before, and stays there', async () => {
    expect(await asked(null, { [moved]: 0.8, other: 0.5, [lived]: 0.3 })).toEqual([
      [lived, 0.8],
      [moved, 0.8],
      ['other', 0.5],
    ])
    expect(await asked(null, { [lived]: 0.8, [moved]: 0.3 })).toEqual([
      [lived, 0.8],
      [moved, 0.3],
    ])
  })

  it('is the direct predecessor in a chain of changes, in whatever order these are listed', async () => {
    const chain = weighed({ third: 0.9, second: 0.8, first: 0.7 }).map((item, place) => ({
      ...item,
      memory: { ...item.memory, content: '', createdAt: -place, outdated: [], trustScore: 1 },
    })) as Weighed[]
    const pairs = [contest('first', 'second'), contest('second', 'third')]
    for (const changes of [pairs, pairs.toReversed()]) {
      const ranked = await currentFirst(
        {} as never,
        { asked: '', vector: null, former: { until: null } },
        chain,
        changes,
      )
      expect(ranked[0]?.memory.id).toBe('second')
    }
  })

  it('does not move before one that is trusted more', async () => {
    const [newer, older] = both({ [moved]: 0.8, [lived]: 0.3 }) as [Weighed, Weighed]
    const doubted = { ...older, memory: { ...older.memory, trustScore: 0.3 } }
    const query = { asked: '', vector: null, former: { until: null } }
    const ranked = await currentFirst({} as never, query, [newer, doubted], [contest(lived, moved)])
    expect(ranked[0]?.memory.id).toBe(moved)
  })

  it('moves for a date between both only', async () => {
    const first = async (until: number) => (await asked(until, { [moved]: 0.8, [lived]: 0.3 }))[0]?.[0]
    expect([await first(9), await first(15)]).toEqual([moved, lived])
  })

  it('stays if it has nothing to do with the question', async () => {
    expect((await asked(null, { [moved]: 0.8, [lived]: 1e-9 }))[0]).toEqual([moved, 0.8])
  })
})

describe('a change of a part', () => {
  const content = 'I live in Oslo, and I sing in a choir'
  const old = { memory: { id: 'old', content, outdated: [] }, score: 0.8 }
  const fresh = {
    memory: { id: 'fresh', content: 'I moved to Bergen in the rainy last week of March', outdated: [] },
    score: 0.1,
  }
  /** Both are as trusted. */
  const both = [old, fresh] as unknown as Weighed[]
  const part = { start: 0, end: 'I live in Oslo'.length }
  /** The first number is about a place, the second about music. */
  const embed = async (texts: readonly string[]) =>
    texts.map((text) => Float32Array.from([/live|moved/.test(text) ? 1 : 0, /sing/.test(text) ? 1 : 0]))
  /** Nothing else is used. */
  const deps = { embedder: { embed } } as unknown as Deps
  const asked = async (question: Float32Array | null, weighed = both, outdated = part) => {
    const changes = [{ oldId: 'old', newId: 'fresh', part: outdated }]
    return (await currentFirst(deps, { asked: '', vector: question, former: null }, weighed, changes)).map(
      ({ memory }) => memory.id,
    )
  }

  it('comes first for a question about that part, unless it hardly matches at all', async () => {
    expect(await asked(Float32Array.from([1, 0]))).toEqual(['fresh', 'old'])
    const far = [both[0], { ...both[1], score: 0.001 }] as Weighed[]
    expect(await asked(Float32Array.from([1, 0]), far)).toEqual(['old', 'fresh'])
  })

  it.each(['Recount. 43.', 'No, it is the small harbour town west of there'])(
    'comes first though it hardly matches if it says nothing by itself: %s',
    async (content) => {
      const leaning = { ...both[1], score: 0.03, memory: { ...both[1]?.memory, content } }
      const embedder = { embed: async (texts: readonly string[]) => texts.map(() => Float32Array.from([1, 0])) }
      const changes = [{ oldId: 'old', newId: 'fresh', part: null }]
      const query = { asked: '', vector: null, former: null }
      const ranked = await currentFirst({ embedder } as never, query, [both[0], leaning] as Weighed[], changes)
      expect(ranked.map(({ memory }) => memory.id)).toEqual(['fresh', 'old'])
    },
  )

  it('comes first for the clause that it is about, though another one was recorded', async () => {
    const wrong = { start: content.indexOf('and I sing'), end: content.length }
    expect(await asked(Float32Array.from([1, 0]), both, wrong)).toEqual(['fresh', 'old'])
  })

  it('stays behind for a question about another part', async () => {
    expect(await asked(Float32Array.from([0, 1]))).toEqual(['old', 'fresh'])
  })

  it('comes first if it matches at least a quarter as well, also if the question has no vector', async () => {
    expect(await asked(null)).toEqual(['old', 'fresh'])
    expect(await asked(null, [both[0], { ...both[1], score: 0.2 }] as Weighed[])).toEqual(['fresh', 'old'])
  })
})

describe('a question that names a date', () => {
  const said = (id: string, content: string, score: number, createdAt: number) => ({
    score,
    memory: { id, content, createdAt, outdated: [], trustScore: 1 },
  })
  const asked = async (question: string, older: string, newer: string) => {
    const both = [said('old', older, 0.9, 10), said('new', newer, 0.8, 20)] as unknown as Weighed[]
    const query = { asked: question, vector: null, former: null }
    const ranked = await currentFirst({} as never, query, both, [{ oldId: 'old', newId: 'new', part: null }])
    return ranked[0]?.memory.id
  }

  it('gets the memory of that date first, though a newer one may change it', async () => {
    const [older, newer] = ['weighed 71kg on 1 september', 'weighed 69kg on 1 november']
    expect(await asked('what did I weigh in september', older, newer)).toBe('old')
    expect(await asked('what did I weigh on 1 Sept?', older, newer)).toBe('old')
    expect(await asked('what did I weigh in november', older, newer)).toBe('new')
    expect(await asked('what do I weigh', older, newer)).toBe('new')
  })

  it('is not needed for the latest of several values', async () => {
    const values = [said('old', 'weighed 71kg on 1 september', 0.9, 10), said('new', 'weighed 69kg on 1 nov', 0.8, 20)]
    const first = async (question: string) => {
      const query = { asked: question, vector: null, former: null }
      return (await currentFirst({} as never, query, values as unknown as Weighed[], []))[0]?.memory.id
    }
    expect(await first('what do I weigh')).toBe('new')
    expect(await first('what did I weigh in september')).toBe('old')
  })

  it('gets the newer one if that says that the date changed', async () => {
    expect(await asked('dentist on 3 december?', 'Dentist is on 3 December', 'Dentist moved to 10 December')).toBe(
      'new',
    )
    expect(await asked('dentist in december?', 'Dentist is on 3 December', 'Dentist is on 10 December')).toBe('new')
  })
})
