import { describe, expect, it } from 'vitest'
import { LanguageModelFailure } from '../../models/llm/llm.js'
import { answeringModel } from './answering-model.fixture.js'
import { questionsFor, readByModel, type Sentence } from './read.js'

const saidAt = Date.UTC(2026, 2, 2, 10)
const sentence = (segment: number, text: string, more: Partial<Sentence> = {}): Sentence => ({
  segment,
  text,
  turn: 0,
  speaker: null,
  saidAt,
  localTexts: [text],
  ...more,
})
const text = [
  sentence(0, 'My sister Anna lives in Paris.'),
  sentence(2, 'She works at Acme since 2020.'),
  sentence(4, 'I have two dogs.', { turn: 1, speaker: 'Tom' }),
]

const memory = (words: string, sentences: unknown, more: object = {}) => ({ text: words, sentences, ...more })
const read = (...memories: unknown[]) => readByModel(answeringModel({ memories }), text, 1_000)

describe('reading by a language model', () => {
  it('sends numbered sentences with speaker and day, as data', async () => {
    const stub = answeringModel({ memories: [] })
    await readByModel(stub, text, 1_000)
    const [question] = stub.asked
    expect(JSON.parse(question?.data ?? '')).toEqual({
      sentences: [
        { n: 1, speaker: 'SPEAKER', said: '2026-03-02, Monday', text: 'My sister Anna lives in Paris.' },
        { n: 2, speaker: 'SPEAKER', said: '2026-03-02, Monday', text: 'She works at Acme since 2020.' },
        { n: 3, speaker: 'Tom', said: '2026-03-02, Monday', text: 'I have two dogs.' },
      ],
    })
    expect(question?.instructions).not.toContain('Anna')
  })

  it('accepts memories with their segments, and normalizes white space', async () => {
    const { memories, refused } = await read(
      memory(' My sister Anna\n works at Acme since 2020. ', [2, 1, 2]),
      memory('I have two dogs.', [3]),
    )
    expect(memories.map(({ text: words, segments }) => [words, segments])).toEqual([
      ['My sister Anna works at Acme since 2020.', [0, 2]],
      ['I have two dogs.', [4]],
    ])
    expect(refused).toBe(0)
  })

  it('counts only sentences of the last turn, because the others have another speaker', async () => {
    const { memories } = await read(memory('Tom and Anna have two dogs.', [1, 3]))
    expect(memories.map(({ segments }) => segments)).toEqual([[4]])
  })

  it.each<[string, unknown]>([
    ['a number that was not given', memory('My sister Anna lives in Paris.', [1, 4])],
    ['number zero', memory('My sister Anna lives in Paris.', [0])],
    ['an id', memory('My sister Anna lives in Paris.', ['mem_01h455vb4pex5vsknk084sn02q'])],
    ['no sentence', memory('My sister Anna lives in Paris.', [])],
    ['a sentence that is none', memory('My sister Anna lives in Paris.', '1')],
    ['a text of a wrong type', memory(7 as never, [1])],
    ['no text', { sentences: [1] }],
    ['an empty text', memory(' \n ', [1])],
    ['a text beyond all bounds', memory('Anna '.repeat(300), [1])],
    ['a NUL', memory('My sister Anna lives in Paris.\u0000', [1])],
    ['half a character', memory('My sister Anna lives in Paris.\ud83d', [1])],
    ['an invented name', memory('My sister Clara lives in Paris.', [1])],
    ['an invented year', memory('My sister Anna works at Acme since 2021.', [2])],
    ['an invented denial', memory('My sister Anna does not live in Paris.', [1])],
    ['null', null],
  ])('refuses %s', async (_, claim) => {
    const { memories, refused } = await read(claim, memory('I have two dogs.', [3]))
    expect(memories.map(({ segments }) => segments)).toEqual([[4]])
    expect(refused).toBe(1)
  })

  it('accepts the day of a statement, and dates that the local path resolved', async () => {
    const today = [
      sentence(0, 'I met Bob yesterday, and Tom on Friday.', { localTexts: ['and Tom on Friday (27 February 2026)'] }),
    ]
    const answer = async (words: string) =>
      (await readByModel(answeringModel({ memories: [memory(words, [1])] }), today, 1_000)).memories.length
    expect(await answer('On 2026-03-02 I said that I met Bob yesterday.')).toBe(1)
    expect(await answer('I met Bob yesterday (1 March 2026).')).toBe(1)
    expect(await answer('I met Tom on 2026-02-27.')).toBe(1)
    expect(await answer('I met Bob on 2026-02-28.')).toBe(0)
    expect(await answer('I met Bob on 4 April 2026.')).toBe(0)
  })

  it.each<[string, unknown]>([
    ['another shape', { facts: [] }],
    ['memories that are no list', { memories: { 0: 'x' } }],
  ])('fails on %s', async (_, answer) => {
    await expect(readByModel(answeringModel(answer), text, 1_000)).rejects.toThrow(LanguageModelFailure)
  })

  it('rejects a flood of memories entirely', async () => {
    const { memories, refused } = await read(...Array.from({ length: 500 }, () => memory('I have two dogs.', [3])))
    expect([memories.length, refused]).toEqual([0, 500])
  })

  it('skips malformed entities and relationships', async () => {
    const anna = { name: 'Anna', type: 'PERSON', aliases: [] }
    const { memories } = await read(
      memory('My sister Anna lives in Paris.', [1], {
        entities: [anna, { name: 'Paris', type: 'CITY' }, { name: 'x'.repeat(500), type: 'PERSON' }, 7],
        relationships: [{ source: 'Anna', type: 'LIVES_IN', target: 'Paris' }, { source: 'Anna', type: 'EATS' }, null],
      }),
    )
    expect(memories[0]?.entities).toEqual([anna])
    expect(memories[0]?.relationships).toEqual([{ source: 'Anna', type: 'LIVES_IN', target: 'Paris' }])
  })
})

it('limits the number of questions for a long text, and leaves out the rest', () => {
  const short = Array.from({ length: 90 }, (_, index) => sentence(index, `Number ${index}`))
  expect(questionsFor(short).map((question) => question.length)).toEqual([40, 40, 10])
  const long = Array.from({ length: 60 }, (_, index) => sentence(index, 'x'.repeat(900)))
  const questions = questionsFor(long)
  expect(questions.map((question) => question.length)).toEqual([4, 4, 4, 4])
  expect(questions.flat().map(({ segment }) => segment)).toEqual(Array.from({ length: 16 }, (_, index) => index))
  expect(questionsFor([])).toEqual([])
})
