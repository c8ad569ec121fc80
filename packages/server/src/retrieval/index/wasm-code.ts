/** The few WebAssembly instructions that the kernels in `dense-kernel.ts` use, as bytes. */

type Code = readonly number[]

/** The part of the WebAssembly API that is used here. TypeScript declares it only in its DOM library. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}
type WasmFunction = (...values: number[]) => void
declare const WebAssembly: {
  readonly Memory: new (limits: { initial: number; maximum: number }) => WasmMemory
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: { readonly run: WasmFunction } }
}

export function newMemory(mostPages: number): WasmMemory {
  return new WebAssembly.Memory({ initial: 1, maximum: mostPages })
}

function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}

function signed(value: number): number[] {
  const low = value & 0x7f
  const rest = value >> 7
  const isLast = (rest === 0 && low < 0x40) || (rest === -1 && low >= 0x40)
  return isLast ? [low] : [low | 0x80, ...signed(rest)]
}

const simd = (opcode: number, ...immediates: number[]): Code => [0xfd, ...unsigned(opcode), ...immediates]
const addressed = (opcode: number) => (offset: number) => simd(opcode, 0, ...unsigned(offset))

/** Named as in the specification, without the type prefix where there is only one. */
export const wasm = {
  get: (local: number): Code => [0x20, local],
  set: (local: number): Code => [0x21, local],
  tee: (local: number): Code => [0x22, local],
  number: (value: number): Code => [0x41, ...signed(value)],
  add: [0x6a],
  subtract: [0x6b],
  load32: (offset: number): Code => [0x28, 2, ...unsigned(offset)],
  store32: (offset: number): Code => [0x36, 2, ...unsigned(offset)],
  /** The same byte sixteen times. */
  bytes16: (value: number): Code => simd(0x0c, ...Array.from({ length: 16 }, () => value)),
  /** The same 16 bits eight times. */
  words8: (value: number): Code =>
    simd(0x0c, ...Array.from({ length: 16 }, (_, place) => (place % 2 === 0 ? value & 0xff : value >> 8))),
  load128: addressed(0x00),
  store128: addressed(0x0b),
  and128: simd(0x4e),
  lookUp8x16: simd(0x0e),
  add8x16: simd(0x6e),
  shiftLeft16x8: simd(0x8b),
  shiftRight16x8: simd(0x8d),
  add16x8: simd(0x8e),
  subtract16x8: simd(0x91),
  shiftRight32x4: simd(0xac),
  add32x4: simd(0xae),
  /** Multiplies eight pairs of int16 and adds neighbours into four int32. */
  dot16x8: simd(0xba),
  lane32: (lane: number): Code => simd(0x1b, lane),
  /** Repeats until the address in `local`, which grows by `step` after each round, reaches the one in `end`. */
  untilReached: (local: number, step: number, end: number, body: readonly Code[]): Code => [
    ...[0x03, 0x40, ...body.flat(), 0x20, local, 0x41, ...signed(step), 0x6a, 0x22, local],
    ...[0x20, end, 0x49, 0x0d, 0x00, 0x0b],
  ],
  /** Repeats as often as the number in `local`, which counts down to 0. */
  repeat: (local: number, body: readonly Code[]): Code => [
    ...[0x02, 0x40, 0x20, local, 0x45, 0x0d, 0x00, 0x03, 0x40, ...body.flat()],
    ...[0x20, local, 0x41, 0x01, 0x6b, 0x22, local, 0x0d, 0x00, 0x0b, 0x0b],
  ],
} as const

/** A function with int32 parameters and no result, over one memory. Locals follow the parameters: first int32, then 128 bits. */
export interface WasmProgram {
  readonly parameters: number
  readonly int32s: number
  readonly vectors: number
  readonly body: readonly Code[]
}

/** @throws a `CompileError` where the processor lacks the instructions that V8 needs for SIMD. */
export function compile(program: WasmProgram, memory: WasmMemory): WasmFunction {
  const module = new WebAssembly.Module(Uint8Array.from(moduleBytes(program)))
  return new WebAssembly.Instance(module, { m: { m: memory } }).exports.run
}

function moduleBytes({ parameters, int32s, vectors, body }: WasmProgram): number[] {
  const section = (id: number, content: Code) => [id, ...unsigned(content.length), ...content]
  const name = (text: string) => [text.length, ...Array.from(text, (letter) => letter.charCodeAt(0))]
  const int32Type = 0x7f
  const vectorType = 0x7b
  const code = [2, int32s, int32Type, vectors, vectorType, ...body.flat(), 0x0b]
  return [
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, parameters, ...Array.from({ length: parameters }, () => int32Type), 0]),
    ...section(2, [1, ...name('m'), ...name('m'), 0x02, 0x00, 0x01]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name('run'), 0x00, 0x00]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ]
}
