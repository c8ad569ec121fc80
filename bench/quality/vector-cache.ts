/**
 * An embedder that remembers on disk what it embedded: a file a model, records of the text's SHA-256 and
 * its vector, only ever appended to. A second run embeds nothing.
 */
import { createHash } from 'node:crypto'
import { appendFile, mkdir, readFile, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import type { Embedder } from '../../packages/server/src/models/models.js'
import { exists } from './rows.js'

const digestBytes = 32
/** Kept after each batch, so that an interrupted run has not embedded in vain. */
const textsPerBatch = 256
const progressEveryMs = 20_000

/** Embedded anew at each start: a changed model under an old name, or another cut of long texts, shows here. */
const probes = [
  'Ada said on Monday that she moved to Lisbon.',
  Array.from({ length: 400 }, (_, number) => `Day ${number}: nothing new.`).join(' '),
]

/** A text's SHA-256, and its vector made elsewhere. */
export interface VectorRecord {
  readonly sha256: Buffer
  readonly vector: Float32Array
}

export interface CachedEmbedder extends Embedder {
  /** Texts that were not in the file. */
  embeddedAnew(): number
  /** Texts that it has a vector of. */
  known(): number
  /** Keeps vectors that were made elsewhere, where it has none yet; answers how many. */
  add(records: readonly VectorRecord[]): Promise<number>
  /** By the model itself, whatever is kept. */
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
  /** Where in `bytes` the vector of a digest begins. Copies are made when asked for: most of a big file never is. */
  private readonly places = new Map<string, number>()
  /** Those that came after the file was read. */
  private readonly fresh = new Map<string, Float32Array>()
  private count = 0
  /** One batch at a time, so that concurrent calls don't embed the same text twice. */
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
    this.log(`${this.modelId} gives other vectors than those in .cache/quality: they are made anew`)
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

  embeddedAnew(): number {
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
    // Whoever called hears of a failure; those after are not kept from trying.
    this.last = answer.catch(() => undefined)
    return answer
  }

  private async embedMissing(texts: readonly string[]): Promise<Float32Array[]> {
    const digests = texts.map(digestOf)
    const missing = new Map<string, string>()
    for (const [index, digest] of digests.entries()) {
      if (!this.has(digest)) missing.set(digest, texts[index] ?? '')
    }
    // Texts of one length make batches without padding.
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
        if (!vector) throw new Error('the embedder answered with fewer vectors than texts')
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
    // A copy: a view that is sent to a thread takes the whole file with it.
    return place === undefined ? this.fresh.get(digest) : new Float32Array(this.bytes, place, this.dimensions).slice()
  }

  private async read(): Promise<void> {
    const recordBytes = digestBytes + this.dimensions * 4
    const read = await readFile(this.file)
    const whole = Math.floor(read.length / recordBytes) * recordBytes
    // A run that was killed may have left half a record.
    if (whole < read.length) await truncate(this.file, whole)
    // Views of numbers need a buffer that they begin with.
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
