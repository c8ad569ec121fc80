/** The index of one user: filter columns, vector codes and posting lists, each with one place per version. */
import type { SegmentKind } from '../../storage/ports/index-segments.js'
import { BestRows } from './best-rows.js'
import { blockRows } from './dense-kernel.js'
import { DenseScratch, type VectorArena, VectorMatrix } from './dense-scan.js'
import { grown } from './grown.js'
import { type IndexQuery, type IndexStep, numbersPerHit, type PackedHits, type VersionBatch } from './index-messages.js'
import { readSegment, type StoredVersions, writeSegment } from './index-segment.js'
import { KeywordIndex, KeywordScratch } from './keyword-index.js'
import { Findable, type Mask, VersionColumns } from './version-columns.js'

/** Approximate size of an index without versions: objects, array headers and the like. */
const emptyBytes = 4_000
const absent = -1
/** From this many versions on, a segment begins at a whole block: faster, for a few empty places. */
const worthABlock = 4 * blockRows

/** A recall searches the same words twice: ahead, while its query is embedded, and then with the vector. */
interface ScoredWords {
  readonly index: VersionIndex
  readonly changes: number
  readonly text: string
  /** Null if the text has no term. */
  readonly most: number | null
  /** The best of everything that is valid now, from the last search for them. */
  usual?: { readonly limit: number; readonly best: readonly number[] }
}

/** Arrays that searches reuse, as long as the largest user needs them. */
export class SearchScratch {
  mask = new Uint8Array(0)
  readonly keyword = new KeywordScratch()
  readonly dense = new DenseScratch()
  /** The search whose sums `keyword` holds. */
  scored: ScoredWords | undefined

  get byteSize(): number {
    return this.mask.byteLength + this.keyword.byteSize + this.dense.byteSize
  }

  fit(length: number): void {
    if (length > this.mask.length) this.mask = grown(this.mask, length)
  }
}

export class VersionIndex {
  private readonly columns = new VersionColumns()
  private readonly keywords: KeywordIndex
  private readonly matrix: VectorMatrix
  private changes = 0

  constructor(
    private readonly arena: VectorArena,
    private readonly scratch: SearchScratch,
    seed?: number,
  ) {
    this.keywords = new KeywordIndex(seed)
    this.matrix = new VectorMatrix(arena)
  }

  get versions(): number {
    return this.columns.count
  }

  get byteSize(): number {
    return emptyBytes + this.columns.byteSize + this.keywords.byteSize + this.matrix.byteSize
  }

  apply(batch: VersionBatch): void {
    this.changes += 1
    for (let item = 0; item < batch.rows.length; item++) this.put(batch, item)
    // A row number is never reused, so its removal is final.
    for (const row of batch.removedRows) {
      const place = this.columns.find(row)
      if (place !== absent) this.remove(place)
    }
    this.compactIfSparse()
  }

  /** Everything as bytes. The index must be new: nothing of it may have been changed or removed. */
  write(kind: SegmentKind): Uint8Array<ArrayBuffer> {
    const { columns, keywords, matrix } = this
    const count = columns.end
    return writeSegment(
      {
        count,
        seed: keywords.seed,
        fields: (place) => columns.read(place),
        scales: columns.scales,
        contentHashes: columns.contentHashes,
        codes: matrix.writeCodes(count),
        words: keywords.write(count),
      },
      kind,
    )
  }

  /** Adds what another index with the same seed has written. False: the bytes are damaged or of another kind. */
  read(bytes: Uint8Array, kind: SegmentKind): boolean {
    const stored = readSegment(bytes, this.keywords.seed, kind)
    if (!stored) return false
    this.changes += 1
    if (stored.count >= worthABlock) this.columns.skipTo(blockRows)
    this.add(stored)
    this.compactIfSparse()
    return true
  }

  search(query: IndexQuery): PackedHits {
    const { columns, scratch } = this
    scratch.fit(columns.end)
    const mask = columns.mask(query, scratch.mask)
    const searched = mask.count
    if (searched === 0) return { numbers: new Float64Array(0), searched }
    const dense = query.vector === null ? null : this.bestByVector(query.vector, query.limit, mask)
    const keyword = query.text === null ? null : this.bestByKeyword(query.text, query.limit, mask)
    return { numbers: this.hits(dense, keyword), searched }
  }

