/** What the embedder alone finds, by exact cosine. */
import { divide } from '../../../packages/server/src/ingest/divide.js'
import type { Embedder } from '../../../packages/server/src/models/models.js'
import type { SentencePair } from '../general.js'
import { spearman } from '../metrics.js'
import { dot } from '../vector-cache.js'
import type { Passage, PassageQuestion, Translation } from './data.js'

/** The share of foreign sentences whose nearest English sentence, among all of them, is their translation. */
export async function translationsFound(
  embedder: Embedder,
  all: readonly Translation[],
  asked: readonly Translation[],
): Promise<number> {
  // Some English sentences occur twice, and either one is right.
  const english = [...new Set(all.map((pair) => pair.english))]
  const candidates = await embedder.embed(english)
  const queries = await embedder.embed(asked.map(({ foreign }) => foreign))
  return shareOf(asked, (pair, index) => english[nearest(queries[index], candidates, 1)[0] ?? -1] === pair.english)
}

/** The share of questions with a gold passage among the nearest `depth`. A passage is as near as its nearest part, as the service stores it. */
export async function passagesFound(
  embedder: Embedder,
  passages: readonly Passage[],
  questions: readonly PassageQuestion[],
  depth: number,
): Promise<number> {
  const parts = passages.flatMap(({ id, text }) => partsOf(text).map((part) => ({ id, part })))
  const candidates = await embedder.embed(parts.map(({ part }) => part))
  const queries = await embedder.embed(questions.map(({ text }) => text))
  return shareOf(questions, ({ gold }, index) => {
    const first = new Set<string>()
    for (const place of nearest(queries[index], candidates, candidates.length)) {
      if (first.size === depth) break
      first.add(parts[place]?.id ?? '')
    }
    return gold.some((id) => first.has(id))
  })
}

function partsOf(text: string): string[] {
  return divide({ content: text }, 0).memories.map(({ content }) => content)
}

/** Rank correlation of cosine and rating. */
export async function agreement(embedder: Embedder, pairs: readonly SentencePair[]): Promise<number> {
  const ofA = await embedder.embed(pairs.map(({ a }) => a))
  const ofB = await embedder.embed(pairs.map(({ b }) => b))
  return spearman(
    pairs.map((_, index) => dot(vectorAt(ofA, index), vectorAt(ofB, index))),
    pairs.map(({ score }) => score),
  )
}

function nearest(query: Float32Array | undefined, candidates: readonly Float32Array[], depth: number): number[] {
  if (!query) throw new Error('the embedder returned fewer vectors than texts')
  return candidates
    .map((candidate, place) => ({ place, cosine: dot(query, candidate) }))
    .sort((a, b) => b.cosine - a.cosine || a.place - b.place)
    .slice(0, depth)
    .map(({ place }) => place)
}

function vectorAt(vectors: readonly Float32Array[], index: number): Float32Array {
  const vector = vectors[index]
  if (!vector) throw new Error('the embedder returned fewer vectors than texts')
  return vector
}

export function shareOf<T>(items: readonly T[], has: (item: T, index: number) => boolean): number {
  return items.length === 0 ? 0 : items.filter(has).length / items.length
}
