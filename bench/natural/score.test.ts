import { describe, expect, it } from 'vitest'
import type { NaturalCase, Question } from './cases.js'
import { contentOf } from './doors.js'
import type { FinalMemory, FoundContradiction, Observed, Result, StoredItem } from './observed.js'
import { readOptions } from './options.js'
import { type DoorResult, openJson, openText, sealedJson, sealedText, totalsOf } from './report.js'
import { contains, isMarked, refines, scoreAnswer, scoreCase } from './score.js'

function naturalCase(
  texts: readonly string[],
  rest: Partial<NaturalCase> & { expected?: Partial<NaturalCase['expect']> },
) {
  const { expected, ...others } = rest
  const one: NaturalCase = {
    id: 'nat-test',
    category: 'change',
    voice: 'test',
    turns: texts.map((content, day) => ({ role: 'user', content, at: `2025-01-0${day + 1}T10:00:00Z` })),
    questions: [],
    expect: { stored: {}, ended: [], kept: [], same: [], ...expected },
    ...others,
  }
  return one
}

function memory(id: string, content: string, rest: Partial<FinalMemory> = {}): FinalMemory {
  return { id, content, superseded: false, supersededBy: null, outdated: [], ...rest }
}

function item(id: string, action: StoredItem['action'] = 'ADD'): StoredItem {
  return { id, action, content: '' }
}

function observedOf(stored: readonly (readonly StoredItem[])[], rest: Partial<Observed> = {}): Observed {
  return {
    turns: stored.map((items) => ({ stored: items, refused: false })),
    repeatsAreSilent: false,
    memories: [],
    contradictions: [],
    answers: [],
    ...rest,
  }
}

function result(content: string, outdated: readonly string[] = []): Result {
  return { id: 'r', content, score: 0.5, outdated: outdated.map((text) => ({ text })) }
}

function contradiction(status: string, old: string): FoundContradiction {
  return { status, why: 'because', old: { id: old, content: 'the old one' }, new: { id: 'x', content: 'the new one' } }
}

const truck = 'We have two trucks, yard at Naas'
const third = 'got a third truck'
const questions: Question[] = [
  { ask: 'How many trucks?', right: ['third truck'], outdated: ['two trucks'] },
  { ask: 'Where is the yard?', right: ['Naas'], outdated: [] },
]
const trucks = naturalCase([truck, third], {
  questions,
  expected: { stored: { 0: true, 1: true }, ended: ['has two trucks'], kept: ['the yard is at Naas'] },
})
const bothStored = [[item('a')], [item('b')]]
const bothKept = [memory('a', truck), memory('b', third)]

describe('a quote', () => {
  it.each([
    ['ignores case, quotation marks and white space', 'She’s  at NAAS', "she's at naas", true],
    ['ignores explanations that the service inserts', 'left today (1 May 2025) at six', 'today at six', true],
    ['may contain parentheses itself', 'Node 18 (see .nvmrc)', '18 (see .nvmrc)', true],
    ['must be there as a whole', 'two big trucks', 'two trucks', false],
  ])('%s', (_, text, quote, expected) => {
    expect(contains(text, quote)).toBe(expected)
  })

  it('is marked by an outdated part that contains it or is contained in it, and by no other part', () => {
    expect(isMarked([{ text: 'we have two trucks' }], 'two trucks')).toBe(true)
    expect(isMarked([{ text: 'trucks' }], 'two trucks')).toBe(true)
    expect(isMarked([{ text: 'Naas' }], 'two trucks')).toBe(false)
    expect(isMarked([{ text: ' ' }], 'two trucks')).toBe(false)
  })
})

