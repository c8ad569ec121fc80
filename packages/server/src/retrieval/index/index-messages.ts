/** The messages between the main thread and the index thread. */
import type { IndexedVersion } from '../../storage/ports/index-feed.js'
import type { SearchHit, SearchQuery } from './search.js'

export interface IndexSettings {
  readonly dimensions: number
  readonly modelId: string
}

/** Versions as columns: copying two thousand objects between threads would take longer than indexing them. */
export interface VersionBatch {
  readonly rows: Float64Array
  readonly contents: readonly string[]
  readonly projects: readonly (string | null)[]
  readonly validFrom: Float64Array
  /** Infinity for none. */
  readonly validTo: Float64Array
  readonly expiresAt: Float64Array
  readonly flagged: Uint8Array
  /** 0 if the version has no vector of the configured model. */
  readonly scales: Float32Array
  readonly vectors: Int8Array
  readonly removedRows: Float64Array
}

export interface IndexQuery extends Omit<SearchQuery, 'onlyRows'> {
  readonly project: string | undefined
  readonly onlyRows: Float64Array | undefined
}

/** See `UserIndexes.searchAhead`. The rows of `added` are numbered from 0 over all steps. */
export interface IndexStep {
  readonly queries: readonly IndexQuery[]
  readonly added: VersionBatch
}

/** For a new index. */
export interface FirstBatch {
  /** Of the words. Segments can only be added to an index with their seed. */
  readonly seed: number | undefined
}

/** Parts of an index, as `IndexSegments.segments` returns them. */
export interface StoredSegments {
  readonly bytes: Uint8Array
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** A handle identifies an index and is never reused, so that no mistake with an id can lead to another user's index. */
export type IndexRequest =
  | {
      readonly kind: 'apply'
      readonly handle: number
      readonly first: FirstBatch | false
      readonly batch: VersionBatch
    }
  | {
      readonly kind: 'restore'
      readonly handle: number
      readonly first: FirstBatch | false
      readonly segments: StoredSegments
    }
  | { readonly kind: 'encode'; readonly batch: VersionBatch; readonly seed: number }
  | { readonly kind: 'search'; readonly handle: number; readonly query: IndexQuery }
  /** `known`: false for a user whom the thread does not know. */
  | { readonly kind: 'ahead'; readonly handle: number; readonly known: boolean; readonly steps: readonly IndexStep[] }
  | { readonly kind: 'drop'; readonly handle: number }
  /** Begins a search of a user who is not in memory: see `segment-scan.ts`. A scan has a handle like an index. */
  | { readonly kind: 'scan'; readonly handle: number; readonly queries: readonly IndexQuery[] }
  /** The next older segments, in order, so that the last one is the newest. `seeds`: of their words. */
  | {
      readonly kind: 'scanSegments'
      readonly handle: number
      readonly segments: StoredSegments
      readonly seeds: readonly number[]
    }
  /** The next older versions that are in no segment. */
  | { readonly kind: 'scanRows'; readonly handle: number; readonly batch: VersionBatch }
  | { readonly kind: 'scanned'; readonly handle: number }

export interface IndexReplies {
  /** `sharedBytes`: memory that all users share. */
  apply: { readonly versions: number; readonly bytes: number; readonly sharedBytes: number }
  /** `restored`: how many of the segments were added. The one after these is damaged. */
  restore: IndexReplies['apply'] & { readonly restored: number }
  encode: { readonly bytes: Uint8Array }
  search: PackedHits & { readonly sharedBytes: number }
  /** Per step and query. Row -1 is the first version that is not stored yet, -2 the second, and so on. */
  ahead: { readonly found: readonly (readonly PackedHits[])[]; readonly sharedBytes: number }
  drop: { readonly sharedBytes: number }
  scan: Record<never, never>
  /** How many of the segments were read, the newest first. The one before these is damaged. */
  scanSegments: { readonly scanned: number }
  scanRows: Record<never, never>
  /** The hits per query, and how many versions the user has. */
  scanned: { readonly found: readonly PackedHits[]; readonly versions: number }
}

export const numbersPerHit = 6

/** Hits as numbers: copying a hundred objects between threads would take longer than finding them. */
export interface PackedHits {
  readonly searched: number
  /** `numbersPerHit` numbers per hit, in the order of `SearchHit`. NaN stands for null. */
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
    // Vectors of different models are never compared, whatever their length.
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

/** Buffers to transfer instead of copy. */
export function transferables(request: IndexRequest): ArrayBuffer[] {
  // `batchOf` made this array, so it has a whole ArrayBuffer.
  if ('batch' in request) return [request.batch.vectors.buffer as ArrayBuffer]
  // Likewise `joinAligned` and `runsOf`.
  return 'segments' in request ? [request.segments.bytes.buffer as ArrayBuffer] : []
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
