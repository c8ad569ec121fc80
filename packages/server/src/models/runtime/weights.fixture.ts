/** Weights files for tests, in the format of `training/encoder.py`. */
import { readFile, writeFile } from 'node:fs/promises'
import { readSafetensors } from './safetensors.js'

export interface PlainTensor {
  readonly shape: readonly number[]
  readonly values: Float32Array
}

export type PlainWeights = ReadonlyMap<string, PlainTensor>

/**
 * Stores matrices of more than two rows as int8 with one scale per row, the rest as float16. Returns the values that a
 * reader will see.
 */
export async function writeInt8Weights(path: string, weights: PlainWeights): Promise<PlainWeights> {
  const stored: { readonly name: string; readonly dtype: string; readonly shape: readonly number[]; data: Buffer }[] =
    []
  const seen = new Map<string, PlainTensor>()
  for (const [name, { shape, values }] of weights) {
    const [rows = 0, columns = 0] = shape
    if (shape.length !== 2 || rows <= 2) {
      const halves = Uint16Array.from(values, toHalf)
      stored.push({ name, dtype: 'F16', shape, data: bytesOf(halves) })
      seen.set(name, { shape, values: Float32Array.from(halves, fromHalf) })
      continue
    }
    const bytes = new Int8Array(values.length)
    const scales = new Uint16Array(rows)
    const read = new Float32Array(values.length)
    for (let row = 0; row < rows; row += 1) {
      const start = row * columns
      const largest = values
        .subarray(start, start + columns)
        .reduce((most, value) => Math.max(most, Math.abs(value)), 1e-8)
      scales[row] = toHalf(largest / 127)
      const scale = fromHalf(scales[row] ?? 0)
      for (let at = start; at < start + columns; at += 1) {
        bytes[at] = Math.max(-127, Math.min(127, Math.round((values[at] ?? 0) / scale)))
        read[at] = (bytes[at] ?? 0) * scale
      }
    }
    stored.push({ name, dtype: 'I8', shape, data: bytesOf(bytes) })
    stored.push({ name: `${name}.scale`, dtype: 'F16', shape: [rows], data: bytesOf(scales) })
    seen.set(name, { shape, values: read })
  }
  // As the Python library does: the widest types first, so that all are aligned.
  stored.sort((a, b) => a.dtype.localeCompare(b.dtype))
  let end = 0
  const header: Record<string, unknown> = {}
  for (const { name, dtype, shape, data } of stored) {
    header[name] = { dtype, shape, data_offsets: [end, end + data.length] }
    end += data.length
  }
  const text = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  await writeFile(path, Buffer.concat([length, text, ...stored.map(({ data }) => data)]))
  return seen
}

/** Every tensor of a file that has only float16. */
export async function readHalfWeights(path: string): Promise<PlainWeights> {
  const { tensors } = await readSafetensors(path)
  const bytes = await readFile(path)
  const table = Float32Array.from({ length: 65_536 }, (_, half) => fromHalf(half))
  return new Map(
    [...tensors].map(([name, { shape, offset, byteLength }]) => {
      const values = Float32Array.from(
        { length: byteLength / 2 },
        (_, index) => table[bytes.readUInt16LE(offset + index * 2)] ?? 0,
      )
      return [name, { shape, values }]
    }),
  )
}

function bytesOf(values: Uint16Array | Int8Array): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength)
}

function toHalf(value: number): number {
  const sign = value < 0 ? 0x8000 : 0
  const size = Math.abs(value)
  // Below 2^-14 the exponent is constant and the numbers are evenly spaced.
  const exponent = Math.max(-14, Math.floor(Math.log2(size)))
  const steps = Math.round((size / 2 ** exponent) * 1024)
  return sign | (exponent === -14 ? steps : ((exponent + 15) << 10) + (steps - 1024))
}

function fromHalf(half: number): number {
  const exponent = (half >> 10) & 31
  const steps = half & 1023
  const size = exponent === 0 ? steps * 2 ** -24 : (1024 + steps) * 2 ** (exponent - 25)
  return half & 0x8000 ? -size : size
}
