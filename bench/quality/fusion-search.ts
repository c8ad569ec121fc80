/**
 * Weights of the fusion, learned from what each signal said of every question's candidates. What weights make of the
 * signals is the service's own `relevanceOf`; here they are only chosen and judged.
 */
import { defaultWeights, type FusionWeights, relevanceOf } from '../../packages/server/src/retrieval/fuse.js'
import { random } from '../random.js'
import type { AskedQuestion, Features } from './features.js'
import { type Outcome, summarize } from './metrics.js'
import { deepest } from './task.js'

type Signals = Parameters<typeof relevanceOf>[0]

/** A question with its candidates in the form that `relevanceOf` takes. */
export interface Case {
  readonly set: string
  readonly question: AskedQuestion
  readonly candidates: readonly { readonly gold: boolean; readonly signals: Signals }[]
}

export interface Scores {
  readonly 'any@5': number
  readonly 'any@10': number
  readonly MRR: number
  /** Their mean: what is made as great as can be. */
  readonly all: number
}

const weightNames = Object.keys(defaultWeights) as (keyof FusionWeights)[]

export function casesOf({ signals: names, questions }: Features, sets: readonly string[]): Case[] {
  const missing = weightNames.filter((name) => !names.includes(name))
  if (missing.length > 0) throw new Error(`the file has no scores of ${missing.join(', ')}: make it anew`)
  return questions
    .filter(({ task }) => sets.includes(task))
    .map((question) => ({
      set: question.task,
      question,
      candidates: question.candidates.map(([gold, ...scores]) => ({
        gold: gold === 1,
        // A signal that was not asked says nothing; the graph's nothing is 0.
        signals: {
          ...(Object.fromEntries(names.map((name, index) => [name, scores[index] ?? null])) as unknown as Signals),
          graph: scores[names.indexOf('graph')] ?? 0,
        },
      })),
    }))
}

/** The relevance of the best candidate, and the places of evidence, under these weights. */
export function judge({ question, candidates }: Case, weights: FusionWeights): Outcome {
  const relevances = candidates.map(({ signals }) => relevanceOf(signals, weights))
  const ranks: number[] = []
  for (const [index, { gold }] of candidates.entries()) {
    if (!gold) continue
    const own = relevances[index] ?? 0
    // Equal ones keep the order they were found in.
    const rank = 1 + relevances.filter((other, place) => other > own || (other === own && place < index)).length
    if (rank <= deepest) ranks.push(rank)
  }
  const { id, answerable, goldCount } = question
  return {
    id,
    category: 'all',
    answerable,
    goldCount,
    ranks: ranks.sort((a, b) => a - b),
    topScore: Math.max(0, ...relevances),
  }
}

/** The signals of the candidate that these weights put first. */
export function signalsOfBest({ candidates }: Case, weights: FusionWeights): number[] {
  let best: { relevance: number; signals: Signals } | undefined
  for (const { signals } of candidates) {
    const relevance = relevanceOf(signals, weights)
    if (!best || relevance > best.relevance) best = { relevance, signals }
  }
  return weightNames.map((name) => best?.signals[name] ?? 0)
}

export function scoresOf(outcomes: readonly Outcome[]): Scores {
  const metrics = summarize(outcomes)?.metrics
  if (!metrics) throw new Error('no question with an answer')
  const { 'any@5': five, 'any@10': ten, MRR } = metrics
  return { 'any@5': five, 'any@10': ten, MRR, all: (five + ten + MRR) / 3 }
}

/** Each set counts the same, however many questions it has. */
export function objective(cases: readonly Case[], weights: FusionWeights): number {
  const bySet = new Map<string, Outcome[]>()
  for (const one of cases) {
    if (!one.question.answerable) continue
    const outcomes = bySet.get(one.set) ?? []
    outcomes.push(judge(one, weights))
    bySet.set(one.set, outcomes)
  }
  const all = [...bySet.values()].map((outcomes) => scoresOf(outcomes).all)
  return all.reduce((sum, score) => sum + score, 0) / Math.max(1, all.length)
}

const stepSizes = [0.16, 0.08, 0.04, 0.02]
/** More than one: the first hill may not be the highest. */
const randomStarts = 3

export function learnWeights(cases: readonly Case[]): FusionWeights {
  const next = random(20_260_101)
  const starts = Array.from({ length: randomStarts }, () => mapWeights(() => next()))
  const [first, ...others] = [defaultWeights, ...starts].map((start) => climb(cases, start))
  if (!first) throw new Error('nowhere to start')
  return others.reduce((best, other) => (other.score > best.score ? other : best), first).weights
}

/** Moves one weight after the other as long as it helps, in ever smaller steps. */
function climb(cases: readonly Case[], start: FusionWeights): { weights: FusionWeights; score: number } {
  let best = { weights: start, score: objective(cases, start) }
  for (const step of stepSizes) {
    for (let improved = true; improved; ) {
      improved = false
      for (const name of weightNames) {
        for (const direction of [step, -step]) {
          const moved = Math.min(1, Math.max(0, best.weights[name] + direction))
          const weights = { ...best.weights, [name]: moved }
          const score = objective(cases, weights)
          if (score <= best.score + leastGain) continue
          best = { weights, score }
          improved = true
        }
      }
    }
  }
  return best
}

/** Less is the rounding of sums, not a gain. */
const leastGain = 1e-9

export function mapWeights(weightOf: (name: keyof FusionWeights) => number): FusionWeights {
  return Object.fromEntries(weightNames.map((name) => [name, weightOf(name)])) as unknown as FusionWeights
}

/**
 * The parts that are held out one after the other. A conversation is in one part only, and every part has some of every
 * set. A set of one conversation (abstracts, not talks) is parted by questions.
 */
export function foldsOf(cases: readonly Case[], count: number): Case[][] {
  const folds = Array.from({ length: count }, () => [] as Case[])
  const groups = new Map<string, Map<string, Case[]>>()
  const corporaOf = new Map<string, Set<string>>()
  for (const { set, question } of cases) corporaOf.set(set, (corporaOf.get(set) ?? new Set()).add(question.corpus))
  for (const one of cases) {
    const whole = (corporaOf.get(one.set)?.size ?? 0) > 1
    const key = whole ? one.question.corpus : one.question.id
    const ofSet = groups.get(one.set) ?? new Map<string, Case[]>()
    ofSet.set(key, [...(ofSet.get(key) ?? []), one])
    groups.set(one.set, ofSet)
  }
  for (const ofSet of groups.values()) {
    for (const [index, group] of [...ofSet.values()].entries()) folds[index % count]?.push(...group)
  }
  return folds
}
