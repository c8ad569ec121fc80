/**
 * Dot products of a query with int8 rows, by a hand-assembled WebAssembly SIMD kernel. All matrices lie
 * in one WebAssembly memory, cut into blocks of 32 rows that users borrow and give back: a memory of
 * its own for each user would reserve gigabytes of address space a thousand times over, and copying
 * rows in before a scan costs as much as the scan.
 *
 * The query is quantized to int16, twice as fine as the rows at no cost: the kernel widens rows to
 * int16 anyway. A scan with it agrees with one of the float query to about 1e-5.
 */

export const blockRows = 32
const columnsPerStep = 16
const pageBytes = 65_536
/** One page short of 4 GiB, so that no address in the kernel wraps to zero. */
const mostPages = 65_535
const leastGrowthPages = 64
const largestRowComponent = 128

/** Writes `count` dot products of the rows from `rows` on with the query to `out`; all are byte addresses. */
type Kernel = (rows: number, count: number, rowBytes: number, query: number, out: number) => void

/** The part of the WebAssembly interface used here; the compiler's library has it only among a browser's. */
interface WasmMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}
declare const WebAssembly: {
  readonly Memory: new (limits: { initial: number; maximum: number }) => WasmMemory
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: { readonly s: Kernel } }
}

// biome-ignore format: one instruction a line, beside its text form
const kernelBytes = new Uint8Array([
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00,
  0x01, 0x09, 0x01, 0x60, 0x05, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x00, // (type (func (param i32 i32 i32 i32 i32)))
  0x02, 0x08, 0x01, 0x01, 0x6d, 0x01, 0x6d, 0x02, 0x00, 0x01, // (import "m" "m" (memory 1))
  0x03, 0x02, 0x01, 0x00, // (func (type 0) (param $rows $count $rowBytes $query $out i32)
  0x07, 0x05, 0x01, 0x01, 0x73, 0x00, 0x00, // (export "s" (func 0))
  0x0a, 0xbc, 0x01, 0x01, 0xb9, 0x01, // code
  0x02, 0x02, 0x7f, 0x02, 0x7b, // (local $end i32) (local $column i32) (local $even v128) (local $odd v128)
  0x02, 0x40, // block
  0x20, 0x01, 0x45, 0x0d, 0x00, //   local.get $count i32.eqz br_if 0
  0x03, 0x40, //   loop  ;; a row
  0x20, 0x00, 0x20, 0x02, 0x6a, 0x21, 0x05, //     local.get $rows local.get $rowBytes i32.add local.set $end
  0x20, 0x03, 0x21, 0x06, //     local.get $query local.set $column
  0xfd, 0x0c, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, //     v128.const i64x2 0 0
  0x21, 0x07, //     local.set $even
  0xfd, 0x0c, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, //     v128.const i64x2 0 0
  0x21, 0x08, //     local.set $odd
  0x03, 0x40, //     loop  ;; 16 columns of it
  0x20, 0x07, 0x20, 0x00, 0xfd, 0x01, 0x00, 0x00, 0x20, 0x06, 0xfd, 0x00, 0x00, 0x00, 0xfd, 0xba, 0x01, //       local.get $even local.get $rows v128.load8x8_s offset=0 local.get $column v128.load offset=0 i32x4.dot_i16x8_s
  0xfd, 0xae, 0x01, 0x21, 0x07, //       i32x4.add local.set $even
  0x20, 0x08, 0x20, 0x00, 0xfd, 0x01, 0x00, 0x08, 0x20, 0x06, 0xfd, 0x00, 0x00, 0x10, 0xfd, 0xba, 0x01, //       local.get $odd local.get $rows v128.load8x8_s offset=8 local.get $column v128.load offset=16 i32x4.dot_i16x8_s
  0xfd, 0xae, 0x01, 0x21, 0x08, //       i32x4.add local.set $odd
  0x20, 0x06, 0x41, 0x20, 0x6a, 0x21, 0x06, //       local.get $column i32.const 32 i32.add local.set $column
  0x20, 0x00, 0x41, 0x10, 0x6a, 0x22, 0x00, 0x20, 0x05, 0x49, 0x0d, 0x00, //       local.get $rows i32.const 16 i32.add local.tee $rows local.get $end i32.lt_u br_if 0
  0x0b, //     end
  0x20, 0x04, 0x20, 0x07, 0x20, 0x08, 0xfd, 0xae, 0x01, 0x22, 0x07, 0xfd, 0x1b, 0x00, 0x20, 0x07, 0xfd, 0x1b, 0x01, //     local.get $out local.get $even local.get $odd i32x4.add local.tee $even i32x4.extract_lane 0 local.get $even i32x4.extract_lane 1
  0x6a, 0x20, 0x07, 0xfd, 0x1b, 0x02, 0x6a, 0x20, 0x07, 0xfd, 0x1b, 0x03, 0x6a, 0x36, 0x02, 0x00, //     i32.add local.get $even i32x4.extract_lane 2 i32.add local.get $even i32x4.extract_lane 3 i32.add i32.store align=4
  0x20, 0x04, 0x41, 0x04, 0x6a, 0x21, 0x04, //     local.get $out i32.const 4 i32.add local.set $out
  0x20, 0x01, 0x41, 0x01, 0x6b, 0x22, 0x01, 0x0d, 0x00, //     local.get $count i32.const 1 i32.sub local.tee $count br_if 0
  0x0b, //   end
  0x0b, // end
  0x0b, // end
])

export function simdKernel(memory: WasmMemory): Kernel {
  return new WebAssembly.Instance(new WebAssembly.Module(kernelBytes), { m: { m: memory } }).exports.s
}

/** The same in JavaScript, for processors without the instructions that V8 needs for SIMD. */
export function plainKernel(memory: WasmMemory): Kernel {
  return (rows, count, rowBytes, query, out) => {
    const matrix = new Int8Array(memory.buffer, rows, count * rowBytes)
    const vector = new Int16Array(memory.buffer, query, rowBytes)
    const products = new Int32Array(memory.buffer, out, count)
    for (let row = 0; row < count; row++) {
      let sum = 0
      for (let column = 0; column < rowBytes; column++) {
        sum += (matrix[row * rowBytes + column] ?? 0) * (vector[column] ?? 0)
      }
      products[row] = sum
    }
  }
}

function bestKernel(memory: WasmMemory): Kernel {
  try {
    return simdKernel(memory)
  } catch (error) {
    // A CompileError: no SIMD on this processor. Slower, not wrong.
    if (error instanceof Error && error.name === 'CompileError') return plainKernel(memory)
    throw error
  }
}

/** Blocks of rows for all users, the query being searched, and the kernel over them. */
export class VectorArena {
  readonly rowBytes: number
  readonly blockBytes: number
  private readonly memory = new WebAssembly.Memory({ initial: 1, maximum: mostPages })
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
  scan(allowed: Uint8Array, count: number, each: (firstRow: number, products: Int32Array) => void): void {
    for (let first = 0; first < count; first += blockRows) {
      const rows = Math.min(blockRows, count - first)
      if (!hasOne(allowed, first, first + rows)) continue
      each(first, this.arena.scan(this.blockOf(first), rows))
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
