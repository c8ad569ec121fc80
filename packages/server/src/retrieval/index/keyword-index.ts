/**
 * Okapi BM25 (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009) over one user's versions, with only that user's
 * statistics, so that what others store never affects a score. The statistics include all indexed versions, not only those that pass
 * the filter of a search: counting per filter would mean reading every posting of every term.
 *
 * Terms are stored as two 32-bit hashes with a random seed instead of as text. This takes a third of the memory, collisions practically
 * never happen, and nobody can prepare texts that collide.
 */
import { grown } from './grown.js'
import { mostDocuments, PostingPool } from './posting-pool.js'
import { isStopWord, tokenize } from './tokenize.js'

const k1 = 1.2
const b = 0.75
const absent = -1
const longestDocument = 0xffff
const mostFrequency = 0xff
const usualLengths = 256

/** Arrays that the searches of all users reuse. */
export class KeywordScratch {
  postings: Uint32Array = new Uint32Array(64)
  /** Per document. 0 if the last query did not find it. */
  sums = new Float64Array(0)
  found = new Int32Array(0)
  foundCount = 0

  get byteSize(): number {
    return this.postings.byteLength + this.sums.byteLength + this.found.byteLength
  }

  /** Clears the last query. It mostly found a few documents, so only those are cleared. */
  clear(documents: number): void {
    if (documents > this.sums.length) {
      this.sums = grown(new Float64Array(0), Math.ceil(documents * 1.25))
      this.found = new Int32Array(this.sums.length)
    } else for (let place = 0; place < this.foundCount; place++) this.sums[this.found[place] ?? 0] = 0
    this.foundCount = 0
  }
}

export class KeywordIndex {
  private pool = new PostingPool()
  private slots = new Int32Array(16).fill(absent)
  private hashes = new Uint32Array(16)
  private termCount = 0
  /** The terms of the document that is being added. */
  private terms = new Uint32Array(64)
  private lengths = new Uint16Array(8)
  private totalLength = 0
  private readonly hashed = new Uint32Array(2)

  /** Indexes with the same seed have the same hashes. */
  constructor(readonly seed: number = randomSeed()) {}

  get byteSize(): number {
    return this.pool.byteSize + this.slots.byteLength + this.hashes.byteLength + this.lengths.byteLength
  }

  /** Documents are added in ascending order. */
  add(document: number, text: string): void {
    if (document >= mostDocuments) throw new RangeError('a user has too many versions to index')
    const tokens = tokenize(text)
    if (tokens.length > this.terms.length) this.terms = new Uint32Array(tokens.length * 2)
    const { terms } = this
    for (let place = 0; place < tokens.length; place++) terms[place] = this.termOf(tokens[place] ?? '', true)
    sortFirst(terms, tokens.length)
    for (let first = 0, end = 0; first < tokens.length; first = end) {
      while (end < tokens.length && terms[end] === terms[first]) end += 1
      this.pool.append(terms[first] ?? 0, ((document << 8) | Math.min(end - first, mostFrequency)) >>> 0)
    }
    this.setLength(document, Math.min(tokens.length, longestDocument))
  }

  /** The postings stay until `compact`. `score` skips them. */
  remove(document: number): void {
    this.totalLength -= this.lengths[document] ?? 0
    this.lengths[document] = 0
  }

  /**
   * Writes to `scratch` which documents have a term of the query, and the BM25 sum of each. Returns the highest sum that any document
   * could reach for this query: a sum divided by it is in 0..1 and comparable across queries. A term that the user never used counts as
   * the rarest of all, because a memory without it is not a full match. Returns null if the query has no term.
   */
  score(query: string, live: LiveDocuments, scratch: KeywordScratch): number | null {
    scratch.clear(live.end)
    const terms = queryTerms(query)
    if (terms.length === 0) return null
    const averageLength = this.totalLength / Math.max(1, live.count)
    const gains = Float64Array.from({ length: usualLengths }, (_, length) => termGain(1, length, averageLength))
    let most = 0
    for (const token of terms) {
      const term = this.termOf(token, false)
      const documents = term === absent ? 0 : this.readLive(term, live, scratch)
      const weight = termWeight(documents, live.count)
      most += mostOfTerm(weight)
      this.addSums(documents, { weight, averageLength, gains }, scratch)
    }
    return most
  }

