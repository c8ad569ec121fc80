/**
 * A reranker that caches its scores on disk: one file per model, one line per pair of query and text. A second run with
 * another blend of the same scores takes seconds.
 */
import { createHash } from 'node:crypto'
import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Reranker } from '../../packages/server/src/models/models.js'
import { exists, readLines } from './rows.js'

/** Scored at each start to detect a changed model under an old name. */
const probe = { query: 'Where does Ada live?', text: 'Ada said on Monday that she moved to Lisbon.' }

/** The model is loaded with the first request, as in the service. */
export function cachedReranker(inner: Reranker, directory: string): Reranker {
  let opening: Promise<ScoreFile> | undefined
  return {
    modelId: inner.modelId,
    async score(query, texts) {
      opening ??= openFile(inner, directory)
      const { path, known } = await opening
      const digests = texts.map((text) => digestOf(query, text))
      const missing = texts.filter((_, index) => !known.has(digests[index] ?? ''))
      const scores = await inner.score(query, missing)
      const scored = missing.map((text, index) => [digestOf(query, text), scores[index] ?? 0] as const)
      for (const [digest, score] of scored) known.set(digest, score)
      if (scored.length > 0) await appendFile(path, scored.map((pair) => `${pair.join(' ')};\n`).join(''))
      return digests.map((digest) => known.get(digest) ?? 0)
    },
    close: () => inner.close(),
  }
}

interface ScoreFile {
  readonly path: string
  readonly known: Map<string, number>
}

async function openFile(inner: Reranker, directory: string): Promise<ScoreFile> {
  await mkdir(directory, { recursive: true })
  const [fresh = 0] = await inner.score(probe.query, [probe.text])
  // The file name includes the probe's score: a different model with the same name starts a new file.
  const path = join(directory, `${inner.modelId.replace(/[^\w.-]+/g, '_')}-${fresh.toFixed(4)}.scores`)
  const known = new Map<string, number>()
  if (!(await exists(path))) return { path, known }
  for await (const line of readLines(path)) {
    const [digest = '', score = ''] = line.split(' ')
    // A line that an interrupted run cut off is scored again.
    if (digest.length === digestCharacters && score.endsWith(';')) known.set(digest, Number.parseFloat(score))
  }
  return { path, known }
}

const digestCharacters = 32

function digestOf(query: string, text: string): string {
  return createHash('sha256').update(`${query}\n\n${text}`).digest('hex').slice(0, digestCharacters)
}
