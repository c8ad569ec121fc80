import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  chanceOf,
  defaultFusion,
  type FusionWeights,
  forNamedSpeaker,
  forOtherLanguages,
  forRemarks,
  forStatements,
  forTalk,
  fuse,
  fusedScore,
  ownScore,
  relevanceOf,
  type Scores,
} from './fuse.js'
import { candidateWith } from './ranked.fixture.js'

const share = fc.double({ min: 0, max: 1, noNaN: true })
const maybe = fc.option(share)
const anyScores = fc.record({
  semantic: maybe,
  keyword: maybe,
  graph: maybe,
  speaker: maybe,
  subject: maybe,
  time: maybe,
  reply: maybe,
  statement: maybe,
})
const { weights, scales } = defaultFusion
const unasked: Scores = {
  semantic: null,
  keyword: null,
  graph: null,
  speaker: null,
  subject: null,
  time: null,
  reply: null,
  statement: null,
}

describe('fuse', () => {
  it('keeps relevance within 0 and 1 for any signals', () => {
    fc.assert(
      fc.property(fc.array(anyScores, { minLength: 1, maxLength: 5 }), fc.boolean(), (all, namesSpeaker) => {
        const candidates = all.map((scores) => candidateWith({}, withoutNulls(scores)))
        for (const { relevance } of fuse(candidates, defaultFusion, namesSpeaker)) {
          expect(relevance).toBeGreaterThan(0)
          expect(relevance).toBeLessThanOrEqual(1)
        }
      }),
    )
  })

  it('never lets a better signal lower the sum', () => {
    fc.assert(
      fc.property(anyScores, share, (scores, more) => {
        const better = Object.fromEntries(
          Object.entries(scores).map(([name, score]) => [name, score === null ? null : Math.max(score, more)]),
        )
        expect(fusedScore({ ...unasked, ...better }, weights)).toBeGreaterThanOrEqual(
          fusedScore(scores, weights) - 1e-12,
        )
      }),
    )
  })

  it('uses only the semantic score, on its scale, if nothing else was used', () => {
    expect(fusedScore({ ...unasked, semantic: 0.42 }, weights)).toBeCloseTo(0.42, 12)
    const [only] = fuse([candidateWith({}, { semantic: 0.42 })], defaultFusion, false)
    expect(only?.relevance).toBeCloseTo(relevanceOf(0.42, scales.semantic), 12)
  })

  it.each(['semantic', 'keyword', 'graph', 'reply', 'speaker', 'subject', 'time', 'statement'] as const)(
    'leaves %s out when its weight is 0',
    (signal) => {
      const without: FusionWeights = { ...weights, [signal]: 0 }
      const rest: Scores = { ...unasked, semantic: 0.5, keyword: 0.5 }
      expect(fusedScore({ ...rest, [signal]: 0.9 }, without)).toBeCloseTo(
        fusedScore({ ...rest, [signal]: 0.1 }, without),
      )
      expect(fusedScore({ ...rest, [signal]: 0.9 }, weights)).toBeGreaterThan(
        fusedScore({ ...rest, [signal]: 0.1 }, weights),
      )
    },
  )

  it('gives an identical text a high score, whatever its keywords score', () => {
    const [same] = fuse([candidateWith({}, { semantic: 0.999, keyword: 0.6 })], defaultFusion, false)
    expect(same?.relevance).toBeGreaterThan(0.95)
  })

  it('lets meaning or keywords decide alone if only one was used, and is 0 without both', () => {
    expect(ownScore({ semantic: null, keyword: 0.6 }, weights)).toBeCloseTo(0.6, 12)
    expect(ownScore({ semantic: 0.6, keyword: 0.1 }, { ...weights, keyword: 0 })).toBeCloseTo(0.6, 12)
    expect(ownScore({ semantic: null, keyword: null }, weights)).toBe(0)
  })

  it('ranks an exact answer of the wrong time and speaker above a vague one of the right', () => {
    const [first] = fuse(
      [
        candidateWith({ id: 'mem_vague' }, { semantic: 0.4, keyword: 0.3, speaker: 1, time: 1 }),
        candidateWith({ id: 'mem_exact' }, { semantic: 0.9, keyword: 0.7, speaker: 0, time: 0 }),
      ],
      defaultFusion,
      true,
    )
    expect(first?.memory.id).toBe('mem_exact')
  })

  it('lowers all scores if others fit better than the speaker that the question names', () => {
    const own = candidateWith({ id: 'mem_own' }, { semantic: 0.5, keyword: 0.5, speaker: 1 })
    const behind = candidateWith({ id: 'mem_other' }, { semantic: 0.2, keyword: 0.2, speaker: 0 })
    const ahead = candidateWith({ id: 'mem_other' }, { semantic: 0.8, keyword: 0.8, speaker: 0 })
    const relevanceBeside = (other: typeof own, names: boolean) =>
      fuse([own, other], defaultFusion, names).find(({ memory }) => memory.id === 'mem_own')?.relevance ?? 0
    expect(relevanceBeside(ahead, true)).toBeLessThan(relevanceBeside(behind, true))
    // Without other speakers, or without a named speaker, there is no lead.
    const alone = fuse([own], defaultFusion, true)[0]?.relevance
    expect(relevanceBeside(ahead, false)).toBe(alone)
    expect(relevanceBeside(behind, false)).toBe(alone)
  })

  it('orders by the sum, then newest, then id', () => {
    const order = fuse(
      [
        candidateWith({ id: 'mem_b', createdAt: 1 }, { semantic: 0.5 }),
        candidateWith({ id: 'mem_a', createdAt: 1 }, { semantic: 0.5 }),
        candidateWith({ id: 'mem_c', createdAt: 2 }, { semantic: 0.5 }),
        candidateWith({ id: 'mem_d', createdAt: 0 }, { semantic: 0.6 }),
      ],
      defaultFusion,
      false,
    )
    expect(order.map(({ memory }) => memory.id)).toEqual(['mem_d', 'mem_c', 'mem_a', 'mem_b'])
  })
})

