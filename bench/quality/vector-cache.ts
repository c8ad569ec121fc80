/**
 * An embedder that caches its vectors on disk: one append-only file per model, with records of the text's SHA-256 and
 * its vector. A second run embeds nothing.
 */
import { createHash } from 'node:crypto'
import { appendFile, mkdir, readFile, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import type { Embedder } from '../../packages/server/src/models/models.js'
import { exists } from './rows.js'

const digestBytes = 32
/** Saved after each batch, so that an interrupted run is not wasted. */
const textsPerBatch = 256
const progressEveryMs = 20_000

/** Embedded at each start to detect a changed model under an old name, or a different truncation of long texts. */
const probes = [
  'Ada said on Monday that she moved to Lisbon.',
  Array.from({ length: 400 }, (_, number) => `Day ${number}: nothing new.`).join(' '),
]

/** A text's SHA-256, and its vector computed elsewhere. */
export interface VectorRecord {
  readonly sha256: Buffer
  readonly vector: Float32Array
}

export interface CachedEmbedder extends Embedder {
  /** Number of texts that were not in the file. */
  newlyEmbedded(): number
  /** Number of texts with a cached vector. */
  known(): number
  /** Stores vectors that were computed elsewhere, if it has none yet; returns how many. */
  add(records: readonly VectorRecord[]): Promise<number>
  /** Computed by the model itself, bypassing the cache. */
  embedAfresh(texts: readonly string[]): Promise<Float32Array[]>
}

export async function cachedEmbedder(
  inner: Embedder,
  directory: string,
  log: (line: string) => void,
): Promise<CachedEmbedder> {
  const cache = new VectorCache(inner, directory, log)
  await cache.open()
  return cache
}

class VectorCache implements CachedEmbedder {
  readonly modelId: string
  readonly dimensions: number
  private readonly file: string
  private bytes: ArrayBuffer = new ArrayBuffer(0)
  /**
   * Offset in `bytes` of each digest's vector. Copies are made on demand, because most of a large file is never used.
   */
  private readonly places = new Map<string, number>()
  /** Vectors added after the file was read. */
  private readonly fresh = new Map<string, Float32Array>()
  private count = 0
  /** One batch at a time, so that concurrent calls do not embed the same text twice. */
  private last: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly inner: Embedder,
    private readonly directory: string,
    private readonly log: (line: string) => void,
  ) {
    this.modelId = inner.modelId
    this.dimensions = inner.dimensions
    this.file = join(directory, `${inner.modelId.replace(/[^\w.-]+/g, '_')}-${inner.dimensions}.vectors`)
  }

  async open(): Promise<void> {
    await mkdir(this.directory, { recursive: true })
    if (await exists(this.file)) await this.read()
    const fresh = await this.inner.embed(probes)
    const known = probes.map((text) => this.vectorOf(digestOf(text)))
    const isOther = known.some((vector, index) => vector && dot(vector, fresh[index] ?? new Float32Array()) < 0.9999)
    if (!isOther) {
      if (known.includes(undefined)) await this.embed(probes)
      return
    }
    this.log(`${this.modelId} returns other vectors than those in .cache/quality: rebuilding the cache`)
    this.places.clear()
    await rm(this.file)
    await this.embed(probes)
  }

  embed(texts: readonly string[]): Promise<Float32Array[]> {
    return this.afterOthers(() => this.embedMissing(texts))
  }

  embedAfresh(texts: readonly string[]): Promise<Float32Array[]> {
    return this.inner.embed(texts)
  }

  add(records: readonly VectorRecord[]): Promise<number> {
    return this.afterOthers(async () => {
      const unknown = new Map(records.map(({ sha256, vector }) => [sha256.toString('latin1'), vector] as const))
      for (const [digest, vector] of unknown) {
        if (vector.length !== this.dimensions) throw new Error(`a vector of ${vector.length} numbers`)
        if (this.has(digest)) unknown.delete(digest)
      }
      await this.keep([...unknown])
      return unknown.size
    })
  }

  newlyEmbedded(): number {
    return this.count
  }

  known(): number {
    return this.places.size + this.fresh.size
  }

  queueLength(): number {
    return this.inner.queueLength()
  }

  close(): Promise<void> {
    return this.inner.close()
  }

  private afterOthers<T>(work: () => Promise<T>): Promise<T> {
    const answer = this.last.then(work)
    // The caller sees the failure; later calls may still try.
    this.last = answer.catch(() => undefined)
    return answer
  }

  private async embedMissing(texts: readonly string[]): Promise<Float32Array[]> {
    const digests = texts.map(digestOf)
    const missing = new Map<string, string>()
    for (const [index, digest] of digests.entries()) {
      if (!this.has(digest)) missing.set(digest, texts[index] ?? '')
    }
    // Texts of similar length make batches without padding.
    const sorted = [...missing].sort(([, a], [, b]) => a.length - b.length)
    let toldAt = performance.now()
    for (let first = 0; first < sorted.length; first += textsPerBatch) {
      await this.embedBatch(sorted.slice(first, first + textsPerBatch))
      if (performance.now() - toldAt < progressEveryMs) continue
      toldAt = performance.now()
      this.log(`  embedded ${Math.min(sorted.length, first + textsPerBatch)} of ${sorted.length} texts`)
    }
    return digests.map((digest) => {
      const vector = this.vectorOf(digest)
      if (!vector) throw new Error('a vector was lost')
      return vector
    })
  }

  private async embedBatch(batch: readonly (readonly [string, string])[]): Promise<void> {
    const vectors = await this.inner.embed(batch.map(([, text]) => text))
    await this.keep(
      batch.map(([digest], index) => {
        const vector = vectors[index]
        if (!vector) throw new Error('the embedder returned fewer vectors than texts')
        return [digest, vector] as const
      }),
    )
    this.count += batch.length
  }

  private async keep(records: readonly (readonly [string, Float32Array])[]): Promise<void> {
    const parts = records.flatMap(([digest, vector]) => [
      Buffer.from(digest, 'latin1'),
      Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength),
    ])
    await appendFile(this.file, Buffer.concat(parts))
    for (const [digest, vector] of records) this.fresh.set(digest, vector)
  }

  private has(digest: string): boolean {
    return this.places.has(digest) || this.fresh.has(digest)
  }

  private vectorOf(digest: string): Float32Array | undefined {
    const place = this.places.get(digest)
    // A copy: transferring a view to a thread would take the whole file with it.
    return place === undefined ? this.fresh.get(digest) : new Float32Array(this.bytes, place, this.dimensions).slice()
  }

  private async read(): Promise<void> {
    const recordBytes = digestBytes + this.dimensions * 4
    const read = await readFile(this.file)
    const whole = Math.floor(read.length / recordBytes) * recordBytes
    // A killed run may have left half a record.
    if (whole < read.length) await truncate(this.file, whole)
    // Typed views need an aligned buffer.
    this.bytes = new Uint8Array(read.subarray(0, whole)).buffer
    for (let start = 0; start < whole; start += recordBytes) {
      this.places.set(read.toString('latin1', start, start + digestBytes), start + digestBytes)
    }
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('binary')
}

export function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
}
