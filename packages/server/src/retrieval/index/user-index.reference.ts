/** For the tests of the index: the same search as a scan of every version. */
import { expect } from 'vitest'
import type { UserScope } from '../../core/scope.js'
import type { IndexedVersion } from '../../storage/ports/index-feed.js'
import type { SearchQuery } from './search.js'
import { isStopWord, tokenize } from './tokenize.js'
import { modelId } from './user-index.fixture.js'
import type { UserIndexes } from './user-indexes.js'

function isAllowed(item: IndexedVersion, scope: UserScope, query: SearchQuery): boolean {
  const at = query.moment.kind === 'now' ? query.moment.now : query.moment.at
  const isNow = query.moment.kind === 'now'
  if (!isNow && item.validFrom >= at) return false
  const hasEnded = item.validTo !== null && (isNow || item.validTo < at)
  if (hasEnded && !query.includeHistory) return false
  if (item.expiresAt !== null && item.expiresAt <= at) return false
  if (item.flagged && !query.includeFlagged) return false
  if (scope.project !== undefined && item.project !== scope.project) return false
  if (query.within && !query.within.some(({ from, to }) => item.validFrom >= from && item.validFrom < to)) return false
  return query.onlyRows === undefined || query.onlyRows.includes(item.row)
}

function cosineOf(item: IndexedVersion, vector: Float32Array): number {
  return item.quantized.reduce((sum, component, column) => sum + component * item.scale * (vector[column] ?? 0), 0)
}

/** BM25 over all versions of the user. Null without a term. */
function keywordOf(all: readonly IndexedVersion[], query: string): ((item: IndexedVersion) => number) | null {
  const unique = [...new Set(tokenize(query))]
  const telling = unique.filter((token) => !isStopWord(token))
  const terms = telling.length > 0 ? telling : unique
  if (terms.length === 0) return null
  const tokens = new Map(all.map((item) => [item.row, tokenize(item.content)]))
  const averageLength = [...tokens.values()].reduce((sum, list) => sum + list.length, 0) / all.length
  const weights = terms.map((term) => {
    const frequency = [...tokens.values()].filter((list) => list.includes(term)).length
    return Math.log(1 + (all.length - frequency + 0.5) / (frequency + 0.5))
  })
  const best = weights.reduce((sum, weight) => sum + weight * 2.2, 0)
  return (item) => {
    const list = tokens.get(item.row) ?? []
    return terms.reduce((sum, term, index) => {
      const frequency = list.filter((token) => token === term).length
      if (frequency === 0) return sum
      const norm = 1.2 * (0.25 + (0.75 * list.length) / averageLength)
      return sum + ((weights[index] ?? 0) * frequency * 2.2) / (frequency + norm) / best
    }, 0)
  }
}

/** With four bits per component and 100 components, the error of a cosine is about 0.01, and hardly ever four times that. */
function expectNear(cosine: number | null, expected: number): void {
  expect(Math.abs((cosine ?? 2) - expected)).toBeLessThan(0.045)
}

export function expectLikeReference(
  all: readonly IndexedVersion[],
  scope: UserScope,
  query: SearchQuery,
  found: Awaited<ReturnType<UserIndexes['search']>>,
): void {
  const allowed = new Map(all.filter((item) => isAllowed(item, scope, query)).map((item) => [item.row, item]))
  const keyword = query.text === null ? null : keywordOf(all, query.text)
  const { vector } = query
  expect(found.searched).toBe(allowed.size)
  for (const hit of found.hits) {
    const item = allowed.get(hit.row)
    if (!item) throw new Error(`row ${hit.row} is not allowed`)
    expect(hit.denseRank ?? hit.keywordRank).not.toBeNull()
    expect(hit.saidAt).toBe(item.validFrom)
    if (keyword) expect(hit.keyword).toBeCloseTo(keyword(item), 9)
    else expect(hit.keyword).toBeNull()
    if (vector && item.modelId === modelId) expectNear(hit.cosine, Math.min(1, cosineOf(item, vector)))
    else expect(hit.cosine).toBeNull()
  }
  const scoresOf = (score: (item: IndexedVersion) => number, items: IndexedVersion[]) =>
    items
      .map(score)
      .sort((a, b) => b - a)
      .slice(0, query.limit)
  const ranked = (rank: 'denseRank' | 'keywordRank') =>
    found.hits.filter((hit) => hit[rank] !== null).sort((a, b) => (a[rank] ?? 0) - (b[rank] ?? 0))
  for (const rank of ['denseRank', 'keywordRank'] as const) {
    expect(ranked(rank).map((hit) => hit[rank])).toEqual(ranked(rank).map((_, index) => index + 1))
  }
  const items = [...allowed.values()]
  const byVector = vector
    ? scoresOf(
        (item) => cosineOf(item, vector),
        items.filter((item) => item.modelId === modelId),
      )
    : []
  const byKeyword = keyword
    ? scoresOf(
        keyword,
        items.filter((item) => keyword(item) > 0),
      )
    : []
  expect(ranked('denseRank')).toHaveLength(byVector.length)
  ranked('denseRank').forEach((hit, index) => {
    expectNear(hit.cosine, Math.min(1, byVector[index] ?? 0))
  })
  expect(ranked('keywordRank')).toHaveLength(byKeyword.length)
  ranked('keywordRank').forEach((hit, index) => {
    expect(hit.keyword).toBeCloseTo(byKeyword[index] ?? 0, 9)
  })
}
