/** Binary relevance: a unit answers a question or it does not. All figures are means over questions, from 0 to 1. */

export interface Outcome {
  readonly id: string
  readonly category: string
  readonly answerable: boolean
  readonly goldCount: number
  /** Ranks (from 1) of the gold units that were found, ascending. */
  readonly ranks: readonly number[]
  /** The score of the best result; 0 if there is none. */
  readonly topScore: number
}

const metricNames = ['any@1', 'any@5', 'any@10', 'any@20', 'all@5', 'all@10', 'NDCG@10', 'MRR'] as const
export type MetricName = (typeof metricNames)[number]
export type Metrics = Readonly<Record<MetricName, number>>

export interface Summary {
  readonly questions: number
  readonly metrics: Metrics
}

export function metricColumns(): readonly MetricName[] {
  return metricNames
}

/** Over the answerable questions; undefined if there are none. */
export function summarize(outcomes: readonly Outcome[]): Summary | undefined {
  const answerable = outcomes.filter((outcome) => outcome.answerable)
  if (answerable.length === 0) return undefined
  const mean = (of: (outcome: Outcome) => number) =>
    answerable.reduce((sum, outcome) => sum + of(outcome), 0) / answerable.length
  return {
    questions: answerable.length,
    metrics: {
      'any@1': mean((outcome) => anyWithin(outcome, 1)),
      'any@5': mean((outcome) => anyWithin(outcome, 5)),
      'any@10': mean((outcome) => anyWithin(outcome, 10)),
      'any@20': mean((outcome) => anyWithin(outcome, 20)),
      'all@5': mean((outcome) => allWithin(outcome, 5)),
      'all@10': mean((outcome) => allWithin(outcome, 10)),
      'NDCG@10': mean((outcome) => ndcg(outcome, 10)),
      MRR: mean(({ ranks: [first] }) => (first === undefined ? 0 : 1 / first)),
    },
  }
}

const normal95 = 1.96

/** The 95% interval of a share of so many questions (Wilson 1927), which holds near 0 and 1 too. */
export function shareInterval(share: number, questions: number): readonly [number, number] {
  const spread = normal95 ** 2 / questions
  const middle = (share + spread / 2) / (1 + spread)
  const half = (normal95 * Math.sqrt((share * (1 - share) + spread / 4) / questions)) / (1 + spread)
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}

/** any@k for k = 1 to `depth`, over the answerable questions. */
export function recallCurve(outcomes: readonly Outcome[], depth: number): number[] {
  const answerable = outcomes.filter((outcome) => outcome.answerable)
  return Array.from({ length: depth }, (_, index) => {
    const found = answerable.reduce((sum, outcome) => sum + anyWithin(outcome, index + 1), 0)
    return answerable.length === 0 ? 0 : found / answerable.length
  })
}

export function byCategory(outcomes: readonly Outcome[]): Record<string, Summary> {
  const categories = [...new Set(outcomes.map(({ category }) => category))].sort()
  const entries = categories.flatMap((category): [string, Summary][] => {
    const summary = summarize(outcomes.filter((outcome) => outcome.category === category))
    return summary ? [[category, summary]] : []
  })
  return Object.fromEntries(entries)
}

/**
 * How well the top score separates questions that have an answer from those that have none: the probability that one of
 * the former scores above one of the latter, ties counting half. Undefined if either kind is missing.
 */
export function abstentionArea(outcomes: readonly Outcome[]): number | undefined {
  const answerable = outcomes.filter((outcome) => outcome.answerable).map(({ topScore }) => topScore)
  const unanswerable = outcomes.filter((outcome) => !outcome.answerable).map(({ topScore }) => topScore)
  if (answerable.length === 0 || unanswerable.length === 0) return undefined
  return areaUnderCurve(answerable, unanswerable)
}

/** The probability that one of `high` is above one of `low`, ties counting half. */
export function areaUnderCurve(high: readonly number[], low: readonly number[]): number {
  const ranks = ranksOf([...high, ...low])
  const sum = ranks.slice(0, high.length).reduce((total, rank) => total + rank, 0)
  return (sum - (high.length * (high.length + 1)) / 2) / (high.length * low.length)
}

/** Rank correlation; equal values share the mean of their ranks. */
export function spearman(a: readonly number[], b: readonly number[]): number {
  return pearson(ranksOf(a), ranksOf(b))
}

function anyWithin({ ranks: [first] }: Outcome, depth: number): number {
  return first !== undefined && first <= depth ? 1 : 0
}

function allWithin({ ranks, goldCount }: Outcome, depth: number): number {
  return ranks.filter((rank) => rank <= depth).length === goldCount ? 1 : 0
}

function ndcg({ ranks, goldCount }: Outcome, depth: number): number {
  const gain = (rank: number) => 1 / Math.log2(rank + 1)
  let ideal = 0
  for (let rank = 1; rank <= Math.min(goldCount, depth); rank++) ideal += gain(rank)
  return ranks.filter((rank) => rank <= depth).reduce((sum, rank) => sum + gain(rank), 0) / ideal
}

function ranksOf(values: readonly number[]): number[] {
  const order = values.map((value, index) => ({ value, index })).sort((a, b) => a.value - b.value)
  const ranks = new Array<number>(values.length).fill(0)
  for (let start = 0; start < order.length; ) {
    let end = start
    while (end + 1 < order.length && order[end + 1]?.value === order[start]?.value) end += 1
    for (const { index } of order.slice(start, end + 1)) ranks[index] = (start + end) / 2 + 1
    start = end + 1
  }
  return ranks
}

function pearson(a: readonly number[], b: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [meanA, meanB] = [mean(a), mean(b)]
  let [product, squareA, squareB] = [0, 0, 0]
  for (const [index, value] of a.entries()) {
    const [offA, offB] = [value - meanA, (b[index] ?? 0) - meanB]
    product += offA * offB
    squareA += offA * offA
    squareB += offB * offB
  }
  return product / Math.sqrt(squareA * squareB)
}
