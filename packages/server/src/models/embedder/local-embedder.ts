/** The embedder that needs no network: a MiniLM on the CPU, in its own thread (`embed-worker.ts`). */
import { workerUrl } from '../../core/worker-url.js'
import type { Embedder } from '../models.js'
import { beginningOf } from '../runtime/beginning-of.js'
import { LazyThread } from '../runtime/lazy-thread.js'
import { checkModelSizes, type LocalModel, readLocalModel } from '../runtime/model-files.js'

export interface LocalEmbedderOptions {
  /** A folder in `models/`: ours, or the published all-MiniLM-L6-v2 for comparison. */
  readonly model?: 'keepsake-embed' | 'stock'
  /** A directory with a `model.json` instead. */
  readonly directory?: string
  /** Maximum number of texts that wait or run; calls beyond it are rejected instead of waiting for minutes. */
  readonly maxWaitingTexts?: number
  /** The thread's program; tests replace it with one that crashes. */
  readonly script?: URL
}

/**
 * Only the first 256 tokens of a text contribute to its vector. Of very long texts only this many characters are
 * tokenized (254 English words have about 1,500).
 */
const maxCharacters = 10_000

/** Rejects with a one-line message that names the file if one is missing or truncated. */
export async function openLocalEmbedder(options: LocalEmbedderOptions = {}): Promise<Embedder> {
  const model = await readLocalModel('embedder', options.model ?? 'keepsake-embed', options.directory)
  await checkModelSizes(model)
  const thread = new LazyThread<readonly string[]>({
    purpose: 'embedding',
    script: options.script ?? workerUrl(import.meta.url, './embed-worker.js'),
    model,
    maxWaiting: options.maxWaitingTexts ?? 10_000,
  })
  return embedderOver(thread, model)
}

function embedderOver(thread: LazyThread<readonly string[]>, { id, dimensions }: LocalModel): Embedder {
  return {
    modelId: id,
    dimensions,
    loading: thread,
    async embed(texts) {
      if (texts.length === 0) return []
      const beginnings = texts.map((text) => beginningOf(text, maxCharacters))
      const values = await thread.ask(beginnings, texts.length)
      // Copies, because a stored vector must not keep the memory of its whole request alive.
      return texts.map((_, index) => values.slice(index * dimensions, (index + 1) * dimensions))
    },
    queueLength: () => thread.waiting(),
    close: () => thread.close(),
  }
}
