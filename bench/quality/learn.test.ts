import { describe, expect, it } from 'vitest'
import { defaultFusion, type FusionWeights } from '../../packages/server/src/retrieval/rank/fuse.js'
import { random } from '../random.js'
import { areaOf, errorOf, fitLead, fitScale, type TopCase, withLead } from './calibration.js'
import type { AskedQuestion, Features } from './features.js'
import { fuseAgain, onlySignals, rerankAgain, topOf } from './fuse-again.js'
import { type Case, casesOf, foldsOf, judge, learnWeights, objective } from './fusion-search.js'
import { scaleReport } from './learn-scales.js'
import { chanceOf, fitLogistic } from './logistic.js'

const defaultWeights = defaultFusion.weights
const signals = Object.keys(defaultWeights).filter((name) => name !== 'lead')
const next = random(7)

/** A candidate's row: whether it is gold, and its scores for meaning and words; other signals are empty. */
function candidate(gold: boolean, semantic: number, keyword: number): (number | null)[] {
  const said = new Map([
    ['semantic', semantic],
    ['keyword', keyword],
  ])
  return [gold ? 1 : 0, ...signals.map((name) => said.get(name) ?? null), null]
}

function question(
  task: string,
  corpus: string,
  id: string,
  candidates: (number | null)[][],
  answerable = true,
): AskedQuestion {
  return { task, corpus, id, answerable, goldCount: answerable ? 1 : 0, namesSpeaker: false, candidates }
}

function features(questions: AskedQuestion[]): Features {
  return { modelId: 'm', signals, questions }
}

/** Questions whose evidence only words find; meaning is noise. */
const byWords = Array.from({ length: 60 }, (_, index) =>
  question('locomo', `talk ${index % 6}`, `q${index}`, [
    candidate(true, next() * 0.4, 0.6),
    ...Array.from({ length: 30 }, () => candidate(false, next() * 0.9, next() * 0.55)),
  ]),
)

function judged(cases: readonly Case[], weights: FusionWeights) {
  return objective(cases.map((one) => ({ set: one.set, outcome: judge(one, weights) })))
}

describe('judging weights', () => {
  it('ranks by the service’s relevance, and keeps the order of ties', () => {
    const [only] = casesOf(
      features([
        question('locomo', 'talk', 'q', [
          candidate(false, 0.5, 0.5),
          candidate(true, 0.5, 0.5),
          candidate(false, 0.1, 0.9),
        ]),
      ]),
      ['locomo'],
    )
    if (!only) throw new Error('no case')
    expect(judge(only, { ...defaultWeights, semantic: 1, keyword: 0 }).ranks).toEqual([2])
    expect(judge(only, { ...defaultWeights, semantic: 0, keyword: 1 }).ranks).toEqual([3])
    expect(judge(only, { ...defaultWeights, semantic: 0, keyword: 1 }).topScore).toBeCloseTo(0.9, 6)
  })

  it('rejects a file that lacks a signal of the fusion', () => {
    expect(() => casesOf({ modelId: 'm', signals: ['semantic'], questions: [] }, ['locomo'])).toThrow(
      /no scores for keyword/,
    )
  })

  it('gives every set the same weight, however many questions it has', () => {
    const lost = question('beam', 'chat', 'lost', [candidate(false, 1, 1)])
    const cases = casesOf(
      features([...byWords.map((one) => ({ ...one, candidates: [candidate(true, 1, 1)] })), lost]),
      ['locomo', 'beam'],
    )
    expect(judged(cases, defaultWeights)).toBeCloseTo(0.5, 10)
  })
})

describe('learning weights', () => {
  it('learns that words are informative and meaning is not', () => {
    const learned = learnWeights(casesOf(features(byWords), ['locomo']))
    expect(learned.keyword).toBeGreaterThan(3 * learned.semantic)
    const cases = casesOf(features(byWords), ['locomo'])
    const poor: FusionWeights = { ...defaultWeights, semantic: 1, keyword: 0 }
    expect(judged(cases, learned)).toBeGreaterThan(judged(cases, poor))
    expect(judged(cases, learned)).toBeGreaterThan(0.9)
  })
})

describe('folds', () => {
  const scifact = Array.from({ length: 10 }, (_, index) =>
    question('scifact', 'all', `c${index}`, [candidate(true, 1, 1)]),
  )
  const cases = casesOf(features([...byWords, ...scifact]), ['locomo', 'scifact'])
  const folds = foldsOf(cases, 5)

  it('contain every question once', () => {
    expect(folds.flat()).toHaveLength(cases.length)
    expect(new Set(folds.flat()).size).toBe(cases.length)
  })

  it('never split a conversation', () => {
    for (const conversation of new Set(byWords.map(({ corpus }) => corpus))) {
      expect(folds.filter((fold) => fold.some((one) => one.question.corpus === conversation))).toHaveLength(1)
    }
  })

  it('split a set with one collection by its questions', () => {
    expect(folds.map((fold) => fold.filter(({ set }) => set === 'scifact').length)).toEqual([2, 2, 2, 2, 2])
  })
})

