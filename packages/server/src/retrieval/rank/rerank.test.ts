import { describe, expect, it } from 'vitest'
import type { BareMemory } from '../../core/memory.js'
import { userScope } from '../../core/scope.js'
import type { Reranker } from '../../models/models.js'
import type { HydratedVersion } from '../../storage/ports/index-feed.js'
import { defaultFusion, forTalk, fuse } from './fuse.js'
import { candidateWith, memoryWith } from './ranked.fixture.js'
import { isTalk, rerank, rerankDepth } from './rerank.js'

const byLength: Reranker = {
  modelId: 'by-length',
  score: (_query, texts) => Promise.resolve(texts.map((text) => Math.min(1, text.length / 10))),
  close: () => Promise.resolve(),
}

const scope = userScope('ana')
const asked = {
  text: 'q',
  asked: 'q',
  moment: { kind: 'now', now: 1_000 },
  includeFlagged: false,
  former: null,
} as const

/** A store with these memories, in rows from 1. */
function depsWith(reranker: Reranker, memories: readonly Partial<BareMemory>[] = []) {
  const versions = memories.map(
    (fields, index): HydratedVersion => ({ row: index + 1, memory: memoryWith(fields), vector: null, modelId: 'm' }),
  )
  return {
    reranker,
    storage: {
      hydrate: (_scope: unknown, rows: readonly number[]) =>
        Promise.resolve(versions.filter(({ row }) => rows.includes(row))),
    },
  }
}

function ranked(count: number) {
  const candidates = Array.from({ length: count }, (_, index) =>
    candidateWith({ id: `mem_${index}`, content: 'x'.repeat(index % 10) }, { semantic: 0.9 - index / 100 }, index + 1),
  )
  return fuse(candidates, defaultFusion, false)
}