describe('an answer', () => {
  const [changed] = questions as [Question]
  it.each([
    ['is right if the first result has the new value', [result(third), result(truck)], true, true],
    ['is wrong if the old value is first', [result(truck), result(third)], false, true],
    ['is wrong if the first result has both values', [result(`${truck}, ${third}`)], false, true],
    ['is right if the old value is marked', [result(`${truck}, ${third}`, ['two trucks'])], true, true],
    ['is wrong without a result', [], false, false],
  ])('%s', (_, results, first, complete) => {
    expect(scoreAnswer(changed, results)).toMatchObject({ changed: true, first, complete })
  })

  it('is wrong if the first result has a wrong quote', () => {
    const question = { ask: 'Who?', right: ['Ann'], outdated: [], wrong: ['Bob'] }
    expect(scoreAnswer(question, [result('Ann and Bob')])).toMatchObject({ changed: false, first: false })
  })

  it('is complete only if every right quote is among the results', () => {
    const question = { ask: 'Who?', right: ['Ann', 'Bob'], outdated: [] }
    expect(scoreAnswer(question, [result('Ann')])).toMatchObject({ first: true, complete: false })
  })
})

describe('an old fact', () => {
  const score = (rest: Partial<Observed>) =>
    scoreCase(trucks, observedOf(bothStored, { memories: bothKept, ...rest })).ended.map(({ state }) => state)

  it('is replaced if its memory is superseded or outdated in that part', () => {
    expect(score({ memories: [memory('a', truck, { superseded: true, supersededBy: 'b' })] })).toEqual(['replaced'])
    expect(score({ memories: [memory('a', truck, { outdated: [{ text: 'two trucks' }] })] })).toEqual(['replaced'])
  })

  it.each([
    ['applied', 'replaced'],
    ['accepted', 'replaced'],
    ['open', 'open'],
    ['reverted', 'missed'],
  ])('with a contradiction that is %s is %s', (status, state) => {
    expect(score({ contradictions: [contradiction(status, 'a')] })).toEqual([state])
  })

  it('is missed if its memory is untouched, outdated elsewhere, or only the new side of a contradiction', () => {
    expect(score({})).toEqual(['missed'])
    expect(score({ memories: [memory('a', truck, { outdated: [{ text: 'Naas' }] })] })).toEqual(['missed'])
    expect(score({ contradictions: [contradiction('open', 'b')] })).toEqual(['missed'])
  })

  it('that no question quotes is not measurable', () => {
    const one = { ...trucks, expect: { ...trucks.expect, ended: ['one', 'two', 'three'] } }
    expect(scoreCase(one, observedOf(bothStored)).unmeasurable).toBe(2)
  })
})

describe('a compatible fact', () => {
  it('is lost where its memory is superseded as a whole', () => {
    const memories = [memory('a', truck, { superseded: true, supersededBy: 'b' }), memory('b', third)]
    const { lost, right } = scoreCase(trucks, observedOf(bothStored, { memories }))
    expect(lost).toEqual([{ content: truck, how: `"Naas" superseded by "${third}"` }])
    expect(right).toBe(false)
  })

  it('is kept where only the old part is outdated, or where another current memory has it', () => {
    const part = [memory('a', truck, { outdated: [{ text: 'two trucks' }] }), memory('b', third)]
    expect(scoreCase(trucks, observedOf(bothStored, { memories: part })).lost).toEqual([])
    const split = [memory('a', 'two trucks', { superseded: true, supersededBy: 'b' }), memory('c', 'yard at Naas')]
    expect(scoreCase(trucks, observedOf([[item('a'), item('c')], [item('b')]], { memories: split })).lost).toEqual([])
  })

  it('is lost where nothing ends but a memory is superseded or outdated in part', () => {
    const one = naturalCase(['I have a dog', 'I have a cat'], { expected: { stored: { 0: true, 1: true } } })
    const superseded = [
      memory('a', 'I have a dog', { superseded: true, supersededBy: 'b' }),
      memory('b', 'I have a cat'),
    ]
    expect(scoreCase(one, observedOf(bothStored, { memories: superseded })).lost).toHaveLength(1)
    const part = [memory('a', 'I have a dog', { outdated: [{ text: 'a dog' }] })]
    expect(scoreCase(one, observedOf(bothStored, { memories: part })).lost).toHaveLength(1)
  })

  it('is not lost with small talk, nor where the newer memory states the same fact', () => {
    const memories = [memory('a', 'ok', { superseded: true, supersededBy: 'b' }), memory('b', 'ok then')]
    const chatter = naturalCase(['ok', 'ok then'], { expected: { stored: { 0: false } } })
    expect(scoreCase(chatter, observedOf(bothStored, { memories })).lost).toEqual([])
    const same = naturalCase(['ok', 'ok then'], { expected: { stored: { 0: true, 1: true }, same: [[0, 1]] } })
    expect(scoreCase(same, observedOf(bothStored, { memories })).lost).toEqual([])
  })

  it('with an open contradiction counts as raised without need only where nothing ends', () => {
    const found = { memories: bothKept, contradictions: [contradiction('open', 'a'), contradiction('reverted', 'a')] }
    const calm = { ...trucks, questions: [], expect: { ...trucks.expect, ended: [] } }
    expect(scoreCase(calm, observedOf(bothStored, found)).raised).toHaveLength(1)
    expect(scoreCase(trucks, observedOf(bothStored, found)).raised).toEqual([])
  })
})

