/**
 * The inner loops of semantic search over the codes of `dense-codes.ts`, in WebAssembly SIMD, and in JavaScript for processors without
 * it.
 *
 * Coarse: two bits per component, two components per code of four bits, the codes of 32 rows side by side. One instruction looks up
 * sixteen rows in a table of sixteen sums for each pair of components (after F. André, A.-M. Kermarrec and N. Le Scouarnec, "Cache
 * locality is not enough: high-performance nearest neighbor search with product quantization fast scan", 2015). This is five times as
 * fast as products of int8 vectors, and reads a quarter of the bytes.
 *
 * Fine: four bits per component, row by row, times a query of int16.
 */
import { compile, type WasmMemory, type WasmProgram, wasm } from './wasm-code.js'

export const blockRows = 32
/** Pairs of components per round of the coarse loop. */
const pairsPerRound = 4
export const tableBytes = 16
/** Components in sixteen bytes of fine codes. */
export const fineGroup = 32

/**
 * Writes the sums of `blocks` blocks to `out`, 32 uint16 each. Between `tables` and `tablesEnd` is one table per pair of components:
 * 16 bytes, each at most 127. All are byte addresses.
 */
export type CoarseKernel = (codes: number, blocks: number, tables: number, tablesEnd: number, out: number) => void

/** Replaces the addresses of `count` rows at `rows` with the products of these rows and the query, one int32 each. */
export type FineKernel = (rows: number, count: number, query: number, queryEnd: number) => void

export interface Kernels {
  coarse(memory: WasmMemory): CoarseKernel
  fine(memory: WasmMemory): FineKernel
}

/* ------------------------------------------------------------------ where a code is */

/** The byte of a row's coarse code among the sixteen of a pair. Rows 16 to 31 use its upper half. */
export function coarseByte(slot: number): number {
  // Rows 0 to 7 are in the even bytes, so that the 16-bit sums come out in the order of the rows.
  return ((slot & 7) << 1) | ((slot >> 3) & 1)
}

export function coarseShift(slot: number): number {
  return slot < 16 ? 0 : 4
}

/** Sixteen bits hold the codes of four components, eight apart, so that the query keeps the order of the vector. */
function fineByte(component: number): number {
  const inGroup = component % fineGroup
  return ((component - inGroup) >> 1) + ((inGroup & 7) << 1) + (inGroup >> 4)
}

function fineShift(component: number): number {
  return (component & 8) >> 1
}

/* ------------------------------------------------------------------ SIMD */

function coarseProgram(): WasmProgram {
  const [codes, blocks, tables, tablesEnd, out, table] = [0, 1, 2, 3, 4, 5]
  const [low, lowOdd, high, highOdd, code, sums, lowSum, highSum, nibble] = [6, 7, 8, 9, 10, 11, 12, 13, 14]
  const { get, set, number } = wasm
  const lookUps = (pair: number) => {
    const isSecond = pair % 2 === 1
    // Two sums of at most 127 fit one byte, so they are added before they are widened.
    const join = (sum: number) => (isSecond ? [...get(sum), ...wasm.add8x16] : [])
    return [
      ...[...get(codes), ...wasm.load128(pair * tableBytes), ...set(code)],
      ...[...get(table), ...wasm.load128(pair * tableBytes), ...set(sums)],
      ...[
        ...get(sums),
        ...get(code),
        ...get(nibble),
        ...wasm.and128,
        ...wasm.lookUp8x16,
        ...join(lowSum),
        ...set(lowSum),
      ],
      ...[...get(sums), ...get(code), ...number(4), ...wasm.shiftRight16x8, ...get(nibble), ...wasm.and128],
      ...[...wasm.lookUp8x16, ...join(highSum), ...set(highSum)],
    ]
  }
  // Adds up the whole 16 bits, and the upper bytes separately, so that the lower ones can be derived at the end.
  const gather = (all: number, odd: number, sum: number) => [
    ...[...get(all), ...get(sum), ...wasm.add16x8, ...set(all)],
    ...[...get(odd), ...get(sum), ...number(8), ...wasm.shiftRight16x8, ...wasm.add16x8, ...set(odd)],
  ]
  const round = Array.from({ length: pairsPerRound }, (_, pair) => [
    ...lookUps(pair),
    ...(pair % 2 === 1 ? [...gather(low, lowOdd, lowSum), ...gather(high, highOdd, highSum)] : []),
  ])
  const write = (all: number, odd: number, offset: number) => [
    ...[...get(out), ...get(all), ...get(odd), ...number(8), ...wasm.shiftLeft16x8, ...wasm.subtract16x8],
    ...[...wasm.store128(offset), ...get(out), ...get(odd), ...wasm.store128(offset + 16)],
  ]
  const roundBytes = pairsPerRound * tableBytes
  const block = [
    ...[low, lowOdd, high, highOdd].map((sum) => [...wasm.bytes16(0), ...set(sum)]),
    [...get(tables), ...set(table)],
    wasm.untilReached(table, roundBytes, tablesEnd, [
      ...round,
      [...get(codes), ...number(roundBytes), ...wasm.add, ...set(codes)],
    ]),
    [...write(low, lowOdd, 0), ...write(high, highOdd, 32)],
    [...get(out), ...number(blockRows * 2), ...wasm.add, ...set(out)],
  ]
  const body = [[...wasm.bytes16(0x0f), ...set(nibble)], wasm.repeat(blocks, block)]
  return { parameters: 5, int32s: 1, vectors: 9, body }
}

