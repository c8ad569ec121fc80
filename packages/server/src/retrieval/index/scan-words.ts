/**
 * BM25 (see `keyword-index.ts`) in one pass over parts of an index, none of which stays in memory. The weight of a term is known only
 * when all documents have been seen. Until then, documents with the same length and the same frequencies form a group: whatever the
 * weights turn out to be, they score alike, and among equals the newest win. So of each group only the newest `limit` are kept, and
 * the result is the same as that of a whole index in memory.
 */
import { hashWord, mostOfTerm, queryTerms, type StoredWords, termGain, termWeight } from './keyword-index.js'

/**
 * Beyond this many kept documents, the groups with the lowest scores so far are dropped: queries with many common words. Then the result is
 * approximate.
 */
const usuallyKept = 100_000
/** Each group has a byte per term, and there may be a hundred thousand groups. */
const mostTerms = 128
const filterSize = 1_024

/** The hashes of the query's terms, with the seed of a segment. */
interface HashedTerms {
  readonly first: Uint32Array
  readonly second: Uint32Array
  /** By the lowest bits of the first hash: 1 if a term has these. It excludes nearly all other words. */
  readonly filter: Uint8Array
}

interface ScannedDocument {
  readonly row: number
  readonly saidAt: number
  /** NaN if there is none. */
  readonly cosine: number
}

/** Documents that score alike. */
export interface WordGroup {
  readonly length: number
  /** Per term of the query. */
  readonly frequencies: Uint8Array
  /** Not in order. */
  readonly newest: ScannedDocument[]
  /** The lowest row among `newest`, once there is no room for more. */
  oldest: number
}

export interface WordScores {
  /** The sum that a text with all words could reach. */
  readonly most: number
  sumOf(group: WordGroup | undefined): number
  readonly best: readonly (ScannedDocument & { readonly group: WordGroup })[]
}

export class WordScan {
  private readonly terms: readonly string[]
  /** How many documents have each term. */
  private readonly documents: Float64Array
  private readonly bySeed = new Map<number, HashedTerms>()
  private readonly groups = new Map<number, WordGroup>()
  private kept = 0
  /** Of the current segment: per document and term. */
  private frequencies = new Uint8Array(0)
  private isMatched = new Uint8Array(0)
  private matched: number[] = []

  constructor(
    text: string,
    private readonly limit: number,
    private readonly mostKept = usuallyKept,
  ) {
    this.terms = queryTerms(text).slice(0, mostTerms)
    this.documents = new Float64Array(this.terms.length)
  }

  get hasTerms(): boolean {
    return this.terms.length > 0
  }

  /** Looks the terms up in a segment. Returns the documents that have one. `live` is 0 for documents that do not count. */
  match({ hashes, counts, documents, frequencies }: StoredWords, seed: number, live: Uint8Array): readonly number[] {
    this.clear(live.length)
    const { first, second, filter } = this.hashed(seed)
    const width = this.terms.length
    for (let word = 0, at = 0; word < counts.length; word++) {
      const start = at
      at += counts[word] ?? 0
      const hash = hashes[2 * word] ?? 0
      if (filter[hash % filterSize] === 0) continue
      for (let term = 0; term < width; term++) {
        if (first[term] !== hash || second[term] !== hashes[2 * word + 1]) continue
        for (let place = start; place < at; place++) {
          const document = documents[place] ?? 0
          if (live[document] === 0) continue
          this.documents[term] = (this.documents[term] ?? 0) + 1
          this.frequencies[document * width + term] = frequencies[place] ?? 0
          if (this.isMatched[document] === 1) continue
          this.isMatched[document] = 1
          this.matched.push(document)
        }
      }
    }
    return this.matched
  }

