import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { proximityReranker } from './proximity-reranker.js'

const reranker = proximityReranker()

async function best(query: string, texts: readonly string[]): Promise<string | undefined> {
  const scores = await reranker.score(query, texts)
  return texts[scores.indexOf(Math.max(...scores))]
}

describe('the proximity reranker', () => {
  it.each([
    [
      'more of the words',
      'red bicycle in Lisbon',
      ['A red bicycle was bought in Lisbon', 'A red car', 'Lisbon is warm'],
    ],
    [
      'words that stand together',
      'coffee allergy',
      [
        'She has a coffee allergy',
        'Coffee is served at nine in the large hall by the river, and her brother has an allergy',
      ],
    ],
    ['words in order', 'man bites dog', ['The man bites the dog', 'The dog bites the man']],
    ['other forms of a word', 'who is studying biology', ['Anna studies biology', 'Anna teaches chemistry']],
    ['doubled consonants', 'running shoes', ['He runs in new shoes', 'He sleeps in new shoes']],
    ['the exact number', 'flight 1042', ['Her flight is 1042', 'Her flight is 104']],
    ['accents and case', 'JOSÉ', ['jose called', 'Maria called']],
    [
      'the rarer word',
      'Anna passport',
      ['The passport lies in the drawer', 'Anna likes tea', 'Anna likes jazz', 'Anna reads'],
    ],
  ])('prefers %s', async (_, query, texts) => {
    expect(await best(query, [...texts].reverse())).toBe(texts[0])
  })

  it('gives nothing for stop words alone, an empty query or a text without any of the words', async () => {
    expect(await reranker.score('what is the', ['what is the matter'])).toEqual([0])
    expect(await reranker.score('', ['anything', ''])).toEqual([0, 0])
    expect(await reranker.score('bicycle', ['a car', ''])).toEqual([0, 0])
    expect(await reranker.score('bicycle', [])).toEqual([])
  })

  it('gives the whole score to a text that is the query', async () => {
    const [score] = await reranker.score('Anna bought a red bicycle', ['Anna bought a red bicycle'])
    expect(score).toBeCloseTo(1)
  })

  it('scores any texts between 0 and 1, each time the same', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^(Anna|anna's|red|the|bike|bikes|7|é| |,){0,12}$/),
    )
    await fc.assert(
      fc.asyncProperty(text, fc.array(text, { maxLength: 8 }), async (query, texts) => {
        const scores = await reranker.score(query, texts)
        expect(scores).toHaveLength(texts.length)
        for (const score of scores) expect(score >= 0 && score <= 1).toBe(true)
        expect(await reranker.score(query, texts)).toEqual(scores)
      }),
    )
  })
})