describe('rerank', () => {
  it('lifts the candidate that the model prefers among near equals, and reports its score and rank', async () => {
    const [first, second] = await rerank(depsWith(byLength), scope, asked, ranked(2), defaultFusion)
    expect(first?.memory.id).toBe('mem_1')
    expect(first?.rerank).toEqual({ score: 0.1, rank: 1 })
    expect(second?.rerank).toEqual({ score: 0, rank: 2 })
  })

  it('also reads memories further down that may change one of the first', async () => {
    const scored: string[] = []
    const model: Reranker = {
      ...byLength,
      score: (_query, texts) => {
        scored.push(...texts)
        return Promise.resolve(texts.map((text) => (text === 'changed' ? 0.99 : 0.01)))
      },
    }
    const contents = ['one', 'two', 'three', 'changed', 'five']
    const found = fuse(
      contents.map((content, at) => candidateWith({ id: content, content }, { semantic: 0.5 - at / 100 }, 10 * at)),
      defaultFusion,
      false,
    )
    const without = await rerank(depsWith(model), scope, asked, found, defaultFusion, 2)
    expect(without.map(({ memory }) => memory.id)).toEqual(contents)
    expect(scored).toEqual(['one', 'two'])
    const read = await rerank(depsWith(model), scope, asked, found, defaultFusion, 2, {
      further: new Set(['changed', 'one']),
    })
    expect(scored.slice(2)).toEqual(['one', 'two', 'changed'])
    expect(read.map(({ memory }) => memory.id)).toEqual(['changed', 'one', 'two', 'three', 'five'])
    expect(read[0]?.rerank).toEqual({ score: 0.99, rank: null })
  })

  it('reads a change once more with what it changes, and keeps that chance beside its own', async () => {
    const pair = 'Thursdays now (before: Choir is on Wednesdays)'
    const scored: string[] = []
    const model: Reranker = {
      ...byLength,
      score: (_query, texts) => {
        scored.push(...texts)
        return Promise.resolve(texts.map((text) => (text === pair ? 0.9 : 0.2)))
      },
    }
    const contents = ['Choir is on Wednesdays', 'Thursdays now', 'unread']
    const found = fuse(
      contents.map((content, at) => candidateWith({ id: `mem_${at}`, content }, { semantic: 0.5 - at / 100 }, 10 * at)),
      defaultFusion,
      false,
    )
    const before = 'Choir is on Wednesdays'
    const changes = [
      { newId: 'mem_1', oldId: 'mem_0', before },
      { newId: 'mem_2', oldId: 'mem_0', before },
    ]
    const read = await rerank(depsWith(model), scope, asked, found, defaultFusion, 2, { changes })
    expect(scored).toEqual([contents[0], contents[1], pair])
    expect(read.map(({ memory }) => memory.content)).toEqual(contents)
    expect(read[1]?.rerank?.score).toBe(0.2)
    expect(read.map(({ asChange }) => asChange)).toEqual([undefined, new Map([['mem_0', 0.9]]), undefined])
  })

  it('reads no pair of which it would see too little, and cuts the others so that both texts are seen', async () => {
    const scored: string[] = []
    const model: Reranker = {
      ...byLength,
      score: (_query, texts) => {
        scored.push(...texts)
        return Promise.resolve(texts.map((_text, at) => at / 10))
      },
    }
    const contents = ['old', 'n'.repeat(249), '新'.repeat(100), 'l'.repeat(400)]
    const found = fuse(
      contents.map((content, at) => candidateWith({ id: `mem_${at}`, content }, { semantic: 0.5 - at / 100 }, 10 * at)),
      defaultFusion,
      false,
    )
    const change = (at: number, before: string) => ({ newId: `mem_${at}`, oldId: 'mem_0', before })
    const long = 'o'.repeat(300)
    const changes = [change(1, long), change(1, 'part'), change(2, '旧'.repeat(100)), change(3, 'x'), change(1, ' ')]
    const read = await rerank(depsWith(model), scope, asked, found, defaultFusion, 4, { changes })
    expect(scored.slice(4)).toEqual([
      `${'n'.repeat(240)} (before: ${'o'.repeat(160)})`,
      `${'n'.repeat(240)} (before: part)`,
      `${'新'.repeat(72)} (before: ${'旧'.repeat(48)})`,
    ])
    // The better of both parts.
    const chances = read.map(({ memory, asChange }) => [memory.id, asChange?.get('mem_0')])
    expect(new Map(chances as [string, number][])).toEqual(
      new Map([
        ['mem_0', undefined],
        ['mem_1', 0.5],
        ['mem_2', 0.6],
        ['mem_3', undefined],
      ]),
    )
  })

  it.each([
    [0.5, 0.45, 'mem_0'],
    [0.5, 0.8, 'mem_1'],
  ])('adds the odds of an answer to the first stage: of %f and %f, %s is first', async (first, second, expected) => {
    const found = fuse(
      [
        candidateWith({ id: 'mem_0', content: 'zero' }, { semantic: 0.5 }, 10),
        candidateWith({ id: 'mem_1', content: 'one' }, { semantic: 0.42 }, 20),
      ],
      defaultFusion,
      false,
    )
    const model: Reranker = {
      ...byLength,
      score: (_query, texts) => Promise.resolve(texts.map((text) => (text === 'zero' ? first : second))),
    }
    const [best] = await rerank(depsWith(model), scope, asked, found, defaultFusion)
    expect(best?.memory.id).toBe(expected)
  })

  it('scores a close text that is surely no answer lower than a distant one that surely is', async () => {
    const relevanceWith = async (semantic: number, chance: number) => {
      const model: Reranker = { ...byLength, score: (_query, texts) => Promise.resolve(texts.map(() => chance)) }
      const found = fuse([candidateWith({ id: 'mem_0', content: 'x' }, { semantic }, 1)], defaultFusion, false)
      const [only] = await rerank(depsWith(model), scope, asked, found, defaultFusion)
      return only?.relevance ?? 0
    }
    expect(await relevanceWith(0.7, 0.01)).toBeLessThan(0.35)
    expect(await relevanceWith(0.3, 0.97)).toBeGreaterThan(0.35)
    expect(await relevanceWith(0.3, 0)).toBeGreaterThan(0)
    expect(await relevanceWith(1, 1)).toBe(1)
  })

  it('keeps a memory first that the query repeats, whatever the model says', async () => {
    const found = fuse(
      [
        candidateWith({ id: 'mem_0', content: 'The heron 6 came back' }, { semantic: 1 }, 10),
        candidateWith({ id: 'mem_1', content: 'The heron 7 came back' }, { semantic: 0.96 }, 20),
      ],
      defaultFusion,
      false,
    )
    const model: Reranker = {
      ...byLength,
      score: (_query, texts) => Promise.resolve(texts.map((text) => (text.includes('7') ? 0.99 : 0.01))),
    }
    const [best] = await rerank(depsWith(model), scope, asked, found, defaultFusion)
    expect(best?.memory.id).toBe('mem_0')
  })

  it('keeps a memory first that has the words of a Chinese question, if the model prefers a similar name', async () => {
    const question = '清风书院读书会的地点是什么？'
    const [right, similar] = ['清风书院读书会的地点是三楼。', '清风茶社品茶会的地点是二楼。']
    const model: Reranker = {
      ...byLength,
      score: (_query, texts) => Promise.resolve(texts.map((text) => (text === similar ? 0.6 : 0.4))),
    }
    const candidates = [right, similar].map((content, index) =>
      candidateWith({ id: `mem_${index}`, content }, { semantic: 0.8 }, index + 1),
    )
    const query = { ...asked, text: question, asked: question }
    const [first] = await rerank(depsWith(model), scope, query, fuse(candidates, defaultFusion, false), defaultFusion)
    expect(first?.memory.content).toBe(right)
  })

  it('reads only as many candidates as it is told', async () => {
    let read = 0
    const counting: Reranker = {
      ...byLength,
      score: (_query, texts) => {
        read += texts.length
        return Promise.resolve(texts.map(() => 0.5))
      },
    }
    const again = await rerank(depsWith(counting), scope, asked, ranked(20), defaultFusion, 5)
    expect(read).toBe(5)
    expect(again.map(({ rerank: signal }) => signal !== null)).toEqual([
      ...Array(5).fill(true),
      ...Array(15).fill(false),
    ])
  })

  it('keeps every candidate, relevance within 0 and 1 and in order', async () => {
    const again = await rerank(depsWith(byLength), scope, asked, ranked(50), defaultFusion)
    expect(again).toHaveLength(50)
    const relevances = again.map(({ relevance }) => relevance)
    expect(relevances).toEqual([...relevances].sort((a, b) => b - a))
    expect(Math.max(...relevances)).toBeLessThanOrEqual(1)
  })

  it('lets no candidate beyond its depth overtake a reranked one', async () => {
    const again = await rerank(depsWith(byLength), scope, asked, ranked(50), defaultFusion)
    const unseen = again.findIndex((candidate) => candidate.rerank === null)
    expect(unseen).toBeGreaterThanOrEqual(rerankDepth)
  })

  it('keeps the order of candidates that it did not rerank, whatever their time', async () => {
    const found = ranked(50).map((candidate, index) => ({
      ...candidate,
      memory: { ...candidate.memory, createdAt: index },
    }))
    const again = await rerank(depsWith(byLength), scope, asked, found, defaultFusion)
    const behind = (items: typeof found) => items.slice(rerankDepth).map(({ memory }) => memory.id)
    expect(behind([...again])).toEqual(behind(found))
    const sums = again.slice(rerankDepth - 1).map(({ fused }) => fused)
    for (const [index, sum] of sums.slice(1).entries()) expect(sum).toBeLessThan(sums[index] ?? 0)
  })

  it('keeps the place of a text that it can hardly read, and redistributes the other places', async () => {
    const contents = ['x'.repeat(2_000), 'short a', 'short', 'y'.repeat(2_000), 'short bcd']
    const found = fuse(
      contents.map((content, index) =>
        candidateWith({ id: `mem_${index}`, content }, { semantic: 0.5 - index / 1_000 }, 10 * index),
      ),
      defaultFusion,
      false,
    )
    // It gives long texts arbitrary scores, all different.
    const scores = new Map(contents.map((content, index) => [content, [0.01, 0.3, 0.1, 0.99, 0.9][index] ?? 0]))
    const model: Reranker = {
      ...byLength,
      score: (_query, texts) => Promise.resolve(texts.map((text) => scores.get(text) ?? 0)),
    }
    const again = await rerank(depsWith(model), scope, asked, found, defaultFusion)
    expect(again.map(({ memory }) => memory.id)).toEqual(['mem_0', 'mem_4', 'mem_1', 'mem_3', 'mem_2'])
    const relevances = again.map(({ relevance }) => relevance)
    expect(relevances).toEqual([...relevances].sort((a, b) => b - a))
    expect(again.map((candidate) => candidate.rerank?.score)).toEqual([0.01, 0.9, 0.3, 0.99, 0.1])
  })

  it('does not change the order if all texts are too long for it', async () => {
    const found = fuse(
      Array.from({ length: 12 }, (_, index) =>
        candidateWith(
          { id: `mem_${index}`, content: `${index}`.repeat(2_000) },
          { semantic: 0.9 - index / 20 },
          index + 1,
        ),
      ),
      defaultFusion,
      false,
    )
    const backwards: Reranker = {
      ...byLength,
      score: (_query, texts) => Promise.resolve(texts.map((_, index) => index / texts.length)),
    }
    const again = await rerank(depsWith(backwards), scope, asked, found, defaultFusion)
    expect(again.map(({ memory }) => memory.id)).toEqual(found.map(({ memory }) => memory.id))
  })

  it('does not call the model if there is nothing to rank', async () => {
    const never: Reranker = { ...byLength, score: () => Promise.reject(new Error('asked')) }
    expect(await rerank(depsWith(never), scope, asked, [], defaultFusion)).toEqual([])
  })
})