describe('a fuller text', () => {
  const home = 'I live in Valparaiso'
  const street = 'I live in Valparaiso in the street Templeman, number 561'

  it('has every name and number, most other words, and more', () => {
    expect(refines(street, home)).toBe(true)
    expect(
      refines("skip's Friday for Gladstone Terrace, council wants a permit", 'skip for Gladstone Terrace comes Friday'),
    ).toBe(true)
    expect(refines('I live in Santiago in the street Templeman, number 561', home)).toBe(false)
    expect(
      refines('the meeting with the auditors is at 10 in the large room', 'the meeting with the auditors is at 9'),
    ).toBe(false)
    expect(refines(home, home)).toBe(false)
  })

  it('loses nothing where it supersedes, and is no mistaken repetition', () => {
    const stored = [[item('a')], [item('b', 'UPDATE')]]
    const expected = { stored: { 0: true, 1: true }, kept: ['lives in Valparaiso'] }
    const scoreOf = (later: string) => {
      const memories = [memory('a', home, { superseded: true, supersededBy: 'b' }), memory('b', later)]
      const { lost, mistaken } = scoreCase(naturalCase([home, later], { expected }), observedOf(stored, { memories }))
      return [lost.length, mistaken.length]
    }
    expect(scoreOf(street)).toEqual([0, 0])
    expect(scoreOf('My sister lives in Santiago, in the street Templeman')).toEqual([1, 1])
  })
})

describe('storage', () => {
  it('counts small talk only if it became a memory', () => {
    const one = naturalCase(['hi', 'hi'], { expected: { stored: { 0: false, 1: false } } })
    const { chatter } = scoreCase(one, observedOf([[item('a')], [item('a', 'NOOP')]]))
    expect(chatter).toEqual({ of: 2, found: [0] })
  })

  it('counts a statement as lost only if the store returned no memory', () => {
    const one = naturalCase(['a', 'a', 'b'], { expected: { stored: { 0: true, 1: true, 2: true } } })
    const { statements } = scoreCase(one, observedOf([[item('a')], [item('a', 'NOOP')], []]))
    expect(statements).toEqual({ of: 3, found: [2] })
  })

  it('counts a right quote that a stored turn dropped', () => {
    const memories = [memory('a', 'two trucks'), memory('b', third)]
    expect(scoreCase(trucks, observedOf(bothStored, { memories })).values).toEqual({ of: 2, found: ['Naas'] })
  })
})

