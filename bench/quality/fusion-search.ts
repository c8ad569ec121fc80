/**
 * Learns the weights of the fusion from the scores of each signal for every question's candidates. The service's own
 * `fusedScore` combines the signals; this file only chooses and evaluates weights.
 *
 * The part that a preceding question adds to a memory (`reply`) depends slightly on the weights of meaning and words:
 * it is taken as it was when the features were written. After a large change, regenerate the features and learn again.
 */
import {
  defaultFusion,
  type FusionWeights,
  fusedScore,
  type Scores,
} from '../../packages/server/src/retrieval/rank/fuse.js'
import { random } from '../random.js'
import type { AskedQuestion, Features } from './features.js'
import { type Outcome, summarize } from './metrics.js'
import { deepest } from './task.js'

/** A question with its candidates in the fusion's format. */
export interface Case {
  readonly set: string
  readonly question: AskedQuestion
  readonly candidates: readonly CaseCandidate[]
}

interface CaseCandidate {
  readonly gold: boolean
  readonly scores: Scores
  /** Null: ranked too low to be reranked. */
  readonly rerank: number | null
}

export interface Quality {
  readonly 'any@5': number
  readonly 'any@10': number
  readonly MRR: number
  /** Their mean: the objective to maximize. */
  readonly all: number
}

export const weightNames = Object.keys(defaultFusion.weights) as (keyof FusionWeights)[]
/** Signals that have a weight but no score: they move all candidates equally. */
const withoutScore: readonly string[] = ['lead']

export function casesOf({ signals, questions }: Features, sets: readonly string[]): Case[] {
  const missing = weightNames.filter((name) => !signals.includes(name) && !withoutScore.includes(name))
  if (missing.length > 0) throw new Error(`the file has no scores for ${missing.join(', ')}: regenerate it`)
  return questions
    .filter(({ task }) => sets.includes(task))
    .map((question) => ({
      set: question.task,
      question,
      candidates: question.candidates.map(([gold, ...scores]) => ({
        gold: gold === 1,
        scores: Object.fromEntries(signals.map((name, index) => [name, scores[index] ?? null])) as Scores,
        rerank: scores[signals.length] ?? null,
      })),
    }))
}

/** The ranks of the evidence under these weights. */
export function judge(one: Case, weights: FusionWeights): Outcome {
  return outcomeOf(
    one,
    one.candidates.map(({ scores }) => fusedScore(scores, weights)),
  )
}

/** `scores`: the candidates' scores, in order. */
export function outcomeOf({ question, candidates }: Case, scores: readonly number[]): Outcome {
  const ranks: number[] = []
  for (const [index, { gold }] of candidates.entries()) {
    if (!gold) continue
    const own = scores[index] ?? 0
    // Equal candidates keep their order.
    let rank = 1
    for (const [place, other] of scores.entries()) if (other > own || (other === own && place < index)) rank += 1
    if (rank <= deepest) ranks.push(rank)
  }
  const { id, answerable, goldCount } = question
  const topScore = scores.reduce((top, score) => Math.max(top, score), 0)
  return { id, category: 'all', answerable, goldCount, ranks: ranks.sort((a, b) => a - b), topScore }
}

export function qualityOf(outcomes: readonly Outcome[]): Quality {
  const metrics = summarize(outcomes)?.metrics
  if (!metrics) throw new Error('no question with an answer')
  const { 'any@5': five, 'any@10': ten, MRR } = metrics
  return { 'any@5': five, 'any@10': ten, MRR, all: (five + ten + MRR) / 3 }
}

/** Each set has the same weight, however many questions it has. */
export function objective(judged: readonly { readonly set: string; readonly outcome: Outcome }[]): number {
  const bySet = new Map<string, Outcome[]>()
  for (const { set, outcome } of judged) {
    if (!outcome.answerable) continue
    const outcomes = bySet.get(set)
    if (outcomes) outcomes.push(outcome)
    else bySet.set(set, [outcome])
  }
  const all = [...bySet.values()].map((outcomes) => qualityOf(outcomes).all)
  return all.reduce((sum, score) => sum + score, 0) / Math.max(1, all.length)
}

const stepSizes = [0.16, 0.08, 0.04, 0.02]
/** More than one, because the first local maximum may not be the highest. */
const randomStarts = 2
/** Smaller differences are rounding errors. */
const leastGain = 1e-9

export function learnWeights(all: readonly Case[]): FusionWeights {
  const cases = all.filter(({ question }) => question.answerable)
  const next = random(20_260_101)
  const starts = Array.from({ length: randomStarts }, () => mapWeights(() => next()))
  const [first, ...others] = [defaultFusion.weights, ...starts].map((start) => climb(cases, start))
  if (!first) throw new Error('there is no starting point')
  return others.reduce((best, other) => (other.score > best.score ? other : best), first).weights
}

/** Changes one weight after the other while it helps, in decreasing steps. */
function climb(cases: readonly Case[], start: FusionWeights): { weights: FusionWeights; score: number } {
  const scoreOf = (weights: FusionWeights) =>
    objective(cases.map((one) => ({ set: one.set, outcome: judge(one, weights) })))
  let best = { weights: start, score: scoreOf(start) }
  for (const step of stepSizes) {
    for (let improved = true; improved; ) {
      improved = false
      for (const name of weightNames.filter((name) => !withoutScore.includes(name))) {
        for (const direction of [step, -step]) {
          const moved = Math.min(1, Math.max(0, best.weights[name] + direction))
          const weights = { ...best.weights, [name]: moved }
          const score = scoreOf(weights)
          if (score <= best.score + leastGain) continue
          best = { weights, score }
          improved = true
        }
      }
    }
  }
  return { ...best, weights: normalised(best.weights) }
}

/** Meaning and words are shares of 1; only their ratio counts. */
function normalised(weights: FusionWeights): FusionWeights {
  const sum = weights.semantic + weights.keyword
  return {
    ...weights,
    semantic: weights.semantic / sum,
    keyword: weights.keyword / sum,
    lead: defaultFusion.weights.lead,
  }
}

export function mapWeights(weightOf: (name: keyof FusionWeights) => number): FusionWeights {
  return Object.fromEntries(weightNames.map((name) => [name, weightOf(name)])) as unknown as FusionWeights
}

/**
 * The folds for cross-validation. A conversation is in one fold only, and every fold contains some of every set. A set
 * with a single conversation (abstracts, not dialogues) is split by questions.
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
