/** Compares the answers of recall with the suite. Pure functions; `observe.ts` asks. */
import { contains } from '../natural/score.js'
import { areaUnderCurve } from '../quality/metrics.js'
import type { Category, Plan, Question } from './cases.js'

/** A memory that recall returned, with the turns that it was made from. */
export interface Result {
  readonly turns: readonly number[]
  readonly content: string
  readonly score: number
}

export interface QuestionScore {
  readonly category: Category
  /** Whether each result answers the question, best result first. */
  readonly right: readonly boolean[]
  readonly scores: readonly number[]
  /** Rank, from 1, of the first result that answers; Infinity if there is none. */
  readonly rank: number
  /** Rank at which the last needed turn was found; Infinity if one is missing. */
  readonly completeAt: number
  readonly canBeOutdated: boolean
  readonly outdatedFirst: boolean
  readonly canBeForbidden: boolean
  readonly forbiddenFirst: boolean
}

export function scoreQuestion(question: Question, results: readonly Result[]): QuestionScore {
  const { category, answers, outdated, forbidden } = question
  const rankOf = (turn: number, quote?: string) => {
    const index = results.findIndex((result) => isOf(result, turn, quote))
    return index < 0 ? Number.POSITIVE_INFINITY : index + 1
  }
  const right = results.map((result) => answersIt(question, result))
  const [first] = results
  const firstIsOf = (turns: readonly number[]) =>
    first !== undefined && right[0] === false && turns.some((turn) => isOf(first, turn))
  const rank = right.indexOf(true) + 1
  return {
    category,
    right,
    scores: results.map(({ score }) => score),
    rank: rank === 0 ? Number.POSITIVE_INFINITY : rank,
    completeAt:
      answers.length === 0
        ? Number.POSITIVE_INFINITY
        : Math.max(...answers.map(({ turn, quote }) => rankOf(turn, quote))),
    canBeOutdated: outdated.length > 0,
    outdatedFirst: firstIsOf(outdated),
    canBeForbidden: forbidden.length > 0,
    forbiddenFirst: firstIsOf(forbidden),
  }
}

function answersIt({ answers, also }: Question, result: Result): boolean {
  return answers.some(({ turn, quote }) => isOf(result, turn, quote)) || also.some((turn) => isOf(result, turn))
}

/** A memory may hold only one of a turn's sentences, so the turn alone does not prove that it has the value. */
function isOf({ turns, content }: Result, turn: number, quote?: string): boolean {
  return turns.includes(turn) && (quote === undefined || contains(content, quote))
}

export interface PlanScore {
  readonly needs: number
  readonly covered: number
  readonly missing: readonly string[]
}

/** What recall marks as outdated (docs/api.md). A reader will not use it. */
const outdatedMark = /\(outdated since [^)]*\)/g

export function scorePlan({ needs }: Plan, context: string): PlanScore {
  const lines = context.replace(outdatedMark, '').split('\n')
  const missing = needs.filter(({ quote }) => !lines.some((line) => contains(line, quote))).map(({ quote }) => quote)
  return { needs: needs.length, covered: needs.length - missing.length, missing }
}

/* ------------------------------------------------------------------ totals */

/** `of` is the number of questions that the count is about. */
export interface Share {
  readonly count: number
  readonly of: number
}

export interface CategoryTotals {
  readonly category: string
  readonly first: Share
  readonly inThree: Share
  readonly inTen: Share
  readonly outdatedFirst: Share
  readonly forbiddenFirst: Share
}

export interface Totals {
  readonly categories: readonly CategoryTotals[]
  readonly all: CategoryTotals
  /** Somebody else's fact first, for questions about the user. */
  readonly othersForMe: Share
  readonly bothInFive: Share
  /** Undefined without unanswerable or without answerable questions. */
  readonly abstentionArea: number | undefined
  readonly thresholds: readonly ThresholdTotals[]
  readonly reliability: Reliability
  readonly reliabilityOfFirst: Reliability
  readonly plansCovered: Share
  readonly needsCovered: Share
}

export interface ThresholdTotals {
  readonly threshold: number
  /** Answerable questions with a right result at or above the threshold. */
  readonly kept: Share
  /** Unanswerable questions without any result at or above it. */
  readonly silent: Share
}