describe('the question before an answer', () => {
  const question = { id: 'mem_1', content: 'Bob: Do you have pets?', createdAt: 10 }
  const answer = candidateWith({ id: 'mem_2', content: 'Ann: Yes, two!', createdAt: 20 }, { semantic: 0.5 }, 2)

  /** The text that the model reads for the answer if the store has this memory before it. */
  async function readAfter(before: Partial<BareMemory>, query: object = {}): Promise<string | undefined> {
    const read: string[] = []
    const reader: Reranker = {
      ...byLength,
      score: (_query, texts) => {
        read.push(...texts)
        return Promise.resolve(texts.map(() => 0))
      },
    }
    const found = fuse([answer], defaultFusion, false)
    await rerank(depsWith(reader, [before]), scope, { ...asked, ...query }, found, defaultFusion)
    return read[0]
  }

  it('is read together with the answer', async () => {
    expect(await readAfter(question)).toBe('Ann: Yes, two! (after Bob: Do you have pets?)')
  })

  it('does not make an answer too long to read', async () => {
    const long = `Bob: ${'Why? '.repeat(60)}`
    const story = `Ann: ${'x'.repeat(400)}`
    const found = fuse(
      [
        candidateWith({ id: 'mem_3', content: 'Ann: No.' }, { semantic: 0.5 }, 9),
        candidateWith({ id: 'mem_2', content: story, createdAt: 20 }, { semantic: 0.499 }, 2),
      ],
      defaultFusion,
      false,
    )
    const lover: Reranker = {
      ...byLength,
      score: (_query, texts) => Promise.resolve(texts.map((text) => (text.includes('after Bob: Why?') ? 0.9 : 0.1))),
    }
    const deps = depsWith(lover, [{ ...question, content: long }])
    const [first] = await rerank(deps, scope, asked, found, defaultFusion)
    expect(first?.memory.id).toBe('mem_2')
  })

  it('is cut if it is long, between characters', async () => {
    const long = await readAfter({ ...question, content: `Bob: ${'Why? '.repeat(46)}${'\u{1F436}'.repeat(60)}` })
    expect(long?.length).toBeLessThan(280)
    expect(long).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/)
  })

  it.each([
    ['states something', { ...question, content: 'Bob: I have pets.' }],
    ['is by the same speaker', { ...question, content: 'Ann: Do you have pets?' }],
    ['was said long before', { ...question, createdAt: 20 - 7_200_000 }],
    ['has expired', { ...question, expiresAt: 1_000 }],
    ['was replaced', { ...question, supersededAt: 500 }],
    ['is flagged', { ...question, flagged: true }],
  ])('is omitted if the memory before it %s', async (_, before) => {
    expect(await readAfter(before)).toBe('Ann: Yes, two!')
  })

  it('is read again for an as_of at which it was valid', async () => {
    const asOf = { moment: { kind: 'asOf', at: 499 } }
    expect(await readAfter({ ...question, supersededAt: 500 }, asOf)).toBe(
      'Ann: Yes, two! (after Bob: Do you have pets?)',
    )
  })
})

