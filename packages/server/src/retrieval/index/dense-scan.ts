/**
 * Holds and searches the codes of all users' vectors: two WebAssembly memories, divided into blocks of 32 rows that users borrow and
 * give back. One memory per user would reserve gigabytes of address space a thousand times, and codes outside of a WebAssembly memory
 * would have to be copied into it for every search.
 */
import { codeSizes, copyCoarse, eraseCoarse, type FineQuery, fillQuery, fillTables, RowCoder } from './dense-codes.js'
import { bestKernels, blockRows, type CoarseKernel, type FineKernel, type Kernels } from './dense-kernel.js'
import { type BlockCodes, joinCodes, splitCodes } from './dense-store.js'
import { grown } from './grown.js'
import { newMemory, type WasmMemory } from './wasm-code.js'

const pageBytes = 65_536
/** One page less than 4 GiB, so that no address in a kernel wraps to zero. */
const mostPages = 65_535
const leastGrowthPages = 8
/** Blocks per call of the coarse kernel. */
const roughBlocks = 64
const roughRows = roughBlocks * blockRows
/** Rows per call of the fine kernel. */
const closeRows = 512

/** A growing memory: first the input and output of a kernel, then blocks of one size. */
class BlockMemory {
  readonly memory: WasmMemory = newMemory(mostPages)
  bytes = new Uint8Array(this.memory.buffer)

  constructor(
    private readonly headBytes: number,
    readonly blockBytes: number,
  ) {
    this.fit(0)
  }

  addressOf(block: number): number {
    return this.headBytes + block * this.blockBytes
  }

  block(block: number): Uint8Array {
    return this.bytes.subarray(this.addressOf(block), this.addressOf(block + 1))
  }

  /** True if the memory grew, which invalidates all earlier views of it. */
  fit(blocks: number): boolean {
    const havePages = this.bytes.length / pageBytes
    const needed = Math.ceil(this.addressOf(blocks) / pageBytes) - havePages
    if (needed <= 0) return false
    const wanted = Math.max(needed, leastGrowthPages, havePages >> 4)
    this.memory.grow(Math.min(wanted, Math.max(mostPages - havePages, 1)))
    this.bytes = new Uint8Array(this.memory.buffer)
    return true
  }
}

/** The blocks of all users, the current query, and the kernels over them. */
export class VectorArena {
  private readonly coder: RowCoder
  private readonly coarse: BlockMemory
  private readonly fine: BlockMemory
  private readonly coarseKernel: CoarseKernel
  private readonly fineKernel: FineKernel
  private readonly tablesBytes: number
  private readonly rowBytes: number
  private readonly queryBytes: number
  readonly mostSum: number
  private readonly freeBlocks: number[] = []
  private blocksMade = 0
  private sums: Uint16Array
  /** Addresses of rows, and after a call their products: two views of the same bytes. */
  private addresses: Uint32Array
  private products: Int32Array
  private query: FineQuery = { step: 0, offset: 0 }

  constructor(
    readonly dimensions: number,
    kernels: Kernels = bestKernels,
  ) {
    const { coarseBlockBytes, fineRowBytes, paddedDimensions, mostSum } = codeSizes(dimensions)
    this.coder = new RowCoder(dimensions)
    // The codes of a block take as many bytes as the tables that they are looked up in.
    this.tablesBytes = coarseBlockBytes
    this.rowBytes = fineRowBytes
    this.mostSum = mostSum
    this.queryBytes = paddedDimensions * 2
    this.coarse = new BlockMemory(this.tablesBytes + roughRows * 2, coarseBlockBytes)
    this.fine = new BlockMemory(this.queryBytes + closeRows * 4, fineRowBytes * blockRows)
    this.coarseKernel = kernels.coarse(this.coarse.memory)
    this.fineKernel = kernels.fine(this.fine.memory)
    this.sums = this.sumsView()
    this.addresses = this.addressesView()
    this.products = this.productsView()
  }

  get blockBytes(): number {
    return this.coarse.blockBytes + this.fine.blockBytes
  }

