import { describe, expect, it } from 'vitest'
import { type Person, type Question, readPeople } from './cases.js'
import { fillerCount, fillerTexts, fillerUntil } from './filler.js'
import { readOptions } from './options.js'
import { type DoorResult, failuresText, openJson, totalsJson, totalsText } from './report.js'
import { type QuestionScore, type Result, reliabilityOf, scorePlan, scoreQuestion, totalsOf } from './score.js'

function question(rest: Partial<Question>): Question {
  return {
    ask: 'Where?',
    category: 'current',
    answers: [{ turn: 2 }],
    also: [],
    outdated: [0],
    forbidden: [1],
    ...rest,
  }
}

function result(turn: number, content = '', score = 0.5): Result {
  return { turns: [turn], content, score }
}

const nowhere = Number.POSITIVE_INFINITY

describe('a question', () => {
  it.each([
    ['is right first if the first memory is of an answering turn', [2, 0], 1, false, false],
    ['is outdated first if the former value leads', [0, 2], 2, true, false],
    ['has a forbidden first if somebody else’s fact leads', [1, 5, 2], 3, false, true],
    ['may have an unrelated first', [7, 2], 2, false, false],
    ['is not found without its turn', [7, 0], nowhere, false, false],
    ['is not found without results', [], nowhere, false, false],
  ])('%s', (_, turns, rank, outdatedFirst, forbiddenFirst) => {
    const results = turns.map((turn) => result(turn))
    expect(scoreQuestion(question({}), results)).toMatchObject({ rank, outdatedFirst, forbiddenFirst })
  })

  it('counts a turn that answers too as right, but does not need it', () => {
    const asked = question({ also: [3] })
    expect(scoreQuestion(asked, [result(3), result(2)])).toMatchObject({ rank: 1, completeAt: 2 })
  })

  it('needs the quote in the memory, because a turn may make several memories', () => {
    const asked = question({ answers: [{ turn: 2, quote: 'Leeds' }] })
    const results = [result(2, 'The cat hates it'), result(2, 'Moved to LEEDS')]
    expect(scoreQuestion(asked, results)).toMatchObject({ rank: 2, right: [false, true] })
  })

  it('is right if a repetition made the former memory the current one', () => {
    expect(scoreQuestion(question({}), [{ turns: [0, 2], content: '', score: 1 }])).toMatchObject({
      rank: 1,
      outdatedFirst: false,
    })
  })

  it('is complete at the rank of the last needed turn', () => {
    const asked = question({ category: 'two', answers: [{ turn: 2 }, { turn: 4 }] })
    expect(scoreQuestion(asked, [result(4), result(9), result(2)]).completeAt).toBe(3)
    expect(scoreQuestion(asked, [result(4)]).completeAt).toBe(nowhere)
  })

  it('without an answer is never right or complete', () => {
    const asked = question({ category: 'unanswerable', answers: [], outdated: [], forbidden: [] })
    expect(scoreQuestion(asked, [result(0)])).toMatchObject({ rank: nowhere, completeAt: nowhere, right: [false] })
  })
})

describe('a plan', () => {
  const plan = {
    ask: 'Plan a dinner',
    needs: [
      { turn: 0, quote: 'can’t have nuts' },
      { turn: 1, quote: 'vegan' },
    ],
  }

  it('is covered by the quotes in its context, whatever their case and marks', () => {
    const context = "[2025-01-01] Ann can't have nuts (Ann)\n[2025-01-02] I am Vegan"
    expect(scorePlan(plan, context)).toEqual({ needs: 2, covered: 2, missing: [] })
  })

  it('misses a quote that is split over lines, absent, or marked as outdated', () => {
    expect(scorePlan(plan, "can't have\nnuts").missing).toEqual(['can’t have nuts', 'vegan'])
    expect(scorePlan(plan, "I am (outdated since 2025-03-01: vegan). She can't have nuts").missing).toEqual(['vegan'])
  })
})

describe('totals', () => {
  const asked = (rest: Partial<Question>, ...results: Result[]) => scoreQuestion(question(rest), results)
  const scores: QuestionScore[] = [
    asked({}, result(2, '', 0.9), result(0, '', 0.2)),
    asked({}, result(0, '', 0.6), result(2, '', 0.05)),
    asked({ category: 'mine', outdated: [] }, result(1, '', 0.4), result(8), result(8), result(2, '', 0.3)),
    asked({ category: 'two', answers: [{ turn: 2 }, { turn: 3 }], outdated: [], forbidden: [] }, result(3), result(2)),
    asked({ category: 'unanswerable', answers: [], outdated: [], forbidden: [] }, result(4, '', 0.45)),
    asked({ category: 'unanswerable', answers: [], outdated: [], forbidden: [] }),
  ]
  const plans = [
    { needs: 2, covered: 2, missing: [] },
    { needs: 3, covered: 1, missing: ['a', 'b'] },
  ]
  const totals = totalsOf(scores, plans, [0.1, 0.5])

  it('count ranks over answerable questions only, in all and per category', () => {
    expect(totals.all).toMatchObject({
      first: { count: 2, of: 4 },
      inThree: { count: 3, of: 4 },
      inTen: { count: 4, of: 4 },
    })
    expect(totals.categories.map(({ category, first }) => [category, first.count, first.of])).toEqual([
      ['current', 1, 2],
      ['mine', 0, 1],
      ['two', 1, 1],
    ])
  })

  it('count an outdated or forbidden first only where there is one', () => {
    expect(totals.all.outdatedFirst).toEqual({ count: 1, of: 2 })
    expect(totals.all.forbiddenFirst).toEqual({ count: 1, of: 3 })
    expect(totals.othersForMe).toEqual({ count: 1, of: 3 })
    expect(totals.bothInFive).toEqual({ count: 1, of: 1 })
  })

  it('keep an answer whose own score reaches the threshold, and are silent if no score does', () => {
    expect(totals.thresholds).toEqual([
      { threshold: 0.1, kept: { count: 3, of: 4 }, silent: { count: 1, of: 2 } },
      { threshold: 0.5, kept: { count: 2, of: 4 }, silent: { count: 2, of: 2 } },
    ])
  })

  it('compare the best score of answerable questions with that of unanswerable ones', () => {
    // 0.9, 0.6, 0.4 and 0.5 against 0.45 and 0: seven of eight pairs.
    expect(totals.abstentionArea).toBeCloseTo(7 / 8)
    expect(totalsOf(scores.slice(0, 2), [], []).abstentionArea).toBeUndefined()
  })

  it('count whole plans and single needs', () => {
    expect(totals.plansCovered).toEqual({ count: 1, of: 2 })
    expect(totals.needsCovered).toEqual({ count: 3, of: 5 })
  })
})