  /** Searches step by step, each as if the versions of the steps before it were stored. None of them stays. */
  searchAhead(steps: readonly IndexStep[]): PackedHits[][] {
    let highest = 0
    for (const row of this.columns.rows.subarray(0, this.columns.end)) highest = Math.max(highest, row)
    const addedRows: number[] = []
    try {
      return steps.map(({ queries, added }) => {
        const found = queries.map((query) => numberedAhead(this.search(query), highest))
        // Later than all others, as they will be once they are stored.
        const rows = added.rows.map((row) => highest + 1 + row)
        addedRows.push(...rows)
        if (rows.length > 0) this.apply({ ...added, rows })
        return found
      })
    } finally {
      if (addedRows.length > 0) this.apply(removalOf(addedRows))
    }
  }

  /** Gives the memory of the matrix back. The index must not be used afterwards. */
  release(): void {
    this.matrix.truncate(0)
    if (this.scratch.scored?.index === this) this.scratch.scored = undefined
  }

  private add(stored: StoredVersions): void {
    const { columns } = this
    const first = columns.end
    for (let item = 0; item < stored.count; item++) {
      const fields = stored.fields(item)
      // An earlier state of the same version.
      const before = columns.find(fields.row)
      if (before !== absent) this.remove(before)
      const place = columns.add(fields.row)
      columns.contentHashes[place] = stored.contentHashes[item] ?? 0
      columns.set(place, fields)
      columns.setScale(place, stored.scales[item] ?? 0)
    }
    this.keywords.read(stored.words, first)
    this.matrix.readCodes(stored.codes, stored.count, first)
  }

  private put(batch: VersionBatch, item: number): void {
    const { columns } = this
    const row = batch.rows[item] ?? 0
    const content = batch.contents[item] ?? ''
    const contentHash = hashOf(content)
    let place = columns.find(row)
    // The content of a version does not change. If an engine lets it, the old terms must not stay.
    if (place !== absent && columns.contentHashes[place] !== contentHash) {
      this.remove(place)
      place = absent
    }
    if (place === absent) {
      place = columns.add(row)
      columns.contentHashes[place] = contentHash
      this.keywords.add(place, content)
    }
    columns.set(place, {
      row,
      project: batch.projects[item] ?? null,
      validFrom: batch.validFrom[item] ?? 0,
      validTo: batch.validTo[item] ?? Infinity,
      expiresAt: batch.expiresAt[item] ?? Infinity,
      flagged: batch.flagged[item] === 1,
    })
    this.putVector(place, batch, item)
  }

  private putVector(place: number, batch: VersionBatch, item: number): void {
    const { dimensions } = this.arena
    const scale = batch.scales[item] ?? 0
    const vector = batch.vectors.subarray(item * dimensions, (item + 1) * dimensions)
    const factor = this.matrix.set(place, vector)
    this.columns.setScale(place, scale * factor)
  }

  private remove(place: number): void {
    this.columns.remove(place)
    this.keywords.remove(place)
    this.matrix.erase(place)
  }

  private compactIfSparse(): void {
    if ((this.columns.end - this.columns.count) * 4 > this.columns.end) this.compact()
  }

  private compact(): void {
    const places = this.columns.compact()
    this.keywords.compact(places)
    for (let from = 0; from < places.length; from++) {
      const to = places[from] ?? absent
      if (to !== absent && to !== from) this.matrix.move(from, to)
    }
    // The last block that is kept may contain rows past the end. They were removed, so they are erased too.
    for (let place = this.columns.end; place < places.length; place++) this.matrix.erase(place)
    this.matrix.truncate(this.columns.end)
  }