  /** The bytes beyond the borrowed blocks. */
  get spareBytes(): number {
    const lent = this.blocksMade - this.freeBlocks.length
    return this.coarse.bytes.length + this.fine.bytes.length - lent * this.blockBytes
  }

  /** A block of zeros. */
  borrow(): number {
    const used = this.freeBlocks.pop()
    if (used !== undefined) return used
    if (this.coarse.fit(this.blocksMade + 1)) this.sums = this.sumsView()
    if (this.fine.fit(this.blocksMade + 1)) {
      this.addresses = this.addressesView()
      this.products = this.productsView()
    }
    this.blocksMade += 1
    return this.blocksMade - 1
  }

  giveBack(block: number): void {
    // Forgotten data must not stay in memory, nor be visible to the next user.
    this.coarse.block(block).fill(0)
    this.fine.block(block).fill(0)
    this.freeBlocks.push(block)
  }

  /** Returns the factor that converts products with this row to units of the vector's components. */
  write(block: number, slot: number, vector: Int8Array): number {
    const { coder, coarse, fine } = this
    const fineStart = fine.addressOf(block) + slot * this.rowBytes
    return coder.write(vector, slot, [coarse.bytes, coarse.addressOf(block)], [fine.bytes, fineStart])
  }

  codesOf(block: number): BlockCodes {
    return { coarse: this.coarse.block(block), fine: this.fine.block(block) }
  }

  erase(block: number, slot: number): void {
    eraseCoarse(this.coarse.block(block), slot)
    this.fineRow(block, slot).fill(0)
  }

  copy(fromBlock: number, fromSlot: number, toBlock: number, toSlot: number): void {
    copyCoarse(this.coarse.block(fromBlock), fromSlot, this.coarse.block(toBlock), toSlot)
    this.fineRow(toBlock, toSlot).set(this.fineRow(fromBlock, fromSlot))
  }

  setQuery(vector: Float32Array): void {
    fillTables(vector, this.coarse.bytes.subarray(0, this.tablesBytes))
    this.query = fillQuery(vector, new Int16Array(this.fine.memory.buffer, 0, this.queryBytes / 2))
  }

  /**
   * The coarse sums of the rows in `blocks` consecutive blocks, at most `roughBlocks`. A higher sum is nearer to the query; the unit has
   * no other meaning. The next call overwrites them.
   */
  roughly(firstBlock: number, blocks: number): Uint16Array {
    this.coarseKernel(this.coarse.addressOf(firstBlock), blocks, 0, this.tablesBytes, this.tablesBytes)
    return this.sums
  }

  /** Writes the products of the query and rows of these blocks to `products`. One call for many rows, so that the codes of the next are prefetched. */
  closely(blocks: readonly number[], rows: Int32Array, products: Float64Array): void {
    const { fine, addresses, rowBytes, query } = this
    for (let first = 0; first < rows.length; first += closeRows) {
      const count = Math.min(rows.length - first, closeRows)
      for (let place = 0; place < count; place++) {
        const row = rows[first + place] ?? 0
        const block = blocks[Math.floor(row / blockRows)]
        if (block === undefined) throw new RangeError(`no row ${row}`)
        addresses[place] = fine.addressOf(block) + (row % blockRows) * rowBytes
      }
      this.fineKernel(this.queryBytes, count, 0, this.queryBytes)
      for (let place = 0; place < count; place++) {
        products[first + place] = ((this.products[place] ?? 0) - query.offset) * query.step
      }
    }
  }

  private fineRow(block: number, slot: number): Uint8Array {
    const address = this.fine.addressOf(block) + slot * this.rowBytes
    return this.fine.bytes.subarray(address, address + this.rowBytes)
  }

  private sumsView(): Uint16Array {
    return new Uint16Array(this.coarse.memory.buffer, this.tablesBytes, roughRows)
  }

  private addressesView(): Uint32Array {
    return new Uint32Array(this.fine.memory.buffer, this.queryBytes, closeRows)
  }

  private productsView(): Int32Array {
    return new Int32Array(this.fine.memory.buffer, this.queryBytes, closeRows)
  }
}

