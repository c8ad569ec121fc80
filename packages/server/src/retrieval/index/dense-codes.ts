/**
 * How vectors become codes. Each row is kept twice: in two bits a component, to find the few hundred rows that may
 * be near, and in four bits a component, to tell which of them are. Together three quarters of the bytes of an int8
 * vector, for a cosine that is off by 0.019 and 0.0055 (standard deviations over real vectors of 384 dimensions); whoever is
 * shown is compared by its exact vector after that.
 */
import { coarseByte, coarseShift, fineGroup, tableBytes } from './dense-kernel.js'

/**
 * The best four and sixteen levels for components of a bell curve, in its standard deviations (J. Max, "Quantizing
 * for minimum distortion", 1960): components of an embedding lie about like that.
 */
const coarseBorder = 0.9816
const coarseLevels = [0.4528, 1.51] as const
const fineStep = 0.3352
const fineMiddle = 7.5
const highestFine = 15
/** Of a bell curve's few hundred components the largest is about this, in standard deviations. */
const usualLargest = 4
const mostPerTable = 127

export interface CodeSizes {
  /** Components, with zeros that fill the last group. */
  readonly paddedDimensions: number
  /** Of a block of 32 rows. */
  readonly coarseBlockBytes: number
  readonly fineRowBytes: number
  /** The highest sum that a row's coarse codes can have. */
  readonly mostSum: number
}

export function codeSizes(dimensions: number): CodeSizes {
  const paddedDimensions = Math.ceil(dimensions / fineGroup) * fineGroup
  const pairs = paddedDimensions / 2
  return {
    paddedDimensions,
    coarseBlockBytes: pairs * tableBytes,
    fineRowBytes: paddedDimensions / 2,
    mostSum: pairs * mostOfPair(pairs),
  }
}

/* ------------------------------------------------------------------ rows */

/** The codes of a component by its value (of eight bits, negative ones above 127): the coarse one in the two lowest bits. */
type CodeTable = Uint8Array

export class RowCoder {
  private readonly row: Int8Array
  /** Rows are much alike in how far their components spread, so few tables serve all. */
  private readonly tables = new Map<number, CodeTable>()

  constructor(private readonly dimensions: number) {
    this.row = new Int8Array(codeSizes(dimensions).paddedDimensions)
  }

  /**
   * Writes the codes of a row: the coarse ones among those of its block, which begins at `coarseStart`, the fine ones from
   * `fineStart` on. Returns what a step of the fine ones is worth
   * in units of the vector's components, such that the row's product with itself comes out right; 0 for a vector of zeros.
   */
  write(
    vector: Int8Array,
    slot: number,
    [coarse, coarseStart]: readonly [Uint8Array, number],
    [fine, fineStart]: readonly [Uint8Array, number],
  ): number {
    const { row } = this
    row.set(vector)
    const table = this.tableFor(row)
    const shift = coarseShift(slot)
    const others = 0x0f << (4 - shift)
    let place = coarseStart + coarseByte(slot)
    let byte = fineStart
    let length = 0
    let product = 0
    for (let group = 0; group < row.length; group += fineGroup) {
      for (let column = group; column < group + 8; column++) {
        const first = row[column] ?? 0
        const second = row[column + 8] ?? 0
        const third = row[column + 16] ?? 0
        const fourth = row[column + 24] ?? 0
        const a = table[first & 0xff] ?? 0
        const b = table[second & 0xff] ?? 0
        const c = table[third & 0xff] ?? 0
        const d = table[fourth & 0xff] ?? 0
        // As `fineByte` says: two bytes hold four components, eight apart; and as `pairStart` says: two pairs.
        fine[byte] = (a >> 2) | ((b & 0x3c) << 2)
        fine[byte + 1] = (c >> 2) | ((d & 0x3c) << 2)
        byte += 2
        coarse[place] = ((coarse[place] ?? 0) & others) | (((a & 3) | ((b & 3) << 2)) << shift)
        place += tableBytes
        coarse[place] = ((coarse[place] ?? 0) & others) | (((c & 3) | ((d & 3) << 2)) << shift)
        place += tableBytes
        length += first * first + second * second + third * third + fourth * fourth
        product += first * (a >> 2) + second * (b >> 2) + third * (c >> 2) + fourth * (d >> 2)
        product -= fineMiddle * (first + second + third + fourth)
      }
    }
    return product > 0 ? length / product : 0
  }

  private tableFor(row: Int8Array): CodeTable {
    const { deviation, largest } = spreadOf(row, this.dimensions)
    const isUsual = largest < usualLargest * deviation || isBetterNarrow(row, deviation, largest)
    // Quarters of a unit are as fine as it needs to be.
    const rounded = Math.round(deviation * 4)
    const key = isUsual ? rounded : -1 - rounded * 256 - largest
    let table = this.tables.get(key)
    if (!table) {
      // Odd rows are few; should somebody make many, the tables don't fill the memory.
      if (this.tables.size >= mostTables) this.tables.clear()
      table = codeTable(rounded / 4, isUsual ? fineStep * (rounded / 4) : largest / 8)
      this.tables.set(key, table)
    }
    return table
  }
}

const mostTables = 2_000

