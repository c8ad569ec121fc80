/** Hits among stored versions and hits among versions that are not stored yet, ranked together by their scores. */
import type { SearchHit } from './search.js'

export function mergeAhead(stored: readonly SearchHit[], ahead: readonly SearchHit[], limit: number): SearchHit[] {
  const all = [...stored, ...ahead]
  const ranksBy = (rank: 'denseRank' | 'keywordRank', score: 'cosine' | 'keyword') => {
    const ranked = all.filter((hit) => hit[rank] !== null).sort((a, b) => (b[score] ?? 0) - (a[score] ?? 0))
    return new Map(ranked.slice(0, limit).map(({ row }, index) => [row, index + 1]))
  }
  const [dense, keyword] = [ranksBy('denseRank', 'cosine'), ranksBy('keywordRank', 'keyword')]
  return all
    .map((hit) => ({ ...hit, denseRank: dense.get(hit.row) ?? null, keywordRank: keyword.get(hit.row) ?? null }))
    .filter(({ denseRank, keywordRank }) => denseRank !== null || keywordRank !== null)
    .sort((a, b) => (a.denseRank ?? Infinity) - (b.denseRank ?? Infinity))
}