/** Arrays that searches reuse. */
export class DenseScratch {
  sums = new Uint16Array(0)
  places = new Int32Array(0)
  products = new Float64Array(0)
  counts = new Uint32Array(0)

  get byteSize(): number {
    return this.sums.byteLength + this.places.byteLength + this.products.byteLength + this.counts.byteLength
  }

  fit(rows: number, candidates: number, mostSum: number): void {
    const steps = (mostSum >>> countShift) + 1
    if (this.counts.length !== steps) this.counts = new Uint32Array(steps)
    if (this.sums.length < rows) this.sums = grown(this.sums, rows)
    if (this.places.length < candidates) {
      this.places = new Int32Array(candidates)
      this.products = new Float64Array(candidates)
    }
  }
}

/** The `count` rows below `end` whose state is `state`. */
interface EligibleRows {
  readonly states: Uint8Array
  readonly state: number
  readonly count: number
  readonly end: number
}

/** Up to this many rows are compared by their fine codes directly, without the coarse ones. */
const fewRows = 1_024
/** About how many rows are compared by their fine codes for each wanted row, and how many at least in total. */
const closeLooksPerWanted = 8
const leastCloseLooks = 512
/** Room for candidates. If more have the same coarse sum, the newest of them are taken. */
const placesPerFew = 4
/** A prime, so that no period in the stored rows aligns with the sample. */
const sampleStride = 31
/** The bar from the sample lets about this many times the needed rows pass, so that it is rarely too high. */
const sampleMargin = 2
/** Sums are counted in steps of 8. */
const countShift = 3

/** The rows of one user, numbered from 0. */
export class VectorMatrix {
  private readonly blocks: number[] = []

  constructor(private readonly arena: VectorArena) {}

  get byteSize(): number {
    return this.blocks.length * (this.arena.blockBytes + 8)
  }

  /** Returns the factor for products with this row, or 0 for a vector that cannot be compared. */
  set(row: number, vector: Int8Array): number {
    while (this.blocks.length <= row / blockRows) this.blocks.push(this.arena.borrow())
    return this.arena.write(this.blockOf(row), row % blockRows, vector)
  }

  writeCodes(rows: number): BlockCodes {
    return joinCodes(this.blocks.slice(0, Math.ceil(rows / blockRows)).map((block) => this.arena.codesOf(block)))
  }

  readCodes(codes: BlockCodes, rows: number, first: number): void {
    while (this.blocks.length * blockRows < first + rows) this.blocks.push(this.arena.borrow())
    splitCodes(codes, rows, first, (row) => this.arena.codesOf(this.blockOf(row)))
  }

  erase(row: number): void {
    if (row < this.blocks.length * blockRows) this.arena.erase(this.blockOf(row), row % blockRows)
  }

  move(from: number, to: number): void {
    this.arena.copy(this.blockOf(from), from % blockRows, this.blockOf(to), to % blockRows)
  }

  /** Keeps the first `rows`. */
  truncate(rows: number): void {
    const kept = Math.ceil(rows / blockRows)
    // The last one first, so that the next borrower gets them in the order of their addresses.
    for (const block of this.blocks.splice(kept).reverse()) this.arena.giveBack(block)
  }

  /** Times the factor of a row, each is about the product of the query and the row's vector. The next call overwrites them. */
  products(rows: Int32Array, scratch: DenseScratch): Float64Array {
    if (scratch.products.length < rows.length) scratch.products = new Float64Array(rows.length)
    this.arena.closely(this.blocks, rows, scratch.products)
    return scratch.products
  }

