/**
 * Searches a user who is too large for memory: one pass over the stored segments of the index, for several queries at once. Of what has
 * been seen, only the best and a bit per version are kept.
 *
 * Segments come newest first. A version that changed is stored again in a later segment, so whatever has been seen already is outdated
 * where it appears again. Every version that passes the filter is compared by its fine codes; the coarse ones would save little here,
 * because reading the bytes takes most of the time.
 */
import { blockRows } from './dense-kernel.js'
import { DenseScratch, type VectorArena, VectorMatrix } from './dense-scan.js'
import { type IndexQuery, numbersPerHit, type PackedHits } from './index-messages.js'
import type { ReadVersions, StoredColumns } from './index-segment.js'
import { RowSet } from './row-set.js'
import { type WordGroup, WordScan, type WordScores } from './scan-words.js'
import { Findable } from './version-columns.js'

const noBytes = new Uint8Array(0)
/** Documents that all queries of a scan together keep for their words, and the least that one of them may keep. */
const mostKept = 200_000
const leastKept = 5_000

interface DenseHit {
  readonly row: number
  readonly saidAt: number
  readonly cosine: number
  readonly group: WordGroup | undefined
}

/** One query of a scan, with what it has found so far. */
interface ScannedQuery {
  readonly query: IndexQuery
  readonly onlyRows: RowSet | undefined
  readonly words: WordScan | undefined
  dense: DenseHit[]
  /** The worst cosine in `dense`, once there are enough. */
  bar: number
  searched: number
}

/** Arrays with one place per version of the current segment. */
class SegmentScratch {
  states = new Uint8Array(0)
  places = new Int32Array(0)
  cosines = new Float64Array(0)

  fit(count: number): void {
    if (this.states.length >= count) return
    this.states = new Uint8Array(count)
    this.places = new Int32Array(count)
    this.cosines = new Float64Array(count)
  }
}

export class SegmentScan {
  private readonly seen = new RowSet()
  private readonly matrix: VectorMatrix
  private readonly dense = new DenseScratch()
  private readonly scratch = new SegmentScratch()
  private readonly queries: readonly ScannedQuery[]
  private totalLength = 0
  versions = 0

  constructor(
    private readonly arena: VectorArena,
    queries: readonly IndexQuery[],
  ) {
    this.matrix = new VectorMatrix(arena)
    const kept = Math.max(leastKept, Math.min(mostKept / 2, Math.floor(mostKept / queries.length)))
    this.queries = queries.map((query) => ({
      query,
      onlyRows: query.onlyRows && RowSet.of(query.onlyRows),
      words: query.text === null ? undefined : new WordScan(query.text, query.limit, kept),
      dense: [],
      bar: -Infinity,
      searched: 0,
    }))
  }

  /** Segments that are older than all before them, newest first. */
  add(segments: readonly ReadVersions[]): void {
    let first = 0
    const placed = segments.map((segment) => {
      const at = first
      this.matrix.readCodes({ coarse: noBytes, fine: segment.codes.fine }, segment.count, at)
      first = Math.ceil((at + segment.count) / blockRows) * blockRows
      return { segment, at, live: this.liveOf(segment) }
    })
    for (const scanned of this.queries) {
      if (scanned.query.vector) this.arena.setQuery(scanned.query.vector)
      for (const { segment, at, live } of placed) this.scan(scanned, segment, at, live)
      scanned.words?.dropWorst(this.versions, this.totalLength)
    }
  }

  finish(): PackedHits[] {
    return this.queries.map((scanned) => ({ searched: scanned.searched, numbers: this.hitsOf(scanned) }))
  }

  /** Gives the memory of the matrix back. The scan must not be used afterwards. */
  release(): void {
    this.matrix.truncate(0)
  }

  /** 1 for the versions whose newest state this is. */
  private liveOf({ count, columns, words }: ReadVersions): Uint8Array {
    const live = new Uint8Array(count)
    for (let place = 0; place < count; place++) {
      if (!this.seen.add(columns.rows[place] ?? 0)) continue
      live[place] = 1
      this.versions += 1
      this.totalLength += words.lengths[place] ?? 0
    }
    return live
  }

  private scan(scanned: ScannedQuery, segment: ReadVersions, at: number, live: Uint8Array): void {
    const { scratch } = this
    const { columns, count, words } = segment
    scratch.fit(count)
    const { query } = scanned
    const found = maskOf(columns, live, segment.scales, scanned, scratch.states)
    scanned.searched += found
    // Also without any to find: which documents have a word counts for the weight of the word.
    const matched = scanned.words?.match(words, segment.seed, live) ?? []
    if (found === 0) return
    if (query.vector) this.compare(scanned, segment, at)
    for (const place of matched) {
      const state = scratch.states[place]
      if (state !== Findable.byWords && state !== Findable.byVectorToo) continue
      const group = scanned.words?.groupOf(place, words.lengths[place] ?? 0)
      const cosine = query.vector && state === Findable.byVectorToo ? (scratch.cosines[place] ?? 0) : Number.NaN
      if (group) scanned.words?.offer(group, columns.rows[place] ?? 0, columns.validFrom[place] ?? 0, cosine)
    }
  }

