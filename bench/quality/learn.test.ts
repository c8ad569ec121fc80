import { describe, expect, it } from 'vitest'
import { defaultWeights, type FusionWeights } from '../../packages/server/src/retrieval/fuse.js'
import { random } from '../random.js'
import { type AnswerableCase, calibrate } from './calibration.js'
import type { AskedQuestion, Features } from './features.js'
import { casesOf, foldsOf, judge, learnWeights, objective } from './fusion-search.js'
import { chanceOf, fitLogistic } from './logistic.js'

const signals = Object.keys(defaultWeights)
const next = random(7)

/** A candidate's row: whether it is gold, what meaning and words say; other signals say nothing. */
function candidate(gold: boolean, semantic: number, keyword: number): number[] {
  const said = new Map([
    ['semantic', semantic],
    ['keyword', keyword],
  ])
  return [gold ? 1 : 0, ...signals.map((name) => said.get(name) ?? 0)]
}

function question(task: string, corpus: string, id: string, candidates: number[][], answerable = true): AskedQuestion {
  return { task, corpus, id, answerable, goldCount: answerable ? 1 : 0, candidates }
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

describe('judging weights', () => {
  it('ranks by the service’s relevance, and keeps the order of equals', () => {
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

  it('refuses a file that lacks a signal of the fusion', () => {
    expect(() => casesOf({ modelId: 'm', signals: ['semantic'], questions: [] }, ['locomo'])).toThrow(
      /no scores of keyword/,
    )
  })

  it('gives every set the same weight, however many questions it has', () => {
    const lost = question('beam', 'chat', 'lost', [candidate(false, 1, 1)])
    const cases = casesOf(
      features([...byWords.map((one) => ({ ...one, candidates: [candidate(true, 1, 1)] })), lost]),
      ['locomo', 'beam'],
    )
    expect(objective(cases, defaultWeights)).toBeCloseTo(0.5, 10)
  })
})

describe('learning weights', () => {
  it('finds that words tell and meaning does not', () => {
    const learned = learnWeights(casesOf(features(byWords), ['locomo']))
    expect(learned.keyword).toBeGreaterThan(3 * learned.semantic)
    const cases = casesOf(features(byWords), ['locomo'])
    const poor: FusionWeights = { ...defaultWeights, semantic: 1, keyword: 0 }
    expect(objective(cases, learned)).toBeGreaterThan(objective(cases, poor))
    expect(objective(cases, learned)).toBeGreaterThan(0.9)
  })
})

describe('folds', () => {
  const scifact = Array.from({ length: 10 }, (_, index) =>
    question('scifact', 'all', `c${index}`, [candidate(true, 1, 1)]),
  )
  const cases = casesOf(features([...byWords, ...scifact]), ['locomo', 'scifact'])
  const folds = foldsOf(cases, 5)

  it('have every question once', () => {
    expect(folds.flat()).toHaveLength(cases.length)
    expect(new Set(folds.flat()).size).toBe(cases.length)
  })

  it('never part a conversation', () => {
    for (const conversation of new Set(byWords.map(({ corpus }) => corpus))) {
      expect(folds.filter((fold) => fold.some((one) => one.question.corpus === conversation))).toHaveLength(1)
    }
  })

  it('part a set of one collection by its questions', () => {
    expect(folds.map((fold) => fold.filter(({ set }) => set === 'scifact').length)).toEqual([2, 2, 2, 2, 2])
  })
})

describe('fitLogistic', () => {
  it('finds the map that the examples were drawn from', () => {
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

  it('stays finite where the classes never overlap', () => {
    const { bias, slopes } = fitLogistic([0, 1, 2, 3].map((x) => ({ features: [x], positive: x > 1, weight: 1 })))
    expect([bias, ...slopes].every(Number.isFinite)).toBe(true)
    expect(chanceOf({ bias, slopes }, [3])).toBeGreaterThan(0.95)
  })
})

describe('calibrate', () => {
  const part = (low: number, high: number): AnswerableCase[] => [
    { set: 'locomo', answerable: true, top: high, signals: [high] },
    { set: 'locomo', answerable: true, top: high + 0.1, signals: [high] },
    { set: 'locomo', answerable: false, top: low, signals: [low] },
    { set: 'scifact', answerable: true, top: 0, signals: [0] },
  ]

  it('reports the area of each part, and leaves out sets that have an answer to everything', () => {
    const text = calibrate([part(0.2, 0.6), part(0.3, 0.7), part(0.7, 0.4)])
    expect(text).toMatch(/locomo: top relevance +\| +100\.0 \| +100\.0 \| +0\.0 \|/)
    expect(text).not.toContain('scifact')
  })

  it('says so when every question has an answer', () => {
    expect(calibrate([part(0.2, 0.6).filter(({ answerable }) => answerable)])).toContain('nothing to calibrate')
  })
})