function codeTable(deviation: number, step: number): CodeTable {
  return Uint8Array.from({ length: 256 }, (_, byte) => {
    const value = byte < 128 ? byte : byte - 256
    const isLarge = Math.abs(value) >= coarseBorder * deviation
    return (isLarge ? 1 : 0) | (value < 0 ? 2 : 0) | (fineCode(value, step) << 2)
  })
}

function fineCode(value: number, step: number): number {
  return step === 0 ? 0 : Math.max(0, Math.min(Math.floor(value / step) + 8, highestFine))
}

function spreadOf(row: Int8Array, dimensions: number): { readonly deviation: number; readonly largest: number } {
  let squares = 0
  let largest = 0
  for (let column = 0; column < row.length; column++) {
    const component = row[column] ?? 0
    const square = component * component
    squares += square
    if (square > largest) largest = square
  }
  return { deviation: Math.sqrt(squares / dimensions), largest: Math.sqrt(largest) }
}

/** Most rows are best served by steps for a bell curve; one with a few large components by steps that reach those. */
function isBetterNarrow(row: Int8Array, deviation: number, largest: number): boolean {
  return fineError(row, fineStep * deviation) <= fineError(row, largest / 8)
}

function fineError(row: Int8Array, step: number): number {
  let error = 0
  for (let column = 0; column < row.length; column++) {
    const component = row[column] ?? 0
    error += (component - (fineCode(component, step) - fineMiddle) * step) ** 2
  }
  return error
}

export function eraseCoarse(block: Uint8Array, slot: number): void {
  const others = 0x0f << (4 - coarseShift(slot))
  for (let place = coarseByte(slot); place < block.length; place += tableBytes)
    block[place] = (block[place] ?? 0) & others
}

export function copyCoarse(from: Uint8Array, fromSlot: number, to: Uint8Array, toSlot: number): void {
  const [fromByte, fromShift, toShift] = [coarseByte(fromSlot), coarseShift(fromSlot), coarseShift(toSlot)]
  const others = 0x0f << (4 - toShift)
  for (let offset = 0, place = coarseByte(toSlot); place < to.length; place += tableBytes, offset += tableBytes) {
    const code = ((from[fromByte + offset] ?? 0) >> fromShift) & 0x0f
    to[place] = ((to[place] ?? 0) & others) | (code << toShift)
  }
}

/* ------------------------------------------------------------------ the query */

/** The first component of a pair; the second is eight further on. */
function pairStart(pair: number): number {
  const inGroup = pair % (fineGroup / 2)
  return (pair - inGroup) * 2 + (inGroup % 2) * 16 + (inGroup >> 1)
}

/**
 * Fills a table for each pair of components: what each of the sixteen codes adds to a row's sum. Sums compare rows
 * with each other, and mean nothing else. However many tables: the largest sum fits 16 bits.
 */
export function fillTables(query: Float32Array, tables: Uint8Array): void {
  const pairs = tables.length / tableBytes
  let widest = 0
  for (let pair = 0; pair < pairs; pair++) widest = Math.max(widest, reachOf(query, pair))
  const unit = widest === 0 ? 0 : mostOfPair(pairs) / (2 * widest)
  const levels = Float64Array.from([0, 1, 2, 3], (code) => coarseLevel(code) * unit)
  for (let pair = 0, place = 0; pair < pairs; pair++) {
    const start = pairStart(pair)
    const first = query[start] ?? 0
    const second = query[start + 8] ?? 0
    // From half a step above the lowest sum, so that cutting off the fraction rounds.
    const lowest = reachOf(query, pair) * unit + 0.5
    for (let high = 0; high < 4; high++) {
      const above = lowest + second * (levels[high] ?? 0)
      for (let low = 0; low < 4; low++) tables[place++] = above + first * (levels[low] ?? 0)
    }
  }
}

/** What one of so many pairs adds to a row's sum at most. */
function mostOfPair(pairs: number): number {
  return Math.min(mostPerTable, Math.floor(0xffff / pairs))
}

/** How far a pair's sums lie from zero at most. */
function reachOf(query: Float32Array, pair: number): number {
  const start = pairStart(pair)
  return coarseLevels[1] * (Math.abs(query[start] ?? 0) + Math.abs(query[start + 8] ?? 0))
}

function coarseLevel(code: number): number {
  const size = (code & 1) === 0 ? coarseLevels[0] : coarseLevels[1]
  return (code & 2) === 0 ? size : -size
}

export interface FineQuery {
  /** What one unit of the integers below is worth. */
  readonly step: number
  /** What every product is too large by: codes count from 0, components from the middle. */
  readonly offset: number
}

/** The query in integers of 16 bits, much finer than the rows: nearly all of a score's error is that of the rows. */
export function fillQuery(query: Float32Array, into: Int16Array): FineQuery {
  let largest = 0
  let sum = 0
  for (const component of query) {
    largest = Math.max(largest, Math.abs(component))
    sum += Math.abs(component)
  }
  // The second bound keeps every sum of products, codes up to eight bits to the left included, inside 32 bits.
  const sumBound = 2 ** 31 / (highestFine * 256) - query.length
  const step = Math.max(largest / 32_767, sum / sumBound)
  into.fill(0)
  if (step === 0) return { step, offset: 0 }
  let total = 0
  for (let column = 0; column < query.length; column++) {
    const value = Math.round((query[column] ?? 0) / step)
    into[column] = value
    total += value
  }
  return { step, offset: fineMiddle * total }
}
