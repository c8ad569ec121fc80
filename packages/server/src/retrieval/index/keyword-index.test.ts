import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KeywordIndex, KeywordScratch } from './keyword-index.js'
import { isStopWord, tokenize } from './tokenize.js'

/** Textbook BM25 over whole texts. */
function referenceScores(texts: ReadonlyMap<number, string>, query: string): Map<number, number> {
  const documents = new Map([...texts].map(([document, text]) => [document, tokenize(text)]))
  const averageLength = [...documents.values()].reduce((sum, tokens) => sum + tokens.length, 0) / documents.size
  const unique = [...new Set(tokenize(query))]
  const telling = unique.filter((token) => !isStopWord(token))
  const terms = telling.length > 0 ? telling : unique
  const idf = (term: string) => {
    const frequency = [...documents.values()].filter((tokens) => tokens.includes(term)).length
    return Math.log(1 + (documents.size - frequency + 0.5) / (frequency + 0.5))
  }
  const best = terms.reduce((sum, term) => sum + idf(term) * 2.2, 0)
  return new Map(
    [...documents].map(([document, tokens]) => {
      const sum = terms.reduce((total, term) => {
        const frequency = Math.min(255, tokens.filter((token) => token === term).length)
        const norm = 1.2 * (0.25 + (0.75 * tokens.length) / averageLength)
        return frequency === 0 ? total : total + (idf(term) * frequency * 2.2) / (frequency + norm)
      }, 0)
      return [document, sum / best]
    }),
  )
}

/** One for all queries, as in the service: no query may see what an earlier one left. */
const scratch = new KeywordScratch()

function scoresOf(index: KeywordIndex, texts: ReadonlyMap<number, string>, end: number, query: string): Float64Array {
  const flags = new Uint8Array(end)
  for (const document of texts.keys()) flags[document] = 1
  const most = index.score(query, { end, count: texts.size, flags, hasRemoved: true }, scratch) ?? 1
  const found = [...scratch.found.subarray(0, scratch.foundCount)]
  const scores = scratch.sums.map((sum) => sum / most).subarray(0, end)
  // Exactly the documents with a score are found, each once.
  expect(found.sort((a, b) => a - b)).toEqual([...scores.keys()].filter((document) => scores[document] !== 0))
  return scores
}

const word = fc.constantFrom('apple', 'pear', 'plum', 'the', 'is', 'naïve', '東京', 'running', 'runs', 'c++', 'zebra')
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '))

describe('keyword index', () => {
  it('scores like BM25 over the remaining texts, before and after compaction', () => {
    const cases = fc.record({
      texts: fc.array(text, { minLength: 1, maxLength: 60 }),
      removed: fc.array(fc.nat(59)),
      query: fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => `${words.join(' ')} unheard`),
    })
    fc.assert(
      fc.property(cases, ({ texts, removed, query }) => {
        const index = new KeywordIndex()
        texts.forEach((content, document) => {
          index.add(document, content)
        })
        const left = new Map(texts.entries())
        for (const document of removed) if (left.delete(document)) index.remove(document)
        fc.pre(left.size > 0)
        const before = scoresOf(index, left, texts.length, query)
        for (const [document, score] of referenceScores(left, query)) expect(before[document]).toBeCloseTo(score, 10)

        const numbers = new Int32Array(texts.length).fill(-1)
        const compacted = new Map([...left.values()].entries())
        ;[...left.keys()].forEach((document, number) => {
          numbers[document] = number
        })
        index.compact(numbers)
        const after = scoresOf(index, compacted, compacted.size, query)
        for (const [document, score] of referenceScores(compacted, query))
          expect(after[document]).toBeCloseTo(score, 10)
      }),
    )
  })

  it('holds long posting lists and many terms', () => {
    const index = new KeywordIndex()
    const count = 5_000
    const texts = new Map<number, string>()
    for (let document = 0; document < count; document++)
      texts.set(document, `common word${document % 1000} only${document}`)
    for (const [document, content] of texts) index.add(document, content)
    const found = (query: string) => scoresOf(index, texts, count, query).filter((score) => score > 0).length
    expect(found('common')).toBe(count)
    expect(found('word7')).toBe(5)
    expect(found('only4321')).toBe(1)
    expect(found('only9999')).toBe(0)
  })

  it('counts a term up to 255 times in one document', () => {
    const index = new KeywordIndex()
    const texts = new Map([
      [0, 'echo '.repeat(1000)],
      [1, 'echo'],
    ])
    for (const [document, content] of texts) index.add(document, content)
    const scores = scoresOf(index, texts, 2, 'echo')
    for (const [document, score] of referenceScores(texts, 'echo')) expect(scores[document]).toBeCloseTo(score, 10)
  })

  it('scores a memory lower for a query with a word that no memory has', () => {
    const index = new KeywordIndex()
    const texts = new Map([[0, 'John likes coffee']])
    index.add(0, 'John likes coffee')
    const [full = 0] = scoresOf(index, texts, 1, 'coffee')
    const [partly = 0] = scoresOf(index, texts, 1, 'coffee zorblax')
    expect(full).toBeGreaterThan(partly)
    expect(partly).toBeGreaterThan(0)
  })

  it('takes about 50 bytes per memory of 20 words', () => {
    const index = new KeywordIndex()
    const count = 20_000
    let state = 1
    const random = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
      return state / 0x80000000
    }
    for (let document = 0; document < count; document++) {
      // Word frequencies are distributed as in language: a few words make up most of a text.
      const words = Array.from({ length: 20 }, () => `w${Math.floor(5_000 ** random())}`)
      index.add(document, words.join(' '))
    }
    expect(index.byteSize / count).toBeLessThan(60)
  })
})