describe('talk', () => {
  const headOf = (...contents: string[]) =>
    fuse(
      contents.map((content, at) => candidateWith({ id: `mem_${at}`, content }, { semantic: 0.5 - at / 100 }, at + 1)),
      defaultFusion,
      false,
    )

  it('is what mostly consists of turns, or of texts too long to be read well', () => {
    const note = 'The spare key is under the blue pot.'
    const turn = 'Ana: the key is where it always was'
    const long = 'The gateway drops packets. '.repeat(40)
    expect(isTalk(headOf(turn, turn, note))).toBe(true)
    expect(isTalk(headOf(long, long, note))).toBe(true)
    expect(isTalk(headOf(turn, note, note))).toBe(false)
    expect(isTalk(headOf(turn, note))).toBe(false)
    expect(isTalk(headOf())).toBe(false)
  })

  it('counts a doubt for less, so that a turn far ahead stays first', async () => {
    const doubting: Reranker = {
      ...byLength,
      score: (_query, texts) => Promise.resolve(texts.map((text) => (text === 'Ana: yes' ? 0.01 : 0.4))),
    }
    const found = fuse(
      [
        candidateWith({ id: 'ahead', content: 'Ana: yes' }, { semantic: 0.8 }, 10),
        candidateWith({ id: 'behind', content: 'Ben: it rained' }, { semantic: 0.5 }, 20),
      ],
      defaultFusion,
      false,
    )
    const first = async (settings: typeof defaultFusion) =>
      (await rerank(depsWith(doubting), scope, asked, found, settings))[0]?.memory.id
    expect(await first(defaultFusion)).toBe('behind')
    expect(await first(forTalk(defaultFusion))).toBe('ahead')
  })

  it('counts no chance for more than a good one', async () => {
    const sure: Reranker = {
      ...byLength,
      score: (_query, texts) => Promise.resolve(texts.map((text) => (text === 'Ben: it rained' ? 0.999 : 0.9))),
    }
    const found = fuse(
      [
        candidateWith({ id: 'ahead', content: 'Ana: yes' }, { semantic: 0.8 }, 10),
        candidateWith({ id: 'behind', content: 'Ben: it rained' }, { semantic: 0.7 }, 20),
      ],
      defaultFusion,
      false,
    )
    const read = await rerank(depsWith(sure), scope, asked, found, forTalk(defaultFusion))
    expect(read.map(({ memory }) => memory.id)).toEqual(['ahead', 'behind'])
  })
})
