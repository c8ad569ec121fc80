/**
 * Where the int8 matrices of all users lie, and how they are scanned: one WebAssembly memory, cut into
 * blocks of 32 rows that users borrow and give back. A memory for each user would reserve gigabytes of
 * address space a thousand times over; matrices outside would have to be copied in for every scan.
 *
 * The query is quantized to int16, finer than the rows at no cost: the kernel widens rows to int16
 * anyway. So nearly all of a score's error is that of the stored vectors.
 */

import { bestKernel, columnsPerStep, type Kernel, newMemory, type WasmMemory } from './dense-kernel.js'

export const blockRows = 32
const pageBytes = 65_536
/** One page short of 4 GiB, so that no address in the kernel wraps to zero. */
const mostPages = 65_535
const leastGrowthPages = 64
const largestRowComponent = 128

/** Blocks of rows for all users, the query being searched, and the kernel over them. */
export class VectorArena {
  readonly rowBytes: number
  readonly blockBytes: number
  private readonly memory = newMemory(mostPages)
  private readonly kernel: Kernel
  private readonly outAddress: number
  private readonly blocksAddress: number
  private readonly freeBlocks: number[] = []
  private blocksMade = 0
  private bytes: Int8Array
  private query: Int16Array
  private products: Int32Array

  constructor(
    readonly dimensions: number,
    kernelFor: (memory: WasmMemory) => Kernel = bestKernel,
  ) {
    this.rowBytes = Math.ceil(dimensions / columnsPerStep) * columnsPerStep
    this.blockBytes = this.rowBytes * blockRows
    // The query lies at address 0, int16; then the products of one block; then the blocks.
    this.outAddress = this.rowBytes * 2
    this.blocksAddress = this.outAddress + blockRows * 4
    this.bytes = new Int8Array(this.memory.buffer)
    this.growTo(this.blocksAddress)
    this.query = new Int16Array(this.memory.buffer, 0, this.rowBytes)
    this.products = new Int32Array(this.memory.buffer, this.outAddress, blockRows)
    this.kernel = kernelFor(this.memory)
  }

  /** What it holds beyond the blocks lent out. */
  get spareBytes(): number {
    return this.bytes.length - (this.blocksMade - this.freeBlocks.length) * this.blockBytes
  }

  /** A block of zeros. */
  borrow(): number {
    const used = this.freeBlocks.pop()
    if (used !== undefined) return used
    this.growTo(this.addressOf(this.blocksMade + 1))
    this.blocksMade += 1
    return this.blocksMade - 1
  }

  giveBack(block: number): void {
    // What was forgotten must not lie around, nor be met by the next user.
    const address = this.addressOf(block)
    this.bytes.fill(0, address, address + this.blockBytes)
    this.freeBlocks.push(block)
  }

  write(block: number, slot: number, vector: Int8Array): void {
    this.bytes.set(vector, this.addressOf(block) + slot * this.rowBytes)
  }

  erase(block: number, slot: number): void {
    const address = this.addressOf(block) + slot * this.rowBytes
    this.bytes.fill(0, address, address + this.rowBytes)
  }

  copy(fromBlock: number, fromSlot: number, toBlock: number, toSlot: number): void {
    const from = this.addressOf(fromBlock) + fromSlot * this.rowBytes
    this.bytes.copyWithin(this.addressOf(toBlock) + toSlot * this.rowBytes, from, from + this.rowBytes)
  }

  /** Returns the scale: a product times it and the row's own scale is about the cosine. */
  setQuery(vector: Float32Array): number {
    let largest = 0
    let sum = 0
    for (const component of vector) {
      largest = Math.max(largest, Math.abs(component))
      sum += Math.abs(component)
    }
    // The second bound keeps the sum of any row's products inside 32 bits, however many dimensions.
    const sumBound = 2 ** 31 / largestRowComponent - this.dimensions
    const step = Math.max(largest / 32_767, sum / sumBound)
    this.query.fill(0)
    if (step === 0) return 0
    for (let column = 0; column < vector.length; column++) {
      this.query[column] = Math.round((vector[column] ?? 0) / step)
    }
    return step
  }

  /** The products of a block's first `count` rows; overwritten by the next call. */
  scan(block: number, count: number): Int32Array {
    this.kernel(this.addressOf(block), count, this.rowBytes, 0, this.outAddress)
    return this.products
  }

  private addressOf(block: number): number {
    return this.blocksAddress + block * this.blockBytes
  }

  private growTo(neededBytes: number): void {
    const have = this.bytes.length
    if (neededBytes <= have) return
    const havePages = have / pageBytes
    const wanted = Math.max(Math.ceil((neededBytes - have) / pageBytes), leastGrowthPages, havePages >> 3)
    this.memory.grow(Math.min(wanted, Math.max(mostPages - havePages, 1)))
    // Growing detaches every view of the old buffer.
    this.bytes = new Int8Array(this.memory.buffer)
    this.query = new Int16Array(this.memory.buffer, 0, this.rowBytes)
    this.products = new Int32Array(this.memory.buffer, this.outAddress, blockRows)
  }
}

/** The products of `count` rows from `firstRow` on, valid until it returns. */
type ScanBlock = (firstRow: number, products: Int32Array, count: number) => void

/** The rows of one user, numbered from 0. */
export class VectorMatrix {
  private readonly blocks: number[] = []

  constructor(private readonly arena: VectorArena) {}

  get byteSize(): number {
    return this.blocks.length * (this.arena.blockBytes + 8)
  }

  set(row: number, vector: Int8Array): void {
    while (this.blocks.length <= row / blockRows) this.blocks.push(this.arena.borrow())
    this.arena.write(this.blockOf(row), row % blockRows, vector)
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
    for (const block of this.blocks.splice(kept)) this.arena.giveBack(block)
  }

  /** Calls back with the products of each block that has an allowed row. */
  scan(allowed: Uint8Array, count: number, each: ScanBlock): void {
    for (let first = 0; first < count; first += blockRows) {
      const rows = Math.min(blockRows, count - first)
      if (!hasOne(allowed, first, first + rows)) continue
      each(first, this.arena.scan(this.blockOf(first), rows), rows)
    }
  }

  private blockOf(row: number): number {
    const block = this.blocks[Math.floor(row / blockRows)]
    if (block === undefined) throw new RangeError(`no row ${row}`)
    return block
  }
}

function hasOne(flags: Uint8Array, start: number, end: number): boolean {
  for (let index = start; index < end; index++) if (flags[index] === 1) return true
  return false
}
