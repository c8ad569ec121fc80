import { describe, expect, it } from 'vitest'
import type { EntityType } from '../../core/entity.js'
import { labelCount, spansFrom, taggedTypes } from './tag-decode.js'

/** Labels by name: `O`, `B-PERSON`, … */
function label(name: string): number {
  if (name === 'O') return 0
  const [part = '', type = ''] = name.split('-')
  return 1 + taggedTypes.indexOf(type as EntityType) * 4 + 'BIES'.indexOf(part)
}

/** Scores by word: the given value for each given label, zero for all others. */
function scoresOf(words: readonly Readonly<Record<string, number>>[]): Float32Array {
  const scores = new Float32Array(words.length * labelCount)
  for (const [word, likes] of words.entries())
    for (const [name, score] of Object.entries(likes)) scores[word * labelCount + label(name)] = score
  return scores
}

const spans = (words: readonly Readonly<Record<string, number>>[], reluctance = 0) =>
  spansFrom(scoresOf(words), words.length, reluctance).map(({ first, last, type }) => `${first}-${last} ${type}`)

describe('the best path of labels', () => {
  it('reads names of one and of several words', () => {
    expect(
      spans([{ 'S-PERSON': 9 }, { O: 9 }, { 'B-ORG': 9 }, { 'I-ORG': 9 }, { 'E-ORG': 9 }, { 'S-LOCATION': 9 }]),
    ).toEqual(['0-0 PERSON', '2-4 ORG', '5-5 LOCATION'])
  })

  it('repairs invalid names: a beginning without an end, two types in one', () => {
    expect(spans([{ 'B-PERSON': 5, 'S-PERSON': 4 }, { O: 9 }])).toEqual(['0-0 PERSON'])
    expect(spans([{ 'B-ORG': 9 }, { 'E-PERSON': 6, 'E-ORG': 5 }])).toEqual(['0-1 ORG'])
    expect(spans([{ 'E-LOCATION': 9, 'S-LOCATION': 8 }])).toEqual(['0-0 LOCATION'])
  })

  it('finds fewer names with higher reluctance', () => {
    const words = [{ 'S-PERSON': 1, O: 0.5 }]
    expect(spans(words)).toEqual(['0-0 PERSON'])
    expect(spans(words, 1)).toEqual([])
  })

  it('scores a name by its least certain word', () => {
    const [span] = spansFrom(scoresOf([{ 'B-ORG': 20 }, { 'E-ORG': 0.1 }]), 2)
    expect(span?.score).toBeLessThan(0.1)
    expect(spansFrom(new Float32Array(0), 0)).toEqual([])
  })
})
