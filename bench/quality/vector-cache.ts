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

export interface CachedEmbedder extends Embedder {
  /** Texts that were not in the file. */
  embeddedAnew(): number
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
  private readonly vectors = new Map<string, Float32Array>()
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
    const known = probes.map((text) => this.vectors.get(digestOf(text)))
    const isOther = known.some((vector, index) => vector && dot(vector, fresh[index] ?? new Float32Array()) < 0.9999)
    if (!isOther) {
      if (known.includes(undefined)) await this.embed(probes)
      return
    }
    this.log(`${this.modelId} gives other vectors than those in .cache/quality: they are made anew`)
    this.vectors.clear()
    await rm(this.file)
    await this.embed(probes)
  }

  embed(texts: readonly string[]): Promise<Float32Array[]> {
    const answer = this.last.then(() => this.embedMissing(texts))
    // Whoever called hears of a failure; those after are not kept from trying.
    this.last = answer.catch(() => undefined)
    return answer
  }

  embeddedAnew(): number {
    return this.count
  }

  queueLength(): number {
    return this.inner.queueLength()
  }

  close(): Promise<void> {
    return this.inner.close()
  }

  private async embedMissing(texts: readonly string[]): Promise<Float32Array[]> {
    const missing = new Map(texts.map((text) => [digestOf(text), text] as const))
    for (const digest of missing.keys()) if (this.vectors.has(digest)) missing.delete(digest)
    // Texts of one length make batches without padding.
    const sorted = [...missing].sort(([, a], [, b]) => a.length - b.length)
    let toldAt = performance.now()
    for (let first = 0; first < sorted.length; first += textsPerBatch) {
      await this.embedBatch(sorted.slice(first, first + textsPerBatch))
      if (performance.now() - toldAt < progressEveryMs) continue
      toldAt = performance.now()
      this.log(`  embedded ${Math.min(sorted.length, first + textsPerBatch)} of ${sorted.length} texts`)
    }
    return texts.map((text) => this.vectors.get(digestOf(text)) ?? new Float32Array(this.dimensions))
  }

  private async embedBatch(batch: readonly (readonly [string, string])[]): Promise<void> {
    const vectors = await this.inner.embed(batch.map(([, text]) => text))
    const records = batch.map(([digest], index) => {
      const vector = vectors[index]
      if (!vector) throw new Error('the embedder answered with fewer vectors than texts')
      this.vectors.set(digest, vector)
      return Buffer.concat([Buffer.from(digest, 'base64'), Buffer.from(Float32Array.from(vector).buffer)])
    })
    this.count += batch.length
    await appendFile(this.file, Buffer.concat(records))
  }

  private async read(): Promise<void> {
    const recordBytes = digestBytes + this.dimensions * 4
    const bytes = await readFile(this.file)
    const whole = Math.floor(bytes.length / recordBytes) * recordBytes
    // A run that was killed may have left half a record.
    if (whole < bytes.length) await truncate(this.file, whole)
    for (let start = 0; start < whole; start += recordBytes) {
      const digest = bytes.toString('base64', start, start + digestBytes)
      const from = bytes.byteOffset + start + digestBytes
      this.vectors.set(digest, new Float32Array(bytes.buffer.slice(from, from + this.dimensions * 4)))
    }
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('base64')
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
}
