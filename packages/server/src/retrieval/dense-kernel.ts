/**
 * The inner loop of semantic search: dot products of int8 rows with one int16 query, by a WebAssembly
 * SIMD kernel of 231 bytes, assembled by hand. Sixteen columns a step: two loads widen eight int8 to
 * int16 each, `dot_i16x8_s` multiplies and adds neighbours into four int32, in two accumulators so that
 * one need not wait for the other.
 */

export const columnsPerStep = 16

/** Writes `count` dot products of the rows from `rows` on with the query to `out`; all are byte addresses. */
export type Kernel = (rows: number, count: number, rowBytes: number, query: number, out: number) => void

/** The part of the WebAssembly interface used here; the compiler's library has it only among a browser's. */
export interface WasmMemory {
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
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, // (module
  // (type (func (param i32 i32 i32 i32 i32)))
  0x01, 0x09, 0x01, 0x60, 0x05, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x00,
  0x02, 0x08, 0x01, 0x01, 0x6d, 0x01, 0x6d, 0x02, 0x00, 0x01, // (import "m" "m" (memory 1))
  0x03, 0x02, 0x01, 0x00,                      // (func (type 0) (param $rows $count $rowBytes $query $out i32)
  0x07, 0x05, 0x01, 0x01, 0x73, 0x00, 0x00,    // (export "s" (func 0))
  0x0a, 0xbc, 0x01, 0x01, 0xb9, 0x01,          // code
  0x02, 0x02, 0x7f, 0x02, 0x7b,                // (local $end i32) (local $column i32) (local $even v128) (local $odd v128)
  0x02, 0x40,                                  // block
  0x20, 0x01, 0x45, 0x0d, 0x00,                //   local.get $count i32.eqz br_if 0
  0x03, 0x40,                                  //   loop  ;; a row
  0x20, 0x00, 0x20, 0x02, 0x6a, 0x21, 0x05,    //     local.get $rows local.get $rowBytes i32.add local.set $end
  0x20, 0x03, 0x21, 0x06,                      //     local.get $query local.set $column
  //     v128.const i64x2 0 0
  0xfd, 0x0c, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
  0x21, 0x07,                                  //     local.set $even
  //     v128.const i64x2 0 0
  0xfd, 0x0c, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
  0x21, 0x08,                                  //     local.set $odd
  0x03, 0x40,                                  //     loop  ;; 16 columns of it
  //       local.get $even local.get $rows v128.load8x8_s offset=0
  //         local.get $column v128.load offset=0 i32x4.dot_i16x8_s
  0x20, 0x07, 0x20, 0x00, 0xfd, 0x01, 0x00, 0x00, 0x20, 0x06, 0xfd, 0x00, 0x00, 0x00, 0xfd, 0xba, 0x01,
  0xfd, 0xae, 0x01, 0x21, 0x07,                //       i32x4.add local.set $even
  //       local.get $odd local.get $rows v128.load8x8_s offset=8
  //         local.get $column v128.load offset=16 i32x4.dot_i16x8_s
  0x20, 0x08, 0x20, 0x00, 0xfd, 0x01, 0x00, 0x08, 0x20, 0x06, 0xfd, 0x00, 0x00, 0x10, 0xfd, 0xba, 0x01,
  0xfd, 0xae, 0x01, 0x21, 0x08,                //       i32x4.add local.set $odd
  0x20, 0x06, 0x41, 0x20, 0x6a, 0x21, 0x06,    //       local.get $column i32.const 32 i32.add local.set $column
  //       local.get $rows i32.const 16 i32.add local.tee $rows local.get $end i32.lt_u br_if 0
  0x20, 0x00, 0x41, 0x10, 0x6a, 0x22, 0x00, 0x20, 0x05, 0x49, 0x0d, 0x00,
  0x0b,                                        //     end
  //     local.get $out local.get $even
  //       local.get $odd i32x4.add local.tee $even i32x4.extract_lane 0 local.get $even i32x4.extract_lane 1
  0x20, 0x04, 0x20, 0x07, 0x20, 0x08, 0xfd, 0xae, 0x01, 0x22, 0x07, 0xfd, 0x1b, 0x00, 0x20, 0x07, 0xfd, 0x1b, 0x01,
  //     i32.add local.get $even i32x4.extract_lane 2 i32.add
  //       local.get $even i32x4.extract_lane 3 i32.add i32.store align=4
  0x6a, 0x20, 0x07, 0xfd, 0x1b, 0x02, 0x6a, 0x20, 0x07, 0xfd, 0x1b, 0x03, 0x6a, 0x36, 0x02, 0x00,
  0x20, 0x04, 0x41, 0x04, 0x6a, 0x21, 0x04,    //     local.get $out i32.const 4 i32.add local.set $out
  //     local.get $count i32.const 1 i32.sub local.tee $count br_if 0
  0x20, 0x01, 0x41, 0x01, 0x6b, 0x22, 0x01, 0x0d, 0x00,
  0x0b,                                        //   end
  0x0b,                                        // end
  0x0b,                                        // end
])

export function newMemory(mostPages: number): WasmMemory {
  return new WebAssembly.Memory({ initial: 1, maximum: mostPages })
}

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

export function bestKernel(memory: WasmMemory): Kernel {
  try {
    return simdKernel(memory)
  } catch (error) {
    // A CompileError: no SIMD on this processor. Slower, not wrong.
    if (error instanceof Error && error.name === 'CompileError') return plainKernel(memory)
    throw error
  }
}
