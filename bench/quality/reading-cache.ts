/**
 * A reader for the tagging model that caches its readings on disk: one file per model, one line per sentence. Several
 * tasks contain the same turns, and tagging takes longer than the rest of a run whose vectors are cached.
 */
import { createHash } from 'node:crypto'
import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { SpanReader } from '../../packages/server/src/models/tagger/span-reader.js'
import { exists, readLines } from './rows.js'

type Reading = Awaited<ReturnType<SpanReader['read']>>[number]

/** Read at each start to detect a changed model under an old name. */
const probe = 'Ada said on Monday that she moved to Lisbon to work for Acme Corp.'
/** Saved after each batch, so that an interrupted run is not wasted. */
const sentencesPerBatch = 1_000
const nothing = '{"spans":[],"relations":[]}'
const nothingKept = '-'

export async function cachedReader(inner: SpanReader, directory: string): Promise<SpanReader> {
  const { path, known } = await openFile(inner, directory)
  async function keep(read: readonly (readonly [string, string])[]): Promise<void> {
    const kept = read.map(([digest, reading]) => [digest, reading === nothing ? nothingKept : reading] as const)
    // An interrupted run may have left half a line.
    await appendFile(path, `\n${kept.map((pair) => `${pair.join(' ')};\n`).join('')}`)
    for (const [digest, reading] of kept) known.set(digest, reading)
  }
  return {
    modelId: inner.modelId,
    async read(sentences) {
      const digests = sentences.map(digestOf)
      const missing = new Map<string, string>()
      for (const [index, digest] of digests.entries())
        if (!known.has(digest)) missing.set(digest, sentences[index] ?? '')
      const unread = [...missing]
      for (let first = 0; first < unread.length; first += sentencesPerBatch) {
        const batch = unread.slice(first, first + sentencesPerBatch)
        const readings = await inner.read(batch.map(([, sentence]) => sentence))
        await keep(batch.map(([digest], index) => [digest, JSON.stringify(readings[index])]))
      }
      return digests.map((digest) => readingFrom(known.get(digest)))
    },
    close: () => inner.close(),
  }
}

interface ReadingFile {
  readonly path: string
  /** As stored in the file: most are not needed in one run. */
  readonly known: Map<string, string>
}

async function openFile(inner: SpanReader, directory: string): Promise<ReadingFile> {
  await mkdir(directory, { recursive: true })
  const fresh = JSON.stringify(await inner.read([probe]))
  // The file name includes a digest of the probe: a different model with the same name starts a new file.
  const name = `${inner.modelId.replace(/[^\w.-]+/g, '_')}-${digestOf(fresh).slice(0, 8)}.readings`
  const path = join(directory, name)
  const known = new Map<string, string>()
  if (!(await exists(path))) return { path, known }
  for await (const line of readLines(path)) {
    // A line that an interrupted run cut off is read again.
    if (line.charAt(digestCharacters) !== ' ' || !line.endsWith(';')) continue
    known.set(line.slice(0, digestCharacters), line.slice(digestCharacters + 1, -1))
  }
  return { path, known }
}

function readingFrom(kept: string | undefined): Reading {
  if (kept === undefined) throw new Error('a reading was lost')
  // Written by this same version.
  return JSON.parse(kept === nothingKept ? nothing : kept) as Reading
}

const digestCharacters = 24

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, digestCharacters)
}
