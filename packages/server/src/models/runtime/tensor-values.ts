/** Tensors of a safetensors file as float32 in memory, for the small computations that run outside the runtime. */
import { open } from 'node:fs/promises'
import type { Matrix } from '../tagger/tag-relation-head.js'
import type { Safetensors } from './safetensors.js'

/** Tensors whose names start with `prefix`; a list of numbers is a matrix with one row. */
export async function readMatrices(weights: Safetensors, prefix: string): Promise<(name: string) => Matrix> {
  const raw = new Map<string, Buffer>()
  const file = await open(weights.path)
  try {
    for (const [name, { offset, byteLength }] of weights.tensors) {
      if (!name.startsWith(prefix)) continue
      const { buffer } = await file.read(Buffer.alloc(byteLength), 0, byteLength, offset)
      raw.set(name, buffer)
    }
  } finally {
    await file.close()
  }
  return (name) => {
    const tensor = weights.tensors.get(name)
    const bytes = raw.get(name)
    if (!tensor || !bytes) throw new Error(`it has no tensor ${name}`)
    const columns = tensor.shape.at(-1) ?? 1
    const rows = tensor.shape.length > 1 ? (tensor.shape[0] ?? 1) : 1
    if (tensor.type === 'F16') return { rows, columns, values: halves(bytes) }
    const scales = raw.get(`${name}.scale`)
    if (tensor.type !== 'I8' || !scales) throw new Error(`tensor ${name} is neither float16 nor int8 with scales`)
    const scaleOf = halves(scales)
    const signed = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const values = Float32Array.from(signed, (value, at) => value * (scaleOf[Math.floor(at / columns)] ?? 0))
    return { rows, columns, values }
  }
}

function halves(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.byteLength / 2 }, (_, at) => half(bytes.readUInt16LE(2 * at)))
}

function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}
