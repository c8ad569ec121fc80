/**
 * How vectors become codes. Each row is stored twice: with two bits per component, to find the few hundred rows that may be near, and
 * with four bits per component, to find out which of them are. Together they take three quarters of the bytes of an int8 vector. The
 * error of the cosine is 0.019 and 0.0055 (standard deviations over real vectors of 384 dimensions). Rows that are returned are then
 * compared by their exact vector.
 */
import { coarseByte, coarseShift, fineGroup, tableBytes } from './dense-kernel.js'

/**
 * The best four and sixteen levels for normally distributed components, in standard deviations (J. Max, "Quantizing for minimum
 * distortion", 1960). The components of an embedding are distributed roughly like that.
 */
const coarseBorder = 0.9816
const coarseLevels = [0.4528, 1.51] as const
const fineStep = 0.3352
const fineMiddle = 7.5
const highestFine = 15
/** About the largest of a few hundred normally distributed components, in standard deviations. */
const usualLargest = 4
const mostPerTable = 127

export interface CodeSizes {
  /** Number of components, with zeros to fill the last group. */
  readonly paddedDimensions: number
  /** Per block of 32 rows. */
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

/** The codes of a component by its value as a byte (negative values above 127). The two lowest bits are the coarse code. */
type CodeTable = Uint8Array

export class RowCoder {
  private readonly row: Int8Array
  /** The components of most rows have a similar spread, so a few tables serve all rows. */
  private readonly tables = new Map<number, CodeTable>()

  constructor(private readonly dimensions: number) {
    this.row = new Int8Array(codeSizes(dimensions).paddedDimensions)
  }

  /**
   * Writes the codes of a row: the coarse ones into its block, which starts at `coarseStart`, and the fine ones from `fineStart` on.
   * Returns the size of a fine step in units of the vector's components, chosen so that the product of the row with itself is exact.
   * Returns 0 for a vector of zeros.
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
        // As in `fineByte`: two bytes hold four components, eight apart. As in `pairStart`: they are two pairs.
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
    // Quarters of a unit are precise enough.
    const rounded = Math.round(deviation * 4)
    const key = isUsual ? rounded : -1 - rounded * 256 - largest
    let table = this.tables.get(key)
    if (!table) {
      // Unusual rows are rare. If somebody creates many, their tables must not fill the memory.
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

/** Steps for a normal distribution are best for most rows. A row with a few large components needs steps that reach those. */
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

/** The first component of a pair. The second one is eight further on. */
function pairStart(pair: number): number {
  const inGroup = pair % (fineGroup / 2)
  return (pair - inGroup) * 2 + (inGroup % 2) * 16 + (inGroup >> 1)
}

/**
 * Fills one table per pair of components: what each of the sixteen codes adds to the sum of a row. Sums are only meaningful for
 * comparing rows. However many tables there are, the largest sum fits 16 bits.
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
    // Half a step above the lowest sum, so that cutting off the fraction rounds.
    const lowest = reachOf(query, pair) * unit + 0.5
    for (let high = 0; high < 4; high++) {
      const above = lowest + second * (levels[high] ?? 0)
      for (let low = 0; low < 4; low++) tables[place++] = above + first * (levels[low] ?? 0)
    }
  }
}

/** The most that one of this many pairs can add to the sum of a row. */
function mostOfPair(pairs: number): number {
  return Math.min(mostPerTable, Math.floor(0xffff / pairs))
}

/** The largest distance of a pair's sums from zero. */
function reachOf(query: Float32Array, pair: number): number {
  const start = pairStart(pair)
  return coarseLevels[1] * (Math.abs(query[start] ?? 0) + Math.abs(query[start + 8] ?? 0))
}

function coarseLevel(code: number): number {
  const size = (code & 1) === 0 ? coarseLevels[0] : coarseLevels[1]
  return (code & 2) === 0 ? size : -size
}

export interface FineQuery {
  /** The value of one unit of the integers. */
  readonly step: number
  /** How much every product is too large, because codes count from 0 and components from the middle. */
  readonly offset: number
}

/** Writes the query as int16, much finer than the rows, so that nearly all of the error of a score comes from the rows. */
export function fillQuery(query: Float32Array, into: Int16Array): FineQuery {
  let largest = 0
  let sum = 0
  for (const component of query) {
    largest = Math.max(largest, Math.abs(component))
    sum += Math.abs(component)
  }
  // The second bound keeps every sum of products within 32 bits, including codes that are shifted left by eight bits.
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