  /** The group of a document of the current segment. Undefined: it has no term of the query. */
  groupOf(document: number, length: number): WordGroup | undefined {
    if (this.isMatched[document] !== 1) return undefined
    const width = this.terms.length
    // Mixed first: a length of 5 and a frequency of 1 differ from 4 and 0 in the same bits.
    let first = Math.imul(length, 0x9e3779b1)
    let second = Math.imul(~length, 0x7feb352d)
    for (let at = document * width; at < (document + 1) * width; at++) {
      const frequency = this.frequencies[at] ?? 0
      first = Math.imul(first ^ frequency, 0x85ebca6b)
      first ^= first >>> 13
      second = Math.imul(second ^ frequency, 0xc2b2ae35)
      second ^= second >>> 16
    }
    // 53 bits, the most that a number holds exactly.
    const key = (first >>> 0) * 2 ** 21 + (second & 0x1fffff)
    let group = this.groups.get(key)
    if (!group) {
      const own = this.frequencies.slice(document * width, (document + 1) * width)
      group = { length, frequencies: own, newest: [], oldest: -Infinity }
      this.groups.set(key, group)
    }
    return group
  }

  offer(group: WordGroup, row: number, saidAt: number, cosine: number): void {
    const { newest } = group
    if (this.limit === 0) return
    if (newest.length === this.limit) {
      if (row < group.oldest) return
      newest.splice(
        newest.findIndex((document) => document.row === group.oldest),
        1,
      )
      this.kept -= 1
    }
    newest.push({ row, saidAt, cosine })
    this.kept += 1
    if (newest.length === this.limit) group.oldest = newest.reduce((least, each) => Math.min(least, each.row), Infinity)
  }

  /** Call it from time to time, with the statistics of what has been seen. */
  dropWorst(count: number, totalLength: number): void {
    if (this.kept <= this.mostKept) return
    const { sumOf } = this.weighed(count, totalLength)
    const ranked = [...this.groups].map(([key, group]) => ({ key, group, sum: sumOf(group) }))
    ranked.sort((a, b) => b.sum - a.sum)
    this.groups.clear()
    this.kept = 0
    for (const { key, group } of ranked) {
      if (this.kept > Math.max(this.mostKept / 2, this.limit)) break
      this.groups.set(key, group)
      this.kept += group.newest.length
    }
  }

  finish(count: number, totalLength: number): WordScores {
    const { most, sumOf } = this.weighed(count, totalLength)
    const ranked = [...this.groups.values()]
      .filter(({ newest }) => newest.length > 0)
      .map((group) => ({ group, sum: sumOf(group) }))
    ranked.sort((a, b) => b.sum - a.sum)
    const best: (WordScores['best'][number] & { readonly sum: number })[] = []
    for (const { group, sum } of ranked) {
      // Groups with the same sum compete by row.
      if (best.length >= this.limit && sum < (best.at(-1)?.sum ?? 0)) break
      best.push(...group.newest.map((document) => ({ ...document, group, sum })))
    }
    best.sort((a, b) => b.sum - a.sum || b.row - a.row)
    return { most, sumOf, best: best.slice(0, this.limit) }
  }

  private weighed(count: number, totalLength: number): Pick<WordScores, 'most' | 'sumOf'> {
    const averageLength = totalLength / Math.max(1, count)
    const weights = this.documents.map((documents) => termWeight(documents, count))
    return {
      most: weights.reduce((sum, weight) => sum + mostOfTerm(weight), 0),
      sumOf: (group) => {
        let sum = 0
        group?.frequencies.forEach((frequency, term) => {
          if (frequency > 0) sum += (weights[term] ?? 0) * termGain(frequency, group.length, averageLength)
        })
        return sum
      },
    }
  }

  private hashed(seed: number): HashedTerms {
    let hashed = this.bySeed.get(seed)
    if (!hashed) {
      hashed = {
        first: new Uint32Array(this.terms.length),
        second: new Uint32Array(this.terms.length),
        filter: new Uint8Array(filterSize),
      }
      const both = new Uint32Array(2)
      for (const [index, term] of this.terms.entries()) {
        hashWord(term, seed, both)
        hashed.first[index] = both[0] ?? 0
        hashed.second[index] = both[1] ?? 0
        hashed.filter[(both[0] ?? 0) % filterSize] = 1
      }
      this.bySeed.set(seed, hashed)
    }
    return hashed
  }

  private clear(documents: number): void {
    const width = this.terms.length
    if (this.isMatched.length < documents) {
      this.isMatched = new Uint8Array(documents)
      this.frequencies = new Uint8Array(documents * width)
    } else {
      for (const document of this.matched) {
        this.isMatched[document] = 0
        this.frequencies.fill(0, document * width, (document + 1) * width)
      }
    }
    this.matched = []
  }
}