describe('fitLogistic', () => {
  it('recovers the map that generated the examples', () => {
    const truth = { bias: -2, slopes: [5, 0] }
    const examples = Array.from({ length: 8_000 }, () => {
      const drawn = [next(), next()]
      return { features: drawn, positive: next() < chanceOf(truth, drawn), weight: 1 }
    })
    const { bias, slopes } = fitLogistic(examples)
    expect(bias).toBeCloseTo(-2, 0)
    expect(slopes[0]).toBeCloseTo(5, 0)
    expect(Math.abs(slopes[1] ?? 1)).toBeLessThan(0.3)
  })

  it('stays finite if the classes never overlap', () => {
    const { bias, slopes } = fitLogistic([0, 1, 2, 3].map((x) => ({ features: [x], positive: x > 1, weight: 1 })))
    expect([bias, ...slopes].every(Number.isFinite)).toBe(true)
    expect(chanceOf({ bias, slopes }, [3])).toBeGreaterThan(0.95)
  })
})

describe('fusing again', () => {
  const row = (gold: number, scores: Readonly<Record<string, number>>, rerank: number | null) => [
    gold,
    ...signals.map((name) => scores[name] ?? null),
    rerank,
  ]
  const named = (namesSpeaker: boolean) => {
    const rows = [
      row(0, { semantic: 0.9, keyword: 0.9, speaker: 0 }, 0.1),
      row(1, { semantic: 0.5, keyword: 0.5, speaker: 1 }, 0.9),
    ]
    const [one] = casesOf(features([{ ...question('locomo', 'talk', 'q', rows), namesSpeaker }]), ['locomo'])
    if (!one) throw new Error('no case')
    return one
  }

  it('separates the lead of a named speaker from the sum, and finds none if nobody is named', () => {
    const top = topOf(named(true), defaultFusion)
    expect(top.sum).toBeCloseTo(0.9 - defaultWeights.speaker, 10)
    expect(top.lead).toBeCloseTo(-0.4, 10)
    expect(topOf(named(false), defaultFusion).lead).toBeNull()
  })

  it('returns the same as the service’s fusion', () => {
    const [best] = fuseAgain(named(true), defaultFusion)
    const { sum, lead } = topOf(named(true), defaultFusion)
    expect(best?.fused).toBeCloseTo(sum + defaultWeights.lead * ((lead ?? 0) - defaultFusion.usualLead), 10)
  })

  it('reranks with the stored scores', async () => {
    const fused = fuseAgain(named(true), defaultFusion)
    expect((await rerankAgain(named(true), fused, { ...defaultFusion, rerankWeight: 0 })).ranks).toEqual([2])
    expect((await rerankAgain(named(true), fused, { ...defaultFusion, rerankWeight: 1 })).ranks).toEqual([1])
  })

  it('keeps only the weights of the given signals', () => {
    expect(onlySignals(defaultWeights, ['keyword'])).toMatchObject({
      keyword: defaultWeights.keyword,
      semantic: 0,
      lead: 0,
    })
  })
})

describe('calibration', () => {
  /** An answer is likely if the sum is above one half and the lead above a tenth; not every question has a lead. */
  const drawn = Array.from({ length: 4_000 }, (): TopCase => {
    const lead = next() < 0.5 ? null : next() * 0.6 - 0.2
    const sum = next()
    const chance = 1 / (1 + Math.exp(-12 * (sum - 0.5 + (lead === null ? 0 : 0.7 * (lead - 0.1)))))
    return { set: next() < 0.9 ? 'locomo' : 'beam', answerable: next() < chance, sum, lead, others: [] }
  })

  it('recovers the weight of a lead, and the score that means "as likely as not"', () => {
    const lead = fitLead(drawn)
    expect(lead.weight).toBeGreaterThanOrEqual(0.5)
    expect(lead.weight).toBeLessThanOrEqual(1)
    expect(Math.abs(lead.usualLead - 0.1)).toBeLessThan(0.1)
    const scale = fitScale(drawn, lead)
    expect(Math.abs(scale.middle - 0.5)).toBeLessThan(0.05)
    expect(Math.abs(scale.slope - 12)).toBeLessThan(2)
    expect(errorOf(drawn, lead, scale)).toBeLessThan(
      errorOf(drawn, { weight: 0, usualLead: 0 }, { middle: 0.5, slope: 0 }),
    )
    const areas = [lead, { weight: 0, usualLead: 0 }].map((fit) =>
      areaOf(drawn.map((one) => ({ answerable: one.answerable, score: withLead(one, fit) }))),
    )
    expect(areas[0]).toBeGreaterThan(areas[1] ?? 1)
  })

  it('ignores a lead that is uninformative or misleading', () => {
    const reversed = drawn.map((one) => ({ ...one, lead: one.lead === null ? null : -one.lead }))
    expect(fitLead(reversed)).toEqual({ weight: 0, usualLead: 0 })
  })

  it('reports AUC per fold, and scales; or that there is nothing to calibrate', async () => {
    const unanswerable = byWords.map((one) => ({
      ...one,
      id: `${one.id} without`,
      answerable: false,
      candidates: one.candidates.map(([, ...scores]) => [0, ...scores.map((score) => score && score / 2)]),
    }))
    const folds = foldsOf(casesOf(features([...byWords, ...unanswerable]), ['locomo']), 3)
    const text = await scaleReport(folds, [defaultFusion, defaultFusion, defaultFusion], defaultFusion)
    expect(text).toMatch(/locomo: sum alone +\| +\d+\.\d \| +\d+\.\d \| +\d+\.\d \|/)
    expect(text).toMatch(/hybrid +\| +0\.\d+ \|/)
    const answered = foldsOf(casesOf(features(byWords), ['locomo']), 3)
    expect(await scaleReport(answered, [], defaultFusion)).toContain('nothing to calibrate')
  })
})