export function totalsOf(
  scores: readonly QuestionScore[],
  plans: readonly PlanScore[],
  thresholds: readonly number[],
): Totals {
  const answerable = scores.filter(({ category }) => category !== 'unanswerable')
  const unanswerable = scores.filter(({ category }) => category === 'unanswerable')
  const names = [...new Set(answerable.map(({ category }) => category))]
  const aboutMe = answerable.filter(
    ({ category, canBeForbidden }) => (category === 'mine' || category === 'current') && canBeForbidden,
  )
  const topScore = ({ scores: [best = 0] }: QuestionScore) => best
  return {
    categories: names.map((name) =>
      categoryTotals(
        name,
        answerable.filter(({ category }) => category === name),
      ),
    ),
    all: categoryTotals('all', answerable),
    othersForMe: shareOf(aboutMe, ({ forbiddenFirst }) => forbiddenFirst),
    bothInFive: shareOf(
      answerable.filter(({ category }) => category === 'two'),
      ({ completeAt }) => completeAt <= 5,
    ),
    abstentionArea:
      answerable.length === 0 || unanswerable.length === 0
        ? undefined
        : areaUnderCurve(answerable.map(topScore), unanswerable.map(topScore)),
    thresholds: thresholds.map((threshold) => ({
      threshold,
      kept: shareOf(answerable, ({ right, scores: all }) =>
        right.some((is, index) => is && (all[index] ?? 0) >= threshold),
      ),
      silent: shareOf(unanswerable, (score) => score.scores.every((value) => value < threshold)),
    })),
    reliability: reliabilityOf(scores.flatMap((score) => guessesOf(score))),
    reliabilityOfFirst: reliabilityOf(scores.flatMap((score) => guessesOf(score).slice(0, 1))),
    plansCovered: shareOf(plans, ({ needs, covered }) => covered === needs),
    needsCovered: {
      count: plans.reduce((sum, { covered }) => sum + covered, 0),
      of: plans.reduce((sum, { needs }) => sum + needs, 0),
    },
  }
}

function categoryTotals(category: string, scores: readonly QuestionScore[]): CategoryTotals {
  return {
    category,
    first: shareOf(scores, ({ rank }) => rank === 1),
    inThree: shareOf(scores, ({ rank }) => rank <= 3),
    inTen: shareOf(scores, ({ rank }) => rank <= 10),
    outdatedFirst: shareOf(
      scores.filter(({ canBeOutdated }) => canBeOutdated),
      ({ outdatedFirst }) => outdatedFirst,
    ),
    forbiddenFirst: shareOf(
      scores.filter(({ canBeForbidden }) => canBeForbidden),
      ({ forbiddenFirst }) => forbiddenFirst,
    ),
  }
}

function shareOf<T>(items: readonly T[], has: (item: T) => boolean): Share {
  return { count: items.filter(has).length, of: items.length }
}

/* ------------------------------------------------------------------ reliability */

interface Guess {
  readonly score: number
  readonly right: boolean
}

function guessesOf({ scores, right }: QuestionScore): Guess[] {
  return scores.map((score, index) => ({ score, right: right[index] ?? false }))
}

export interface Reliability {
  /** Expected calibration error: the mean distance between score and share of right results, weighted by bin. */
  readonly error: number
  readonly bins: readonly Bin[]
}

export interface Bin {
  readonly from: number
  readonly count: number
  readonly meanScore: number
  readonly right: number
}

const binCount = 10

/** Over ten bins of equal width; empty ones are left out. */
export function reliabilityOf(guesses: readonly Guess[]): Reliability {
  const bins = Array.from({ length: binCount }, (_, index): Bin[] => {
    const inside = guesses.filter(({ score }) => Math.min(binCount - 1, Math.floor(score * binCount)) === index)
    if (inside.length === 0) return []
    const meanScore = inside.reduce((sum, { score }) => sum + score, 0) / inside.length
    const right = inside.filter((guess) => guess.right).length / inside.length
    return [{ from: index / binCount, count: inside.length, meanScore, right }]
  }).flat()
  const error = bins.reduce((sum, { count, meanScore, right }) => sum + count * Math.abs(meanScore - right), 0)
  return { error: guesses.length === 0 ? 0 : error / guesses.length, bins }
}