  /** The best by vector first, then the others. See `PackedHits`. */
  private hits(dense: readonly number[] | null, keyword: BestByWords | null): Float64Array<ArrayBuffer> {
    const { columns, scratch } = this
    const byDense = new Set(dense)
    const all = [...(dense ?? [])]
    for (const place of keyword?.best ?? []) if (!byDense.has(place)) all.push(place)
    const places = new Int32Array(all)
    const keywordRanks = new Map<number, number>()
    for (const place of keyword?.best ?? []) keywordRanks.set(place, keywordRanks.size + 1)
    const cosines = dense && this.cosines(places)
    const numbers = new Float64Array(places.length * numbersPerHit)
    for (let hit = 0, at = 0; hit < places.length; hit++) {
      const place = places[hit] ?? 0
      const isComparable = cosines !== null && this.hasVector(place)
      numbers[at++] = columns.rows[place] ?? 0
      numbers[at++] = columns.validFrom[place] ?? 0
      numbers[at++] = isComparable ? Math.max(-1, Math.min(1, cosines[hit] ?? 0)) : Number.NaN
      numbers[at++] = keyword ? (scratch.keyword.sums[place] ?? 0) / keyword.most : Number.NaN
      numbers[at++] = dense && hit < dense.length ? hit + 1 : Number.NaN
      numbers[at++] = keywordRanks.get(place) ?? Number.NaN
    }
    return numbers
  }

  private bestByVector(vector: Float32Array, limit: number, mask: Mask): number[] {
    const { end, rows } = this.columns
    const best = new BestRows(Math.min(limit, end), rows)
    this.arena.setQuery(vector)
    const eligible = { states: mask.states, state: Findable.byVectorToo, count: mask.withVector, end }
    const places = this.matrix.candidates(eligible, limit, this.scratch.dense)
    const cosines = this.cosines(places)
    for (let item = 0; item < places.length; item++) best.offer(places[item] ?? 0, cosines[item] ?? 0)
    return best.sorted()
  }

  /** The cosines with the current query. The next call overwrites them. */
  private cosines(places: Int32Array): Float64Array {
    const { scales } = this.columns
    const cosines = this.matrix.products(places, this.scratch.dense)
    for (let item = 0; item < places.length; item++) {
      cosines[item] = (cosines[item] ?? 0) * (scales[places[item] ?? 0] ?? 0)
    }
    return cosines
  }

  /** Null if the text has no term, so that there is nothing to rank by. */
  private bestByKeyword(text: string, limit: number, { states }: Mask): BestByWords | null {
    const { end, rows, flags } = this.columns
    const scored = this.scoreWords(text)
    const { most, usual } = scored
    if (most === null) return null
    const isUsual = states === flags
    if (isUsual && usual?.limit === limit) return { best: usual.best, most }
    const { sums, found, foundCount } = this.scratch.keyword
    const heap = new BestRows(Math.min(limit, end), rows)
    // Newest first: it wins among equals, so the ones after it do not have to move it.
    for (let item = foundCount - 1; item >= 0; item--) {
      const place = found[item] ?? 0
      const state = states[place]
      if (state === Findable.byVectorToo || state === Findable.byWords) heap.offer(place, sums[place] ?? 0)
    }
    const best = heap.sorted()
    if (isUsual) scored.usual = { limit, best }
    return { best, most }
  }

  /** Writes the sums to the scratch arrays. */
  private scoreWords(text: string): ScoredWords {
    const { scratch, changes } = this
    const last = scratch.scored
    if (last?.index === this && last.changes === changes && last.text === text) return last
    const { end, count, flags, skipped } = this.columns
    scratch.scored = undefined
    const live = { end, count, flags, hasRemoved: count < end - skipped }
    const most = this.keywords.score(text, live, scratch.keyword)
    const scored: ScoredWords = { index: this, changes, text, most }
    scratch.scored = scored
    return scored
  }

  private hasVector(place: number): boolean {
    return this.columns.scales[place] !== 0
  }
}

function numberedAhead({ searched, numbers }: PackedHits, highest: number): PackedHits {
  for (let at = 0; at < numbers.length; at += numbersPerHit) {
    const row = numbers[at] ?? 0
    if (row > highest) numbers[at] = highest - row
  }
  return { searched, numbers }
}

function removalOf(rows: readonly number[]): VersionBatch {
  const none = new Float64Array(0)
  return {
    rows: none,
    contents: [],
    projects: [],
    validFrom: none,
    validTo: none,
    expiresAt: none,
    flagged: new Uint8Array(0),
    scales: new Float32Array(0),
    vectors: new Int8Array(0),
    removedRows: Float64Array.from(rows),
  }
}

interface BestByWords {
  readonly best: readonly number[]
  /** The sum that a text with all words could reach. */
  readonly most: number
}

function hashOf(text: string): number {
  let hash = text.length
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
    hash ^= hash >>> 15
  }
  return hash >>> 0
}
