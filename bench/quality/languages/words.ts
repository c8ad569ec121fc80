/** Plain BM25 with the service's own index and words: no vectors and no other signal. */
import { KeywordIndex, KeywordScratch } from '../../../packages/server/src/retrieval/index/keyword-index.js'
import type { Passage, PassageQuestion } from './data.js'
import { shareOf } from './vectors.js'

/** Returns the places of the texts that share a word with the query, best first. */
export function wordSearch(texts: readonly string[]): (query: string) => number[] {
  const index = new KeywordIndex()
  const scratch = new KeywordScratch()
  for (const [place, text] of texts.entries()) index.add(place, text)
  const live = {
    end: texts.length,
    count: texts.length,
    flags: new Uint8Array(texts.length).fill(1),
    hasRemoved: false,
  }
  return (query) => {
    index.score(query, live, scratch)
    const found = [...scratch.found.subarray(0, scratch.foundCount)]
    return found.sort((a, b) => (scratch.sums[b] ?? 0) - (scratch.sums[a] ?? 0) || a - b)
  }
}

/** The share of questions with a gold passage among the first `depth`. */
export function passagesFoundByWords(
  passages: readonly Passage[],
  questions: readonly PassageQuestion[],
  depth: number,
): number {
  const search = wordSearch(passages.map(({ text }) => text))
  return shareOf(questions, ({ text, gold }) =>
    search(text)
      .slice(0, depth)
      .some((place) => gold.includes(passages[place]?.id ?? '')),
  )
}
