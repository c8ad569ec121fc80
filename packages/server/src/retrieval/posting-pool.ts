/**
 * Posting lists of many terms in one growable array: a list is a chain of blocks, each longer than the
 * one before, so a rare term costs a few words and a common one few links (after the slices of
 * E. Busch et al., "Earlybird: Real-Time Search at Twitter", 2012). A term with one posting, as about
 * half of all terms have, keeps it in place of the link to its first block.
 *
 * A posting is a document number (24 bits) and how often the term is in it (8 bits, capped).
 */
import { grown } from './grown.js'

export const mostDocuments = 2 ** 24
const mostFrequency = 255
/** By level, about half as long again each: doubling would leave a quarter of the pool empty. */
const blockWords = Uint16Array.of(4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
const highestLevel = blockWords.length - 1
const firstBlockWords = 4

function wordsAt(level: number): number {
  return blockWords[level] ?? 0
}

export class PostingPool {
  private words = new Uint32Array(64)
  private used = 0
  private heads = new Uint32Array(16)
  private tails = new Uint32Array(16)
  private counts = new Uint32Array(16)
  private levels = new Uint8Array(16)
  private rooms = new Uint8Array(16)
  private lists = 0

  get byteSize(): number {
    return this.words.byteLength + this.heads.length * 14
  }

  /** A new, empty list. */
  open(): number {
    if (this.lists === this.heads.length) {
      this.heads = grown(this.heads, this.lists + 1)
      this.tails = grown(this.tails, this.lists + 1)
      this.counts = grown(this.counts, this.lists + 1)
      this.levels = grown(this.levels, this.lists + 1)
      this.rooms = grown(this.rooms, this.lists + 1)
    }
    this.lists += 1
    return this.lists - 1
  }

  /** Documents come in ascending order, so one that was met before is the last in the list. */
  count(list: number, document: number): void {
    const count = this.counts[list] ?? 0
    const last = count === 0 ? 0 : this.lastPosting(list, count)
    if (count > 0 && last >>> 8 === document) {
      if ((last & 0xff) < mostFrequency) this.replaceLast(list, count, last + 1)
    } else this.append(list, ((document << 8) | 1) >>> 0)
  }

  append(list: number, posting: number): void {
    const count = this.counts[list] ?? 0
    if (count === 0) this.heads[list] = posting
    else {
      if (count === 1) this.moveToBlock(list)
      else if (this.rooms[list] === 0) this.chainBlock(list)
      const tail = (this.tails[list] ?? 0) + 1
      this.words[tail] = posting
      this.tails[list] = tail
      this.rooms[list] = (this.rooms[list] ?? 0) - 1
    }
    this.counts[list] = count + 1
  }

  /** Copies the list into `into`, or into a longer array if that is too short; both are returned. */
  read(list: number, into: Uint32Array): { readonly postings: Uint32Array; readonly count: number } {
    const count = this.counts[list] ?? 0
    const postings = into.length < count ? grown(into, count) : into
    if (count === 1) postings[0] = this.heads[list] ?? 0
    if (count <= 1) return { postings, count }
    let block = this.heads[list] ?? 0
    let level = 0
    let copied = 0
    while (copied < count) {
      const take = Math.min(wordsAt(level) - 1, count - copied)
      for (let word = 1; word <= take; word++) postings[copied + word - 1] = this.words[block + word] ?? 0
      copied += take
      block = this.words[block] ?? 0
      level = Math.min(level + 1, highestLevel)
    }
    return { postings, count }
  }

  private lastPosting(list: number, count: number): number {
    return (count === 1 ? this.heads[list] : this.words[this.tails[list] ?? 0]) ?? 0
  }

  private replaceLast(list: number, count: number, posting: number): void {
    if (count === 1) this.heads[list] = posting
    else this.words[this.tails[list] ?? 0] = posting
  }

  private moveToBlock(list: number): void {
    const block = this.allocate(firstBlockWords)
    this.words[block + 1] = this.heads[list] ?? 0
    this.heads[list] = block
    this.tails[list] = block + 1
    this.levels[list] = 0
    this.rooms[list] = firstBlockWords - 2
  }

  private chainBlock(list: number): void {
    const fullLevel = this.levels[list] ?? 0
    const level = Math.min(fullLevel + 1, highestLevel)
    const block = this.allocate(wordsAt(level))
    // The full block's first word, its link, lies one length before the end of its last word.
    this.words[(this.tails[list] ?? 0) + 1 - wordsAt(fullLevel)] = block
    this.tails[list] = block
    this.levels[list] = level
    this.rooms[list] = wordsAt(level) - 1
  }

  private allocate(words: number): number {
    if (this.used + words > this.words.length) this.words = grown(this.words, this.used + words)
    this.used += words
    return this.used - words
  }
}
