/**
 * How vectors become codes. Each row is kept twice: in two bits a component, to find the few hundred rows that may
 * be near, and in four bits a component, to tell which of them are. Together three quarters of the bytes of an int8
 * vector, for a cosine that is off by 0.019 and 0.0055 (standard deviations over real vectors of 384 dimensions); whoever is
 * shown is compared by its exact vector after that.
 */
import { coarseByte, coarseShift, fineGroup, pairsPerRound, tableBytes } from './dense-kernel.js'

/**
 * The best four and sixteen levels for components of a bell curve, in its standard deviations (J. Max, "Quantizing
 * for minimum distortion", 1960): components of an embedding lie about like that.
 */
const coarseBorder = 0.9816
const coarseLevels = [0.4528, 1.51] as const
const fineStep = 0.3352
const fineMiddle = 7.5
/** Of a bell curve's few hundred components the largest is about this, in standard deviations. */
const usualLargest = 4
const highestFine = 15
const mostPerTable = 127

export interface CodeSizes {
  /** Of a block of 32 rows. */
  readonly coarseBlockBytes: number
  readonly fineRowBytes: number
  /** Components of the query, with those that fill its last group: always 0. */
  readonly paddedDimensions: number
}

export function codeSizes(dimensions: number): CodeSizes {
  const roundComponents = pairsPerRound * 2
  const coarseBlockBytes = (Math.ceil(dimensions / roundComponents) * roundComponents * tableBytes) / 2
  const paddedDimensions = Math.ceil(dimensions / fineGroup) * fineGroup
  return { coarseBlockBytes, fineRowBytes: paddedDimensions / 2, paddedDimensions }
}

/** How a vector's components are spread. */
export interface Spread {
  readonly deviation: number
  readonly largest: number
}

export function spreadOf(vector: Int8Array): Spread {
  let squares = 0
  let largest = 0
  for (let column = 0; column < vector.length; column++) {
    const component = vector[column] ?? 0
    const size = component < 0 ? -component : component
    squares += size * size
    if (size > largest) largest = size
  }
  return { deviation: Math.sqrt(squares / vector.length), largest }
}

/** Puts a row's two-bit codes among those of its block: one bit how large, one whether negative. */
export function writeCoarse(block: Uint8Array, slot: number, vector: Int8Array, spread: Spread): void {
  const border = coarseBorder * spread.deviation
  const shift = coarseShift(slot)
  const others = 0x0f << (4 - shift)
  for (let column = 0, place = coarseByte(slot); column < vector.length; column += 2, place += tableBytes) {
    const code = coarseCode(vector[column] ?? 0, border) | (coarseCode(vector[column + 1] ?? 0, border) << 2)
    block[place] = ((block[place] ?? 0) & others) | (code << shift)
  }
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

function coarseCode(component: number, border: number): number {
  return (component >= border || component <= -border ? 1 : 0) | (component < 0 ? 2 : 0)
}

function coarseLevel(code: number): number {
  const size = coarseLevels[(code & 1) as 0 | 1]
  return (code & 2) === 0 ? size : -size
}

/**
 * Writes a row's four-bit codes. Returns what a step of them is worth in units of the vector's components, such that
 * the row's product with itself comes out right; 0 for a vector of zeros.
 */
export function writeFine(row: Uint8Array, vector: Int8Array, spread: Spread): number {
  const step = bestFineStep(vector, spread)
  const perStep = step === 0 ? 0 : 1 / step
  let length = 0
  let product = 0
  let byte = 0
  for (let group = 0; group < vector.length; group += fineGroup) {
    // As `fineByte` and `fineShift` say: two bytes hold four components, eight apart.
    for (let column = group; column < group + 8; column++) {
      const first = vector[column] ?? 0
      const second = vector[column + 8] ?? 0
      const third = vector[column + 16] ?? 0
      const fourth = vector[column + 24] ?? 0
      const firstCode = fineCode(first * perStep)
      const secondCode = fineCode(second * perStep)
      const thirdCode = fineCode(third * perStep)
      const fourthCode = fineCode(fourth * perStep)
      row[byte++] = firstCode | (secondCode << 4)
      row[byte++] = thirdCode | (fourthCode << 4)
      length += first * first + second * second + third * third + fourth * fourth
      product += first * (firstCode - fineMiddle) + second * (secondCode - fineMiddle)
      product += third * (thirdCode - fineMiddle) + fourth * (fourthCode - fineMiddle)
    }
  }
  return product > 0 ? length / product : 0
}

function fineCode(steps: number): number {
  const code = (steps + 8) | 0
  return code < 0 ? 0 : Math.min(code, highestFine)
}

/** Most rows are best served by steps for a bell curve; one with a few large components by steps that reach those. */
function bestFineStep(vector: Int8Array, { deviation, largest }: Spread): number {
  const [narrow, wide] = [fineStep * deviation, largest / 8]
  if (narrow >= wide) return wide
  if (largest < usualLargest * deviation) return narrow
  return fineError(vector, narrow) <= fineError(vector, wide) ? narrow : wide
}

function fineError(vector: Int8Array, step: number): number {
  let error = 0
  for (let column = 0; column < vector.length; column++) {
    const component = vector[column] ?? 0
    error += (component - (fineCode(component / step) - fineMiddle) * step) ** 2
  }
  return error
}

/* ------------------------------------------------------------------ the query */

/**
 * Fills a table for each pair of components: what each of the sixteen codes adds to a row's sum. Sums compare rows
 * with each other, and mean nothing else. However many tables: the largest sum fits 16 bits.
 */
export function fillTables(query: Float32Array, tables: Uint8Array): void {
  const pairs = tables.length / tableBytes
  let widest = 0
  for (let pair = 0; pair < pairs; pair++) widest = Math.max(widest, reach(query, pair))
  const most = Math.min(mostPerTable, Math.floor(0xffff / pairs))
  const unit = widest === 0 ? 0 : most / (2 * coarseLevels[1] * widest)
  for (let pair = 0; pair < pairs; pair++) {
    const lowest = coarseLevels[1] * reach(query, pair)
    for (let code = 0; code < tableBytes; code++) {
      const sum =
        (query[2 * pair] ?? 0) * coarseLevel(code & 3) + (query[2 * pair + 1] ?? 0) * coarseLevel((code >> 2) & 3)
      tables[pair * tableBytes + code] = Math.round((sum + lowest) * unit)
    }
  }
}

function reach(query: Float32Array, pair: number): number {
  return Math.abs(query[2 * pair] ?? 0) + Math.abs(query[2 * pair + 1] ?? 0)
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