  /**
   * Rows that contain the best `wanted` ones: all eligible rows if they are few, otherwise the rows with the highest coarse sums, many
   * more than wanted.
   */
  candidates(eligible: EligibleRows, wanted: number, scratch: DenseScratch): Int32Array {
    const least = Math.max(leastCloseLooks, closeLooksPerWanted * wanted)
    const few = Math.max(fewRows, least)
    scratch.fit(eligible.end, few * placesPerFew, this.arena.mostSum)
    const { places } = scratch
    if (eligible.count <= few) return places.subarray(0, collect(eligible, anySum, scratch))
    this.fillSums(eligible, scratch.sums)
    // A sample estimates the bar, so that one comparison excludes nearly all rows.
    const guessed = barOf(eligible, least * sampleMargin, sampleStride, scratch)
    const found = collect(eligible, { from: guessed, below: Infinity }, scratch)
    if (found >= least && found < places.length) return nearest(places.subarray(0, found), least, scratch)
    // So many rows may have the same sum that not all of them fit: first take the better ones, then the newest of them.
    const bar = barOf(eligible, least, 1, scratch)
    const crowd = bar + (1 << countShift)
    const better = collect(eligible, { from: crowd, below: Infinity }, scratch)
    return places.subarray(0, collect(eligible, { from: bar, below: crowd }, scratch, better))
  }

  /** Skips blocks without an eligible row where such blocks are likely. Their sums are not updated. */
  private fillSums(eligible: EligibleRows, sums: Uint16Array): void {
    const { arena, blocks } = this
    const last = Math.ceil(eligible.end / blockRows)
    const maySkip = eligible.count < eligible.end / 8
    let first = 0
    while (first < last) {
      let next = first + 1
      if (maySkip && !hasOne(eligible, first * blockRows)) {
        first = next
        continue
      }
      // Blocks that were borrowed one after the other are mostly adjacent.
      while (next < last && next - first < roughBlocks && blocks[next] === (blocks[first] ?? 0) + next - first)
        next += 1
      const found = arena.roughly(blocks[first] ?? 0, next - first)
      const rows = Math.min(next * blockRows, eligible.end) - first * blockRows
      sums.set(found.subarray(0, rows), first * blockRows)
      first = next
    }
  }

  private blockOf(row: number): number {
    const block = this.blocks[Math.floor(row / blockRows)]
    if (block === undefined) throw new RangeError(`no row ${row}`)
    return block
  }
}

interface SumRange {
  readonly from: number
  readonly below: number
}

const anySum: SumRange = { from: 0, below: Infinity }

/** Appends the eligible rows whose sums are in range to the first `known` of `places`, highest row first. Returns the new count. */
function collect(eligible: EligibleRows, range: SumRange, { sums, places }: DenseScratch, known = 0): number {
  const { states, state, end } = eligible
  const { from, below } = range
  const room = places.length
  let found = known
  for (let row = end - 1; row >= 0 && found < room; row--) {
    const sum = sums[row] ?? 0
    if (sum >= from && sum < below && states[row] === state) places[found++] = row
  }
  return found
}

/** The sum that about `least` of the eligible rows reach, estimated from every `stride`-th row. */
function barOf({ states, state, end }: EligibleRows, least: number, stride: number, scratch: DenseScratch): number {
  const { sums, counts } = scratch
  counts.fill(0)
  for (let row = 0; row < end; row += stride) {
    if (states[row] !== state) continue
    const step = (sums[row] ?? 0) >>> countShift
    counts[step] = (counts[step] ?? 0) + 1
  }
  return highestReached(counts, least / stride)
}

/** Keeps at least `least` of the rows, those with the highest sums, in order. */
function nearest(rows: Int32Array, least: number, { sums, counts }: DenseScratch): Int32Array {
  counts.fill(0)
  for (let place = 0; place < rows.length; place++) {
    const step = (sums[rows[place] ?? 0] ?? 0) >>> countShift
    counts[step] = (counts[step] ?? 0) + 1
  }
  const bar = highestReached(counts, least)
  let kept = 0
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place] ?? 0
    if ((sums[row] ?? 0) >= bar) rows[kept++] = row
  }
  return rows.subarray(0, kept)
}

function highestReached(counts: Uint32Array, least: number): number {
  let reached = 0
  let step = counts.length
  while (step > 0 && reached < least) {
    step -= 1
    reached += counts[step] ?? 0
  }
  return step << countShift
}

function hasOne({ states, state, end }: EligibleRows, first: number): boolean {
  for (let row = first; row < Math.min(first + blockRows, end); row++) if (states[row] === state) return true
  return false
}