  /** All documents, none of which may have been removed. */
  write(documents: number): StoredWords {
    const counts = new Uint32Array(this.termCount)
    for (let term = 0; term < counts.length; term++) counts[term] = this.pool.length(term)
    const postings = counts.reduce((sum, count) => sum + count, 0)
    const words: StoredWords = {
      lengths: new Uint16Array(documents),
      hashes: this.hashes.slice(0, 2 * this.termCount),
      counts,
      documents: new Uint16Array(postings),
      frequencies: new Uint8Array(postings),
    }
    words.lengths.set(this.lengths.subarray(0, documents))
    let buffer: Uint32Array = new Uint32Array(64)
    for (let term = 0, at = 0; term < counts.length; term++) {
      const read = this.pool.read(term, buffer)
      buffer = read.postings
      for (let place = 0; place < read.count; place++, at++) {
        words.documents[at] = (buffer[place] ?? 0) >>> 8
        words.frequencies[at] = (buffer[place] ?? 0) & 0xff
      }
    }
    return words
  }

  /** Adds documents that an index with the same seed wrote. They get the numbers from `first` on, all higher than before. */
  read(words: StoredWords, first: number): void {
    if (first + words.lengths.length > mostDocuments) throw new RangeError('a user has too many versions to index')
    const { hashes, counts, documents, frequencies, lengths } = words
    for (let term = 0, at = 0; term < counts.length; term++) {
      const list = this.findTerm(hashes[2 * term] ?? 0, hashes[2 * term + 1] ?? 0, true)
      const end = at + (counts[term] ?? 0)
      this.pool.appendAll(list, documents, frequencies, { first, start: at, end })
      at = end
    }
    for (let document = 0; document < lengths.length; document++) {
      this.setLength(first + document, lengths[document] ?? 0)
    }
  }

  /** Drops removed documents and renumbers the others in the same order. -1 stands for removed. */
  compact(numbers: Int32Array): void {
    const old = { pool: this.pool, hashes: this.hashes, terms: this.termCount, lengths: this.lengths }
    this.pool = new PostingPool()
    this.slots = new Int32Array(16).fill(absent)
    this.hashes = new Uint32Array(16)
    this.termCount = 0
    this.lengths = new Uint16Array(8)
    this.totalLength = 0
    let buffer: Uint32Array = new Uint32Array(64)
    for (let term = 0; term < old.terms; term++) {
      const { postings, count } = old.pool.read(term, buffer)
      buffer = postings
      let list = absent
      for (let place = 0; place < count; place++) {
        const posting = postings[place] ?? 0
        const document = numbers[posting >>> 8] ?? absent
        if (document === absent) continue
        if (list === absent) list = this.findTerm(old.hashes[2 * term] ?? 0, old.hashes[2 * term + 1] ?? 0, true)
        this.pool.append(list, ((document << 8) | (posting & 0xff)) >>> 0)
      }
    }
    for (let document = 0; document < numbers.length; document++) {
      const number = numbers[document] ?? absent
      if (number !== absent) this.setLength(number, old.lengths[document] ?? 0)
    }
  }

  private setLength(document: number, length: number): void {
    if (document >= this.lengths.length) this.lengths = grown(this.lengths, document + 1)
    this.lengths[document] = length
    this.totalLength += length
  }

  /** Writes the postings of live documents to the scratch array. Returns their number. */
  private readLive(term: number, live: LiveDocuments, scratch: KeywordScratch): number {
    const { postings, count } = this.pool.read(term, scratch.postings)
    scratch.postings = postings
    if (!live.hasRemoved) return count
    let kept = 0
    for (let place = 0; place < count; place++) {
      const posting = postings[place] ?? 0
      if (((live.flags[posting >>> 8] ?? 0) & 1) === 1) postings[kept++] = posting
    }
    return kept
  }

  private addSums(
    count: number,
    { weight, averageLength, gains }: { weight: number; averageLength: number; gains: Float64Array },
    scratch: KeywordScratch,
  ): void {
    const { lengths } = this
    const { postings, sums, found } = scratch
    let { foundCount } = scratch
    for (let place = 0; place < count; place++) {
      const posting = postings[place] ?? 0
      const document = posting >>> 8
      const frequency = posting & 0xff
      const length = lengths[document] ?? 0
      // Nearly all postings are one mention in a short text: look their gain up instead of dividing.
      const gain =
        frequency === 1 && length < usualLengths ? (gains[length] ?? 0) : termGain(frequency, length, averageLength)
      const before = sums[document] ?? 0
      if (before === 0) found[foundCount++] = document
      sums[document] = before + weight * gain
    }
    scratch.foundCount = foundCount
  }

