/** The input and the result of a search in one user's index. */
import type { TimeSpan } from '../../language/dates/time-span.js'

export interface SearchQuery {
  /** Null: search by keywords only. */
  readonly vector: Float32Array | null
  /** Null: search by meaning only. */
  readonly text: string | null
  readonly moment: { readonly kind: 'now'; readonly now: number } | { readonly kind: 'asOf'; readonly at: number }
  /** Include versions that are no longer valid. Expired versions stay excluded. */
  readonly includeHistory: boolean
  readonly includeFlagged: boolean
  /** If given, search only these versions. */
  readonly onlyRows?: readonly number[]
  /** If given, search only versions that were said in one of these spans. */
  readonly within?: readonly TimeSpan[]
  /** Candidates from each ranking. */
  readonly limit: number
}

/** A step of `UserIndexes.searchAhead`. */
export interface AheadStep {
  /** Undefined: all projects. */
  readonly project: string | undefined
  readonly queries: readonly SearchQuery[]
  /** Versions that are not stored yet, but count as stored for the steps after this one. */
  readonly added: readonly AheadVersion[]
}

interface AheadVersion {
  readonly content: string
  readonly project: string | null
  readonly validFrom: number
  readonly expiresAt: number | null
  readonly flagged: boolean
  readonly vector: Float32Array
}

export interface SearchHit {
  readonly row: number
  /** When the version was said, which is when it became valid. */
  readonly saidAt: number
  /** Approximate. Null when no vector was searched, or when another model embedded the version. */
  readonly cosine: number | null
  /** 0 to 1. Null when no text was searched, or when the text has no words. */
  readonly keyword: number | null
  /** From 1 among the best by cosine. Null when not among them. */
  readonly denseRank: number | null
  /** From 1 among the best by keywords. Null when not among them. */
  readonly keywordRank: number | null
}

export function isVector(vector: Float32Array, dimensions: number): boolean {
  if (vector.length !== dimensions) return false
  let sum = 0
  for (let index = 0; index < vector.length; index++) sum += vector[index] ?? 0
  // A single NaN or infinity makes the sum one.
  return Number.isFinite(sum)
}
