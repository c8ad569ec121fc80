/** The model as safetensors: int8 weights with one scale per output, and the biases. */
import { writeFileSync } from 'node:fs'
import type { Weights } from './train.js'

/** Weights beyond this many standard deviations are cut: they are few, and the rest needs the steps. */
const widest = 6

export function writeWeights(path: string, models: Readonly<Record<string, Weights>>): void {
  const header: Record<string, unknown> = {}
  const parts: Buffer[] = []
  let offset = 0
  const add = (name: string, dtype: string, count: number, bytes: Buffer) => {
    header[name] = { dtype, shape: [count], data_offsets: [offset, offset + bytes.length] }
    parts.push(bytes)
    offset += bytes.length
  }
  for (const [name, { weights, bias }] of Object.entries(models)) {
    const used = weights.filter((weight) => weight !== 0)
    const deviation = Math.sqrt(used.reduce((sum, weight) => sum + weight * weight, 0) / (used.length || 1))
    const largest = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0)
    const scale = Math.min(largest, widest * deviation) / 127
    const rounded = Int8Array.from(weights, (weight) => Math.max(-127, Math.min(127, Math.round(weight / scale))))
    add(`${name}.weights`, 'I8', rounded.length, Buffer.from(rounded.buffer))
    add(`${name}.scale_and_bias`, 'F32', bias.length + 1, Buffer.from(Float32Array.of(scale, ...bias).buffer))
  }
  const json = JSON.stringify(header)
  const text = Buffer.from(json.padEnd(Math.ceil(json.length / 8) * 8))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  writeFileSync(path, Buffer.concat([length, text, ...parts]))
}