  private termOf(token: string, create: boolean): number {
    hashWord(token, this.seed, this.hashed)
    return this.findTerm(this.hashed[0] ?? 0, this.hashed[1] ?? 0, create)
  }

  /** Open addressing with linear probing. The number of a term is also the number of its posting list. */
  private findTerm(first: number, second: number, create: boolean): number {
    const mask = this.slots.length - 1
    let slot = first & mask
    for (;;) {
      const term = this.slots[slot] ?? absent
      if (term === absent) return create ? this.addTerm(slot, first, second) : absent
      if (this.hashes[2 * term] === first && this.hashes[2 * term + 1] === second) return term
      slot = (slot + 1) & mask
    }
  }

  private addTerm(slot: number, first: number, second: number): number {
    const term = this.pool.open()
    this.termCount = term + 1
    if (2 * term + 1 >= this.hashes.length) this.hashes = grown(this.hashes, 2 * term + 2)
    this.hashes[2 * term] = first
    this.hashes[2 * term + 1] = second
    this.slots[slot] = term
    if (this.termCount * 3 > this.slots.length * 2) this.rehash()
    return term
  }

  private rehash(): void {
    const slots = new Int32Array(this.slots.length * 2).fill(absent)
    const mask = slots.length - 1
    for (let term = 0; term < this.termCount; term++) {
      let slot = (this.hashes[2 * term] ?? 0) & mask
      while (slots[slot] !== absent) slot = (slot + 1) & mask
      slots[slot] = term
    }
    this.slots = slots
  }
}

/** Sorts in ascending order. A memory has few words, so calling the built-in `sort` would take longer than this. */
function sortFirst(values: Uint32Array, count: number): void {
  if (count > 100) {
    values.subarray(0, count).sort()
    return
  }
  for (let end = 1; end < count; end++) {
    const value = values[end] ?? 0
    let place = end
    for (; place > 0 && (values[place - 1] ?? 0) > value; place--) values[place] = values[place - 1] ?? 0
    values[place] = value
  }
}

/** The weight of a term that this many of all documents have. */
export function termWeight(documents: number, count: number): number {
  return Math.log(1 + (count - documents + 0.5) / (documents + 0.5))
}

/** What a document with this many mentions gains from a term, before its weight. */
export function termGain(frequency: number, length: number, averageLength: number): number {
  return (frequency * (k1 + 1)) / (frequency + k1 * (1 - b + (b * length) / averageLength))
}

/** More than any document can gain from a term. */
export function mostOfTerm(weight: number): number {
  return weight * (k1 + 1)
}

/** Writes the two hashes of a word. */
export function hashWord(token: string, seed: number, into: Uint32Array): void {
  let first = seed
  let second = ~seed
  for (let index = 0; index < token.length; index++) {
    const code = token.charCodeAt(index)
    first = Math.imul(first ^ code, 0x85ebca6b)
    first ^= first >>> 13
    second = Math.imul(second ^ code, 0xc2b2ae35)
    second ^= second >>> 16
  }
  into[0] = first
  into[1] = second
}

/** The words of some documents, numbered from 0: a list of documents for each term. */
export interface StoredWords {
  readonly lengths: Uint16Array
  /** Two per term. */
  readonly hashes: Uint32Array
  /** Number of documents per term. */
  readonly counts: Uint32Array
  readonly documents: Uint16Array
  readonly frequencies: Uint8Array
}

export function randomSeed(): number {
  return Math.floor(Math.random() * 2 ** 32)
}

export interface LiveDocuments {
  /** One past the highest document number. */
  readonly end: number
  readonly count: number
  /** False if nothing has been removed since the last `compact`. */
  readonly hasRemoved: boolean
  /** Odd if the document is live. */
  readonly flags: Uint8Array
}

/** Each term once. Stop words only if there is nothing else. */
export function queryTerms(query: string): string[] {
  const tokens = [...new Set(tokenize(query))]
  const telling = tokens.filter((token) => !isStopWord(token))
  return telling.length > 0 ? telling : tokens
}