describe('a scale', () => {
  it('tells apart what the reranker is sure of, up to the most that it adds', () => {
    const most = 1 + 6 * defaultFusion.rerankWeight
    expect(scales.rerank.most).toBeCloseTo(most)
    expect(relevanceOf(1, scales.rerank)).toBeLessThan(relevanceOf(1.3, scales.rerank))
  })

  it.each(Object.entries(scales))('of %s grows with the sum, from nearly 0 to 1', (_, scale) => {
    fc.assert(
      fc.property(fc.double({ min: -1, max: 1, noNaN: true }), share, (fused, more) => {
        expect(relevanceOf(fused + more, scale)).toBeGreaterThanOrEqual(relevanceOf(fused, scale))
      }),
    )
    expect(relevanceOf(scale.most ?? 1, scale)).toBe(1)
    expect(relevanceOf(0, scale)).toBeLessThan(0.1)
  })
})

function withoutNulls(scores: Scores): { [signal: string]: number } {
  return Object.fromEntries(Object.entries(scores).flatMap(([name, score]) => (score === null ? [] : [[name, score]])))
}

describe('the sums of a remark', () => {
  it('count keywords a third as much, and not at all if they never count', () => {
    expect(forRemarks(defaultFusion).weights.keyword).toBeCloseTo(defaultFusion.weights.keyword / 3)
    const without = { ...defaultFusion, weights: { ...defaultFusion.weights, keyword: 0 } }
    expect(forRemarks(without).weights.keyword).toBe(0)
  })

  it('lets words count for more and the reader for less in other languages', () => {
    const other = forOtherLanguages(defaultFusion)
    expect(other.weights.keyword).toBeGreaterThan(weights.keyword)
    expect(other.weights.keyword + other.weights.semantic).toBeCloseTo(weights.keyword + weights.semantic)
    expect(other.rerankWeight).toBeLessThan(defaultFusion.rerankWeight)
    // What everybody is surest of is still certain.
    const most = 1 + (((scales.rerank.most ?? 1) - 1) * other.rerankWeight) / defaultFusion.rerankWeight
    expect(relevanceOf(most, other.scales.rerank)).toBe(1)
  })

  it('leaves a signal off that is off, in other languages too', () => {
    const withoutWords = { ...defaultFusion, weights: { ...weights, keyword: 0 } }
    expect(forOtherLanguages(withoutWords).weights).toEqual(withoutWords.weights)
    const withoutReader = forOtherLanguages({ ...defaultFusion, rerankWeight: 0 })
    expect(withoutReader.rerankWeight).toBe(0)
    expect(relevanceOf(0.5, withoutReader.scales.rerank)).toBeGreaterThan(0)
  })
})

describe('the sums of other queries', () => {
  it('count words for more if the query asks nothing, and for less if it names who said the memories', () => {
    const [stated, named] = [forStatements(defaultFusion).weights, forNamedSpeaker(defaultFusion).weights]
    expect(stated.keyword).toBeGreaterThan(weights.keyword)
    expect(named.keyword).toBeLessThan(weights.keyword)
    for (const { semantic, keyword } of [stated, named]) {
      expect(semantic + keyword).toBeCloseTo(weights.semantic + weights.keyword)
    }
  })

  it('count the lead of a named speaker for more', () => {
    const turns = (own: number, other: number) => [
      candidateWith({ id: 'own' }, { semantic: own, speaker: 1 }),
      candidateWith({ id: 'other' }, { semantic: other, speaker: 0 }),
    ]
    const best = (settings: typeof defaultFusion, own: number, other: number) =>
      fuse(turns(own, other), settings, true)[0]?.fused ?? 0
    const range = (settings: typeof defaultFusion) => best(settings, 0.8, 0.3) - best(settings, 0.8, 0.8)
    expect(range(forNamedSpeaker(defaultFusion))).toBeGreaterThan(range(defaultFusion))
  })

  it.each([
    ['forStatements', forStatements],
    ['forNamedSpeaker', forNamedSpeaker],
  ] as const)('leave a signal off that is off: %s', (_, settingsFor) => {
    const off = { ...defaultFusion, weights: { ...weights, keyword: 0, lead: 0 } }
    expect(settingsFor(off).weights).toEqual(off.weights)
  })

  it('let the reader of conversations be certain too, and never count it for more than elsewhere', () => {
    const talk = forTalk(defaultFusion)
    expect(talk.rerankWeight).toBeLessThan(defaultFusion.rerankWeight)
    expect(relevanceOf(1 + (talk.mostOdds ?? 0) * talk.rerankWeight, talk.scales.rerank)).toBe(1)
    expect(forTalk({ ...defaultFusion, rerankWeight: 0 }).rerankWeight).toBe(0)
  })
})

describe('a low score', () => {
  const scale = { middle: 0.5, slope: 6 }

  it('falls faster than the chance that it stands for', () => {
    const low = relevanceOf(0, scale)
    expect(low).toBeLessThan(chanceOf(low))
    expect(relevanceOf(-0.1, scale) / low).toBeLessThan(0.5)
  })

  it('never changes the order', () => {
    const scores = Array.from({ length: 200 }, (_, step) => relevanceOf(-1 + step / 100, scale))
    expect(scores).toEqual(scores.toSorted((a, b) => a - b))
    expect(new Set(scores).size).toBe(scores.length)
  })
})