  /** Writes the cosines of all versions that have a vector, and keeps the best. */
  private compare(scanned: ScannedQuery, { columns, count, scales, words }: ReadVersions, at: number): void {
    const { states, places, cosines } = this.scratch
    let eligible = 0
    for (let place = 0; place < count; place++) if (states[place] === Findable.byVectorToo) places[eligible++] = place
    const compared = places.subarray(0, eligible)
    const products = this.matrix.products(
      compared.map((place) => at + place),
      this.dense,
    )
    const better: DenseHit[] = []
    for (let item = 0; item < eligible; item++) {
      const place = compared[item] ?? 0
      const cosine = (products[item] ?? 0) * (scales[place] ?? 0)
      cosines[place] = cosine
      if (cosine < scanned.bar) continue
      const group = scanned.words?.groupOf(place, words.lengths[place] ?? 0)
      better.push({ row: columns.rows[place] ?? 0, saidAt: columns.validFrom[place] ?? 0, cosine, group })
    }
    if (better.length > 0) keepBest(scanned, better)
  }

  /** The best by vector first, then the others. See `PackedHits`. */
  private hitsOf({ query, words, dense }: ScannedQuery): Float64Array<ArrayBuffer> {
    const scores: WordScores | null = words?.hasTerms ? words.finish(this.versions, this.totalLength) : null
    const keywordRanks = new Map(scores?.best.map(({ row }, index) => [row, index + 1]))
    const byDense = new Set(dense.map(({ row }) => row))
    const hits = [...dense, ...(scores?.best ?? []).filter(({ row }) => !byDense.has(row))]
    const numbers = new Float64Array(hits.length * numbersPerHit)
    hits.forEach(({ row, saidAt, cosine, group }, index) => {
      const isComparable = query.vector !== null && !Number.isNaN(cosine)
      const denseRank = index < dense.length ? index + 1 : Number.NaN
      numbers.set(
        [
          row,
          saidAt,
          isComparable ? Math.max(-1, Math.min(1, cosine)) : Number.NaN,
          scores ? scores.sumOf(group) / scores.most : Number.NaN,
          denseRank,
          keywordRanks.get(row) ?? Number.NaN,
        ],
        index * numbersPerHit,
      )
    })
    return numbers
  }
}

function keepBest(scanned: ScannedQuery, better: readonly DenseHit[]): void {
  const { limit } = scanned.query
  const all = [...scanned.dense, ...better]
  // The newer one wins among equals, as in `BestRows`.
  all.sort((a, b) => b.cosine - a.cosine || b.row - a.row)
  scanned.dense = all.slice(0, limit)
  if (scanned.dense.length === limit) scanned.bar = scanned.dense.at(-1)?.cosine ?? Infinity
}

/** Which versions pass the query's filter, as `VersionColumns.mask` decides it. Returns their number. */
function maskOf(
  columns: StoredColumns,
  live: Uint8Array,
  scales: Float32Array,
  { query, onlyRows }: ScannedQuery,
  states: Uint8Array,
): number {
  const { rows, validFrom, validTo, expiresAt, projectNumbers, projects, flagged } = columns
  const { moment, within, includeHistory, includeFlagged } = query
  const at = moment.kind === 'now' ? moment.now : moment.at
  // 0 is no project, and no segment has that many.
  const project = query.project === undefined ? -1 : projects.indexOf(query.project) + 1 || projects.length + 1
  let passed = 0
  for (let place = 0; place < live.length; place++) {
    states[place] = 0
    if (live[place] === 0) continue
    if (!includeFlagged && flagged[place] === 1) continue
    if (project !== -1 && projectNumbers[place] !== project) continue
    if ((expiresAt[place] ?? 0) <= at) continue
    const saidAt = validFrom[place] ?? 0
    const until = validTo[place] ?? 0
    // At the exact moment of a change, the previous version is still valid.
    if (moment.kind === 'now' ? !includeHistory && until !== Infinity : saidAt >= at || (!includeHistory && until < at))
      continue
    if (within && !within.some(({ from, to }) => saidAt >= from && saidAt < to)) continue
    if (onlyRows && !onlyRows.has(rows[place] ?? 0)) continue
    states[place] = scales[place] === 0 ? Findable.byWords : Findable.byVectorToo
    passed += 1
  }
  return passed
}