describe('reliability', () => {
  it('has no error if the score is the share of right results', () => {
    const guesses = [true, false, false, false].map((right) => ({ score: 0.25, right }))
    expect(reliabilityOf(guesses).error).toBeCloseTo(0)
  })

  it('weights the distance of each bin by its number of results', () => {
    const sure = [1, 1, 1].map((score) => ({ score, right: true }))
    const { error, bins } = reliabilityOf([...sure, { score: 0.42, right: false }])
    expect(error).toBeCloseTo(0.42 / 4)
    expect(bins.map(({ from, count }) => [from, count])).toEqual([
      [0.4, 1],
      [0.9, 3],
    ])
  })

  it('does not let errors in opposite directions of different bins cancel', () => {
    const guesses = [
      { score: 0.9, right: false },
      { score: 0.1, right: true },
    ]
    expect(reliabilityOf(guesses).error).toBeCloseTo(0.9)
  })

  it('is zero without results', () => {
    expect(reliabilityOf([])).toEqual({ error: 0, bins: [] })
  })
})

describe('the unrelated turns', () => {
  it('are distinct, complete and the same in every run', () => {
    const texts = fillerTexts()
    expect(new Set(texts).size).toBe(fillerCount)
    expect(texts.filter((text) => /[{}]|undefined/.test(text))).toEqual([])
    expect(fillerTexts()).toEqual(texts)
  })

  it('contain no quote of the development half', async () => {
    const people = await readPeople('dev')
    const quotes = people.flatMap(({ plans }) => plans.flatMap(({ needs }) => needs.map(({ quote }) => quote)))
    const texts = fillerTexts().join('\n').toLowerCase()
    // Names of days and people may recur.
    const long = quotes.filter((quote) => quote.split(' ').length > 1)
    expect(long.filter((quote) => texts.includes(quote.toLowerCase()))).toEqual([])
  })

  it('end before the given time', () => {
    const times = fillerUntil(1_000_000_000_000).map(({ createdAt }) => createdAt)
    expect(Math.max(...times)).toBeLessThan(1_000_000_000_000)
    expect(new Set(times).size).toBe(fillerCount)
  })
})

describe('the report', () => {
  const person: Person = {
    id: 'recall-test',
    voice: 'test',
    turns: [{ role: 'user', content: 'a secret turn', at: '2025-01-01T00:00:00Z' }],
    questions: [],
    plans: [],
  }
  const failed = question({ ask: 'a secret question', answers: [{ turn: 0 }], outdated: [] })
  const results = [result(1, 'a secret memory')]
  const plan = { ask: 'a secret plan', needs: [{ turn: 0, quote: 'a secret need' }] }
  const score = scoreQuestion(failed, results)
  const planScore = scorePlan(plan, 'a secret context')
  const door: DoorResult = {
    title: 'content',
    seconds: 1,
    refused: 0,
    threshold: 0.1,
    totals: totalsOf([score], [planScore], [0.1]),
    asked: [{ person, question: failed, results, score }],
    planned: [{ person, plan, context: 'a secret context', score: planScore }],
  }

  it('of the sealed half contains no text of a case', () => {
    expect(totalsText(door) + JSON.stringify(totalsJson(door))).not.toMatch(/secret|recall-test/)
  })

  it('of failures shows question, wanted turn, results and missing needs', () => {
    const text = failuresText(door)
    for (const part of ['question', 'turn', 'memory', 'plan', 'need', 'context'])
      expect(text).toContain(`a secret ${part}`)
    expect(text).toContain('[forbidden]')
    expect(JSON.stringify(openJson(door))).toContain('a secret memory')
  })
})

describe('the options', () => {
  it('refuse to reveal sealed cases', () => {
    expect(() => readOptions(['--sealed', '--failures'])).toThrow('would reveal')
    expect(() => readOptions(['--sealed', '--only', 'recall-13'])).toThrow('would reveal')
  })

  it('reject an unknown door and a threshold outside of 0 to 1', () => {
    expect(() => readOptions(['--door', 'window'])).toThrow('unknown window')
    expect(() => readOptions(['--threshold', '2'])).toThrow('0 to 1')
    expect(() => readOptions(['--threshold', 'high'])).toThrow('0 to 1')
  })

  it('measure both doors by default', () => {
    expect(readOptions([]).doors).toEqual(['content', 'messages'])
  })
})
