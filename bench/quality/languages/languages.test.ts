import { describe, expect, it } from 'vitest'
import type { Embedder } from '../../../packages/server/src/models/models.js'
import { sampled } from './data.js'
import { agreement, passagesFound, translationsFound } from './vectors.js'
import { passagesFoundByWords, wordSearch } from './words.js'

/** Each text has the direction that its number gives. */
function embedderOf(directions: Readonly<Record<string, number>>): Embedder {
  return {
    modelId: 'test',
    dimensions: 2,
    embed: async (texts) =>
      texts.map((text) => Float32Array.of(Math.cos(directions[text] ?? 0), Math.sin(directions[text] ?? 0))),
    queueLength: () => 0,
    close: () => Promise.resolve(),
  }
}

describe('sampled', () => {
  it('draws the same items in every run, in their order, and all of a short list', () => {
    const all = Array.from({ length: 1000 }, (_, index) => index)
    const some = sampled(all, 250)
    expect(some).toEqual(sampled(all, 250))
    expect(some).toEqual([...new Set(some)].sort((a, b) => a - b))
    expect(some.length).toBe(250)
    expect(some.slice(0, 10)).not.toEqual(all.slice(0, 10))
    expect(sampled([1, 2, 3], 250)).toEqual([1, 2, 3])
  })
})

describe('figures of an embedder', () => {
  const embedder = embedderOf({ dog: 0, cat: 1, bird: 2, Hund: 0.1, Katze: 1.1, Vogel: 0.2 })
  const pairs = [
    { english: 'dog', foreign: 'Hund' },
    { english: 'cat', foreign: 'Katze' },
    { english: 'bird', foreign: 'Vogel' },
  ]

  it('count a translation only if it is the nearest of all English sentences', async () => {
    expect(await translationsFound(embedder, pairs, pairs)).toBeCloseTo(2 / 3)
    expect(await translationsFound(embedder, pairs, pairs.slice(2))).toBe(0)
    const repeated = [...pairs, { english: 'dog', foreign: 'Vogel' }]
    expect(await translationsFound(embedder, repeated, repeated.slice(3))).toBe(1)
  })

  it('count a passage among the nearest', async () => {
    const passages = ['dog', 'cat', 'bird'].map((text) => ({ id: text, text }))
    const questions = [
      { id: 'q1', text: 'Hund', gold: ['dog'] },
      { id: 'q2', text: 'Vogel', gold: ['bird', 'cat'] },
    ]
    expect(await passagesFound(embedder, passages, questions, 1)).toBe(0.5)
    expect(await passagesFound(embedder, passages, questions, 2)).toBe(1)
  })

  it('agree with ratings that rank pairs alike', async () => {
    const rated = [
      { a: 'dog', b: 'Hund', score: 5 },
      { a: 'dog', b: 'cat', score: 2 },
      { a: 'dog', b: 'bird', score: 0 },
    ]
    expect(await agreement(embedder, rated)).toBeCloseTo(1)
    expect(
      await agreement(
        embedder,
        rated.map((pair) => ({ ...pair, score: -pair.score })),
      ),
    ).toBeCloseTo(-1)
  })
})

describe('figures of words', () => {
  const passages = [
    { id: 'p1', text: 'Я живу в Казани' },
    { id: 'p2', text: 'Моя сестра работает программистом' },
  ]

  it('rank texts that share more words first, and leave out the others', () => {
    const search = wordSearch(['a red car', 'a red house with a red door', 'blue'])
    expect(search('red door')).toEqual([1, 0])
    expect(search('green')).toEqual([])
  })

  it('count a question by the words of its language', () => {
    const questions = [
      { id: 'q1', text: 'Кто программист?', gold: ['p2'] },
      { id: 'q2', text: 'Какая погода?', gold: ['p1'] },
    ]
    expect(passagesFoundByWords(passages, questions, 1)).toBe(0.5)
  })
})