describe('duplicates', () => {
  const expected = { stored: { 0: true, 1: true, 2: true }, same: [[0, 1]] }
  const one = naturalCase(['Hall C for stats', 'stats is in Hall C', 'maths is in Hall D'], { expected })
  const score = (stored: readonly (readonly StoredItem[])[], rest: Partial<Observed> = {}) => {
    const { same, mistaken } = scoreCase(one, observedOf(stored, rest))
    return { found: same.found, mistaken }
  }

  it('are recognised by NOOP, or by an UPDATE that supersedes the first', () => {
    expect(score([[item('a')], [item('a', 'NOOP')], [item('c')]])).toEqual({ found: [[0, 1]], mistaken: [] })
    const memories = [memory('a', 'x', { superseded: true, supersededBy: 'b' }), memory('b', 'y'), memory('c', 'z')]
    const updated = score([[item('a')], [item('b', 'UPDATE')], [item('c')]], { memories })
    expect(updated).toEqual({ found: [[0, 1]], mistaken: [] })
  })

  it('are not recognised if the second is stored again, or only in part', () => {
    expect(score([[item('a')], [item('b')], [item('c')]]).found).toEqual([])
    expect(score([[item('a')], [item('a', 'NOOP'), item('b')], [item('c')]]).found).toEqual([])
  })

  it('cost precision if a different fact is taken for the same', () => {
    const found = score([[item('a')], [item('b')], [item('a', 'NOOP')]])
    expect(found).toEqual({ found: [], mistaken: [[0, 2]] })
  })

  it('do not include a fact that ended as expected', () => {
    const memories = [memory('a', 'We have two trucks', { superseded: true, supersededBy: 'b' }), memory('b', third)]
    const stored = [[item('a')], [item('b', 'UPDATE')]]
    expect(scoreCase(trucks, observedOf(stored, { memories })).mistaken).toEqual([])
  })

  it('that a batch swallows are recognised; through other doors they are lost statements', () => {
    const stored = [[item('a')], [], [item('c')]]
    const batch = scoreCase(one, observedOf(stored, { repeatsAreSilent: true }))
    expect([batch.same.found, batch.statements.found]).toEqual([[[0, 1]], []])
    const single = scoreCase(one, observedOf(stored))
    expect([single.same.found, single.statements.found]).toEqual([[], [1]])
  })
})

describe('a case', () => {
  it('is right if every answer, ending, memory and duplicate is', () => {
    const memories = [memory('a', truck, { outdated: [{ text: 'two trucks' }] }), memory('b', third)]
    const answers = [[result(third), result(truck)], [result(truck)]]
    expect(scoreCase(trucks, observedOf(bothStored, { memories, answers })).right).toBe(true)
    expect(scoreCase(trucks, observedOf(bothStored, { memories: bothKept, answers })).right).toBe(false)
    expect(scoreCase(trucks, observedOf(bothStored, { memories, answers: [...answers].reverse() })).right).toBe(false)
  })
})

describe('the report', () => {
  const observed = observedOf(bothStored, { memories: bothKept, answers: [[result(truck)], [result(truck)]] })
  const score = scoreCase(trucks, observed)
  const totals = totalsOf([score], [10, 30])
  const door: DoorResult = { door: 'content', seconds: 1, totals, measured: [{ one: trucks, observed, score }] }

  it('has the shares and the mean processor time', () => {
    expect(totals).toMatchObject({ cases: 1, stores: 2, storeCpuMs: 20 })
    const rows = Object.fromEntries(totals.rows.map(({ name, count, of }) => [name, [count, of]]))
    expect(rows).toMatchObject({
      'changed facts: newest first': [0, 1],
      'old fact ended': [0, 1],
      'statements lost': [0, 2],
      'questions: first result right': [1, 2],
      '– change': [0, 1],
    })
  })

  it('shows failed cases, but no id and no text of a sealed case', () => {
    const secrets = ['nat-test', 'truck', 'Naas']
    for (const secret of secrets) {
      expect(openText(door, true)).toContain(secret)
      expect(JSON.stringify(openJson(door))).toContain(secret)
      expect(sealedText(door)).not.toContain(secret)
      expect(JSON.stringify(sealedJson(door))).not.toContain(secret)
    }
  })
})

describe('the command line', () => {
  it('refuses options that would reveal sealed cases, and unknown doors', () => {
    for (const option of ['--failures', '--only=nat-0001', '--category=change'])
      expect(() => readOptions(['--sealed', option])).toThrow('--sealed cannot be combined')
    expect(() => readOptions(['--door', 'window'])).toThrow('unknown window')
  })

  it('uses single requests by default', () => {
    expect(readOptions([]).doors).toEqual(['content', 'messages'])
  })
})

it('puts the speaker into the content', () => {
  const turn = { role: 'user', content: 'hello', at: '' } as const
  expect(contentOf(turn)).toBe('hello')
  expect(contentOf({ ...turn, name: 'Ruth' })).toBe('Ruth: hello')
  expect(contentOf({ ...turn, role: 'assistant' })).toBe('Assistant: hello')
})
