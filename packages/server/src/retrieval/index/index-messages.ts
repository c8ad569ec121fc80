/** What the service's thread and the index's thread say to each other. */
import type { IndexedVersion } from '../../storage/ports/storage.js'
import type { SearchHit, SearchQuery } from './search.js'

export interface IndexSettings {
  readonly dimensions: number
  readonly modelId: string
}

/** Versions as columns: two thousand objects would take longer to copy between threads than to index. */
export interface VersionBatch {
  readonly rows: Float64Array
  readonly contents: readonly string[]
  readonly projects: readonly (string | null)[]
  readonly validFrom: Float64Array
  /** Infinity for none. */
  readonly validTo: Float64Array
  readonly expiresAt: Float64Array
  readonly flagged: Uint8Array
  /** 0 where the version has no vector of the configured model. */
  readonly scales: Float32Array
  readonly vectors: Int8Array
  readonly removedRows: Float64Array
}

export interface IndexQuery extends Omit<SearchQuery, 'onlyRows'> {
  readonly project: string | undefined
  readonly onlyRows: Float64Array | undefined
}

/**
 * An index is named by a handle that is never used twice: neither a user's id nor a mistaken one can
 * lead to another's index.
 */
export type IndexRequest =
  | { readonly kind: 'apply'; readonly handle: number; readonly first: boolean; readonly batch: VersionBatch }
  | { readonly kind: 'search'; readonly handle: number; readonly query: IndexQuery }
  | { readonly kind: 'drop'; readonly handle: number }

export interface IndexReplies {
  /** `sharedBytes`: what the thread holds for all users together. */
  apply: { readonly versions: number; readonly bytes: number; readonly sharedBytes: number }
  search: PackedHits & { readonly sharedBytes: number }
  drop: { readonly sharedBytes: number }
}

export const numbersPerHit = 6

/** Hits as numbers: a hundred objects would take longer to copy between threads than to find. */
export interface PackedHits {
  readonly searched: number
  /** `numbersPerHit` each, in the order of `SearchHit`; NaN stands for null. */
  readonly numbers: Float64Array<ArrayBuffer>
}

export interface NumberedRequest {
  readonly id: number
  readonly request: IndexRequest
}

export type NumberedReply =
  | { readonly id: number; readonly reply: IndexReplies[keyof IndexReplies] }
  | { readonly id: number; readonly failure: string }

export function batchOf(
  changed: readonly IndexedVersion[],
  removedRows: readonly number[],
  settings: IndexSettings,
): VersionBatch {
  const vectors = new Int8Array(changed.length * settings.dimensions)
  const scales = new Float32Array(changed.length)
  changed.forEach((version, index) => {
    // Vectors of two models are never compared, whatever their length.
    if (version.modelId !== settings.modelId || version.quantized.length !== settings.dimensions) return
    if (!Number.isFinite(version.scale)) return
    vectors.set(version.quantized, index * settings.dimensions)
    scales[index] = version.scale
  })
  return {
    rows: Float64Array.from(changed, (version) => version.row),
    contents: changed.map((version) => version.content),
    projects: changed.map((version) => version.project),
    validFrom: Float64Array.from(changed, (version) => version.validFrom),
    validTo: Float64Array.from(changed, (version) => version.validTo ?? Infinity),
    expiresAt: Float64Array.from(changed, (version) => version.expiresAt ?? Infinity),
    flagged: Uint8Array.from(changed, (version) => (version.flagged ? 1 : 0)),
    scales,
    vectors,
    removedRows: Float64Array.from(removedRows),
  }
}

/** Buffers to hand over instead of copying. */
export function transferables(request: IndexRequest): ArrayBuffer[] {
  // `batchOf` made this array, so its buffer is an ArrayBuffer of its own.
  return request.kind === 'apply' ? [request.batch.vectors.buffer as ArrayBuffer] : []
}

export function unpackHits({ searched, numbers }: PackedHits): { hits: SearchHit[]; searched: number } {
  const hits: SearchHit[] = []
  for (let at = 0; at < numbers.length; at += numbersPerHit) {
    hits.push({
      row: numbers[at] ?? 0,
      saidAt: numbers[at + 1] ?? 0,
      cosine: orNull(numbers[at + 2]),
      keyword: orNull(numbers[at + 3]),
      denseRank: orNull(numbers[at + 4]),
      keywordRank: orNull(numbers[at + 5]),
    })
  }
  return { hits, searched }
}

function orNull(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value
}
