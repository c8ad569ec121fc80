/**
 * A rule reranker after the proximity measures of Tao and Zhai (2007): a text is good if it holds the query's
 * informative words, holds them near each other, and holds neighbours in the query's order. Words that few
 * of the texts share weigh more. It knows word forms only by a light stemmer and no meaning at all: a neural
 * cross-encoder is expected to beat it.
 */
import type { Reranker } from './models.js'
import { informativeWords, type WordAt } from './rerank-words.js'

const coverageWeight = 0.7
const nearnessWeight = 0.2
const orderWeight = 0.1
/** Only this much of a text is read, which bounds the time for hostile ones. */
const maxTextWords = 2_000
const maxQueryWords = 64

export function proximityReranker(): Reranker {
  return {
    modelId: 'proximity-rules-1',
    async score(query, texts) {
      const queryWords = informativeWords(query).slice(0, maxQueryWords)
      const documents = texts.map((text) => informativeWords(text).slice(0, maxTextWords))
      const weights = weighWords(queryWords, documents)
      return documents.map((document) => scoreOne(queryWords, weights, document))
    },
  }
}

/** Rarity among the candidates; a word that all have tells them apart by nothing but still counts a little. */
function weighWords(query: readonly WordAt[], documents: readonly (readonly WordAt[])[]): Map<string, number> {
  const holders = new Map<string, number>()
  for (const { stem } of query) holders.set(stem, 0)
  for (const document of documents) {
    for (const stem of new Set(document.map((word) => word.stem))) {
      const count = holders.get(stem)
      if (count !== undefined) holders.set(stem, count + 1)
    }
  }
  return new Map([...holders].map(([stem, count]) => [stem, Math.log(1 + (documents.length + 1) / (count + 0.5))]))
}

function scoreOne(query: readonly WordAt[], weights: ReadonlyMap<string, number>, document: readonly WordAt[]): number {
  const hits = document.filter((word) => weights.has(word.stem))
  if (hits.length === 0) return 0
  const found = new Set(hits.map((word) => word.stem))
  const total = sumOf(weights, weights.keys())
  const coverage = sumOf(weights, found) / total
  const score =
    coverage * (coverageWeight + nearnessWeight * nearness(hits, found.size, weights.size)) +
    orderWeight * orderedPairs(query, document)
  return Math.min(1, score)
}

function sumOf(weights: ReadonlyMap<string, number>, stems: Iterable<string>): number {
  let sum = 0
  for (const stem of stems) sum += weights.get(stem) ?? 0
  return sum
}

/** One if the found words stand side by side, falling with the shortest stretch that holds them all. */
function nearness(hits: readonly WordAt[], foundCount: number, queryCount: number): number {
  // A single word of several is near to nothing; a query of one word has nothing to be near to.
  if (foundCount === 1) return queryCount === 1 ? 1 : 0
  const inWindow = new Map<string, number>()
  let shortest = Number.POSITIVE_INFINITY
  let start = 0
  for (const hit of hits) {
    inWindow.set(hit.stem, (inWindow.get(hit.stem) ?? 0) + 1)
    while (inWindow.size === foundCount) {
      const first = hits[start]
      if (!first) break
      shortest = Math.min(shortest, hit.position - first.position + 1)
      const left = (inWindow.get(first.stem) ?? 1) - 1
      if (left === 0) inWindow.delete(first.stem)
      else inWindow.set(first.stem, left)
      start += 1
    }
  }
  return foundCount / Math.max(foundCount, shortest)
}

/** Share of the query's neighbouring words that are neighbours in the text, in the same order. */
function orderedPairs(query: readonly WordAt[], document: readonly WordAt[]): number {
  // A query of one word is in order wherever it is found, and this is asked only of texts that hold a word.
  if (query.length < 2) return 1
  const pairs = new Set(neighbours(document))
  const wanted = neighbours(query)
  return wanted.filter((pair) => pairs.has(pair)).length / wanted.length
}

/** Stop words between two words don't part them: "works at Acme" holds "works Acme". */
function neighbours(words: readonly WordAt[]): string[] {
  return words.slice(1).map((word, index) => `${words[index]?.stem ?? ''} ${word.stem}`)
}
