/**
 * The posting lists of many terms in one growable array. A list is a chain of blocks, each longer than the previous one, so a rare term
 * takes a few bytes and a common one has few links (after the slices of E. Busch et al., "Earlybird: Real-Time Search at Twitter",
 * 2012). About half of all terms have one posting, which is stored in place of the link to a first block.
 *
 * Outside, a posting is a document number (24 bits) and the frequency of the term in it (8 bits, capped). In a block it is the distance
 * from the previous document, seven bits per byte, lowest first. The lowest bit says whether a byte with the frequency follows;
 * otherwise the frequency is 1. A distance is never 0, so a byte of 0 means that the rest of the block is empty.
 */
import { grown } from './grown.js'

export const mostDocuments = 2 ** 24
/** By level, each about 50% longer than the previous one. Doubling would leave a quarter of the pool empty. */
const blockLengths = Uint16Array.of(12, 18, 26, 38, 56, 84, 126, 188, 255)
const highestLevel = blockLengths.length - 1
const linkBytes = 4

export interface DocumentRange {
  readonly first: number
  readonly start: number
  readonly end: number
}

export class PostingPool {
  private bytes = new Uint8Array(256)
  private used = 0
  private heads = new Uint32Array(16)
  /** Position of the next byte. */
  private ends = new Uint32Array(16)
  private counts = new Uint32Array(16)
  private lastDocuments = new Uint32Array(16)
  private levels = new Uint8Array(16)
  private rooms = new Uint8Array(16)
  private lists = 0

  get byteSize(): number {
    return this.bytes.byteLength + this.heads.length * 18
  }

  /** Opens a new, empty list. */
  open(): number {
    if (this.lists === this.heads.length) {
      this.heads = grown(this.heads, this.lists + 1)
      this.ends = grown(this.ends, this.lists + 1)
      this.counts = grown(this.counts, this.lists + 1)
      this.lastDocuments = grown(this.lastDocuments, this.lists + 1)
      this.levels = grown(this.levels, this.lists + 1)
      this.rooms = grown(this.rooms, this.lists + 1)
    }
    this.lists += 1
    return this.lists - 1
  }

  length(list: number): number {
    return this.counts[list] ?? 0
  }

  /** Documents must be unique and in ascending order. */
  append(list: number, posting: number): void {
    const count = this.counts[list] ?? 0
    if (count === 0) this.heads[list] = posting
    else {
      if (count === 1) this.moveToBlock(list)
      this.write(list, (posting >>> 8) - (this.lastDocuments[list] ?? 0), posting & 0xff)
    }
    this.lastDocuments[list] = posting >>> 8
    this.counts[list] = count + 1
  }

  /** Appends the documents at `start` to `end`, each `first` higher. The same as `append`, but faster for many. */
  appendAll(list: number, documents: Uint16Array, frequencies: Uint8Array, range: DocumentRange): void {
    const { first, end } = range
    let { start } = range
    // The first two set the list up.
    for (; start < end && (this.counts[list] ?? 0) < 2; start++) {
      this.append(list, (((first + (documents[start] ?? 0)) << 8) | (frequencies[start] ?? 0)) >>> 0)
    }
    if (start >= end) return
    let last = this.lastDocuments[list] ?? 0
    let place = this.ends[list] ?? 0
    let room = this.rooms[list] ?? 0
    this.counts[list] = (this.counts[list] ?? 0) + end - start
    for (let at = start; at < end; at++) {
      const document = first + (documents[at] ?? 0)
      const frequency = frequencies[at] ?? 0
      const value = (document - last) * 2 + (frequency === 1 ? 0 : 1)
      last = document
      if (value < 0x80 && frequency === 1 && room > 0) {
        this.bytes[place++] = value
        room -= 1
        continue
      }
      this.ends[list] = place
      this.rooms[list] = room
      this.write(list, value >>> 1, frequency)
      place = this.ends[list] ?? 0
      room = this.rooms[list] ?? 0
    }
    this.lastDocuments[list] = last
    this.ends[list] = place
    this.rooms[list] = room
  }

  /** Copies the list into `into`, or into a longer array if that is too short. Returns the array that was used. */
  read(list: number, into: Uint32Array): { readonly postings: Uint32Array; readonly count: number } {
    const count = this.counts[list] ?? 0
    const postings = into.length < count ? grown(into, count) : into
    if (count === 1) postings[0] = this.heads[list] ?? 0
    else if (count > 1) this.decode(this.heads[list] ?? 0, postings, count)
    return { postings, count }
  }

  private decode(firstBlock: number, postings: Uint32Array, count: number): void {
    const { bytes } = this
    let block = firstBlock
    let level = 0
    let place = block + linkBytes
    let blockEnd = block + (blockLengths[0] ?? 0)
    let document = -1
    for (let read = 0; read < count; ) {
      let byte = place < blockEnd ? (bytes[place++] ?? 0) : 0
      if (byte === 0) {
        block = this.linkAt(block)
        level = Math.min(level + 1, highestLevel)
        place = block + linkBytes
        blockEnd = block + (blockLengths[level] ?? 0)
        continue
      }
      let value = byte & 0x7f
      for (let shift = 7; byte >= 0x80; shift += 7) {
        byte = bytes[place++] ?? 0
        value |= (byte & 0x7f) << shift
      }
      document += value >>> 1
      postings[read++] = ((document << 8) | ((value & 1) === 0 ? 1 : (bytes[place++] ?? 0))) >>> 0
    }
  }

  private write(list: number, distance: number, frequency: number): void {
    const isMore = frequency === 1 ? 0 : 1
    let value = distance * 2 + isMore
    const length = lengthOf(value) + isMore
    if ((this.rooms[list] ?? 0) < length) this.chainBlock(list)
    let place = this.ends[list] ?? 0
    while (value >= 0x80) {
      this.bytes[place++] = (value & 0x7f) | 0x80
      value >>>= 7
    }
    this.bytes[place++] = value
    if (isMore === 1) this.bytes[place++] = frequency
    this.ends[list] = place
    this.rooms[list] = (this.rooms[list] ?? 0) - length
  }

  private moveToBlock(list: number): void {
    const posting = this.heads[list] ?? 0
    this.heads[list] = this.openBlock(list, 0)
    // The distance counts from -1, the position before the first document.
    this.write(list, (posting >>> 8) + 1, posting & 0xff)
  }

  private chainBlock(list: number): void {
    const fullLevel = this.levels[list] ?? 0
    const full = (this.ends[list] ?? 0) + (this.rooms[list] ?? 0) - (blockLengths[fullLevel] ?? 0)
    const block = this.openBlock(list, Math.min(fullLevel + 1, highestLevel))
    for (let byte = 0; byte < linkBytes; byte++) this.bytes[full + byte] = block >>> (8 * byte)
  }

  private openBlock(list: number, level: number): number {
    const length = blockLengths[level] ?? 0
    const block = this.used
    if (block + length > this.bytes.length) this.bytes = grown(this.bytes, block + length)
    this.used += length
    this.ends[list] = block + linkBytes
    this.levels[list] = level
    this.rooms[list] = length - linkBytes
    return block
  }

  private linkAt(block: number): number {
    let link = 0
    for (let byte = linkBytes - 1; byte >= 0; byte--) link = link * 256 + (this.bytes[block + byte] ?? 0)
    return link
  }
}

function lengthOf(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x200000 ? 3 : 4
}