function fineProgram(): WasmProgram {
  const [rows, count, query, queryEnd, codes, column] = [0, 1, 2, 3, 4, 5]
  const [code, first] = [6, 7]
  const { get, set, number } = wasm
  const quarters = [0, 1, 2, 3]
  // The codes of a quarter stay in place within their 16 bits: shifting the sums once is cheaper than shifting all codes.
  const codesOf = (quarter: number) =>
    quarter === 3
      ? [...get(code), ...number(12), ...wasm.shiftRight16x8]
      : [...get(code), ...wasm.words8(0x0f << (4 * quarter)), ...wasm.and128]
  const multiply = (quarter: number) => [
    ...[...get(first + quarter), ...codesOf(quarter), ...get(column), ...wasm.load128(quarter * 16)],
    ...[...wasm.dot16x8, ...wasm.add32x4, ...set(first + quarter)],
  ]
  const unshifted = (quarter: number) => [...get(first + quarter), ...number(4 * quarter), ...wasm.shiftRight32x4]
  const lane = (which: number) => [...get(first), ...wasm.lane32(which)]
  const row = [
    ...quarters.map((quarter) => [...wasm.bytes16(0), ...set(first + quarter)]),
    [...get(rows), ...wasm.load32(0), ...set(codes), ...get(query), ...set(column)],
    wasm.untilReached(column, fineGroup * 2, queryEnd, [
      [...get(codes), ...wasm.load128(0), ...set(code)],
      ...quarters.map(multiply),
      [...get(codes), ...number(16), ...wasm.add, ...set(codes)],
    ]),
    [...get(first), ...get(first + 3), ...wasm.add32x4, ...unshifted(1), ...wasm.add32x4],
    [...unshifted(2), ...wasm.add32x4, ...set(first)],
    [...get(rows), ...lane(0), ...lane(1), ...wasm.add, ...lane(2), ...wasm.add, ...lane(3), ...wasm.add],
    [...wasm.store32(0), ...get(rows), ...number(4), ...wasm.add, ...set(rows)],
  ]
  return { parameters: 4, int32s: 2, vectors: 5, body: [wasm.repeat(count, row)] }
}

export const simdKernels: Kernels = {
  coarse: (memory) => compile(coarseProgram(), memory),
  fine: (memory) => compile(fineProgram(), memory),
}

/* ------------------------------------------------------------------ plain JavaScript */

export const plainKernels: Kernels = {
  coarse: (memory) => (codes, blocks, tables, tablesEnd, out) => {
    const bytes = new Uint8Array(memory.buffer)
    const sums = new Uint16Array(memory.buffer, out, blocks * blockRows)
    const blockBytes = tablesEnd - tables
    for (let row = 0; row < sums.length; row++) {
      const slot = row % blockRows
      const shift = coarseShift(slot)
      const start = codes + ((row - slot) / blockRows) * blockBytes + coarseByte(slot)
      let sum = 0
      for (let offset = 0; offset < blockBytes; offset += tableBytes) {
        sum += bytes[tables + offset + (((bytes[start + offset] ?? 0) >> shift) & 0x0f)] ?? 0
      }
      sums[row] = sum
    }
  },
  fine: (memory) => (rows, count, query, queryEnd) => {
    const bytes = new Uint8Array(memory.buffer)
    const vector = new Int16Array(memory.buffer, query, (queryEnd - query) / 2)
    const products = new Uint32Array(memory.buffer, rows, count)
    for (let row = 0; row < count; row++) {
      const start = products[row] ?? 0
      let sum = 0
      for (let component = 0; component < vector.length; component++) {
        const code = ((bytes[start + fineByte(component)] ?? 0) >> fineShift(component)) & 0x0f
        sum += code * (vector[component] ?? 0)
      }
      products[row] = sum
    }
  },
}

/** The fastest kernels that this processor supports. */
export const bestKernels: Kernels = {
  coarse: (memory) => simdOr(simdKernels, plainKernels, (kernels) => kernels.coarse(memory)),
  fine: (memory) => simdOr(simdKernels, plainKernels, (kernels) => kernels.fine(memory)),
}

function simdOr<T>(simd: Kernels, plain: Kernels, kernelOf: (kernels: Kernels) => T): T {
  try {
    return kernelOf(simd)
  } catch (error) {
    // A CompileError means that this processor has no SIMD. Plain JavaScript is slower, but gives the same results.
    if (error instanceof Error && error.name === 'CompileError') return kernelOf(plain)
    throw error
  }
}
