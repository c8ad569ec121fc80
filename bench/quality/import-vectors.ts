/**
 * Imports vectors that another machine computed for an exported text file (`texts.ts`) into the cache of the current
 * model: a plain array of numbers, little-endian, float32 or float16, one row per line of text. A sample is embedded
 * here first: vectors of different weights are rejected before anything is stored.
 */
import { open, stat } from 'node:fs/promises'
import { random } from '../random.js'
import { readLines } from './rows.js'
import { type CachedEmbedder, dot, type VectorRecord } from './vector-cache.js'

const sampleSize = 50
const leastCosine = 0.9995
const rowsAtOnce = 4_096

interface Imported {
  readonly texts: number
  /** Number of vectors that the cache did not have. */
  readonly added: number
  readonly lowestCosine: number
}

export async function importVectors(
  embedder: CachedEmbedder,
  textsFile: string,
  vectorsFile: string,
  seed: number,
): Promise<Imported> {
  const { digests, sample } = await readTexts(textsFile, seed)
  const rows = await openRows(vectorsFile, digests.length, embedder.dimensions)
  try {
    const lowestCosine = await compare(embedder, rows, sample)
    if (!(lowestCosine >= leastCosine)) {
      throw new Error(
        `${vectorsFile} was not made by ${embedder.modelId} from ${textsFile}: of ${sample.length} texts embedded here, ` +
          `one has a cosine of ${lowestCosine.toFixed(5)} to its vector, below the minimum of ${leastCosine}; nothing was stored`,
      )
    }
    let added = 0
    for (let first = 0; first < digests.length; first += rowsAtOnce) {
      const vectors = await rows.read(first, Math.min(rowsAtOnce, digests.length - first))
      added += await embedder.add(
        vectors.map((vector, index) => recordOf(digests[first + index], vector, first + index)),
      )
    }
    return { texts: digests.length, added, lowestCosine }
  } finally {
    await rows.close()
  }
}

interface Sampled {
  readonly line: number
  readonly text: string
}

async function readTexts(file: string, seed: number): Promise<{ digests: Buffer[]; sample: Sampled[] }> {
  const next = random(seed)
  const digests: Buffer[] = []
  const sample: Sampled[] = []
  for await (const line of readLines(file)) {
    const row: unknown = JSON.parse(line)
    if (!isTextRow(row)) throw new Error(`${file}, line ${digests.length + 1}: not {"sha256", "text"}`)
    // Reservoir sampling: every line has the same chance to be in the sample.
    const chosen = { line: digests.length, text: row.text }
    const place = sample.length < sampleSize ? sample.length : Math.floor(next() * (digests.length + 1))
    if (place < sampleSize) sample[place] = chosen
    digests.push(Buffer.from(row.sha256, 'hex'))
  }
  if (sample.length === 0) throw new Error(`${file} is empty`)
  return { digests, sample }
}

function isTextRow(row: unknown): row is { sha256: string; text: string } {
  if (typeof row !== 'object' || row === null || !('sha256' in row) || !('text' in row)) return false
  return typeof row.text === 'string' && typeof row.sha256 === 'string' && /^[0-9a-f]{64}$/.test(row.sha256)
}

interface Rows {
  read(first: number, count: number): Promise<Float32Array[]>
  close(): Promise<void>
}

async function openRows(file: string, count: number, dimensions: number): Promise<Rows> {
  const { size } = await stat(file)
  const bytesPerNumber = size / count / dimensions
  if (bytesPerNumber !== 4 && bytesPerNumber !== 2) {
    throw new Error(
      `${file} has ${size} bytes, but ${count} vectors of ${dimensions} numbers take ${count * dimensions * 4} (float32) or ` +
        `${count * dimensions * 2} (float16)`,
    )
  }
  const handle = await open(file)
  const rowBytes = dimensions * bytesPerNumber
  return {
    async read(first, length) {
      const bytes = Buffer.alloc(length * rowBytes)
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, first * rowBytes)
      if (bytesRead < bytes.length) throw new Error(`${file} is truncated`)
      return Array.from({ length }, (_, row) =>
        unitVector(
          Float32Array.from({ length: dimensions }, (_, index) => {
            const at = row * rowBytes + index * bytesPerNumber
            return bytesPerNumber === 4 ? bytes.readFloatLE(at) : halfFloat(bytes.readUInt16LE(at))
          }),
        ),
      )
    },
    close: () => handle.close(),
  }
}

async function compare(embedder: CachedEmbedder, rows: Rows, sample: readonly Sampled[]): Promise<number> {
  const fresh = await embedder.embedAfresh(sample.map(({ text }) => text))
  let lowest = 1
  for (const [index, { line }] of sample.entries()) {
    const [made] = await rows.read(line, 1)
    const here = fresh[index]
    if (!made || !here) throw new Error('the embedder returned fewer vectors than texts')
    const cosine = dot(made, here)
    // A zero vector, or one with NaN, has no cosine.
    lowest = Number.isNaN(cosine) ? Number.NEGATIVE_INFINITY : Math.min(lowest, cosine)
  }
  return lowest
}

function recordOf(sha256: Buffer | undefined, vector: Float32Array, line: number): VectorRecord {
  if (!sha256 || !vector.every(Number.isFinite)) throw new Error(`the vector of line ${line + 1} is not finite`)
  return { sha256, vector }
}

function unitVector(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector))
  return vector.map((value) => value / length)
}

/** IEEE 754 binary16. */
function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}
