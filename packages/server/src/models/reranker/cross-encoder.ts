/**
 * The reranker: a cross-encoder that reads a query and a text together, in its own thread (`rerank-worker.ts`). The
 * thread starts, and the model is loaded, with the first query that needs it.
 */
import { workerUrl } from '../../core/worker-url.js'
import type { Loadable, Reranker } from '../models.js'
import { beginningOf } from '../runtime/beginning-of.js'
import { LazyThread } from '../runtime/lazy-thread.js'
import { checkModelSizes, type LocalModel, readLocalModel } from '../runtime/model-files.js'
import type { RerankAsk } from './rerank-batches.js'

export interface CrossEncoderOptions {
  /** A directory with a `model.json` instead of `models/keepsake-rerank`. */
  readonly directory?: string
  /** Maximum number of pairs that wait or run. One recall has thirty pairs, and about seven recalls take a second. */
  readonly maxWaitingPairs?: number
  /** The thread's program; tests replace it with one that crashes. */
  readonly script?: URL
}

/** A pair has 128 tokens, and few tokens are longer than a dozen characters. */
const maxCharacters = 2_000

/** Rejects with a one-line message that names the file if one is missing or truncated. */
export async function openCrossEncoder(options: CrossEncoderOptions = {}): Promise<Reranker> {
  const model = await readLocalModel('reranker', 'keepsake-rerank', options.directory)
  await checkModelSizes(model)
  return new CrossEncoder(model, options)
}

class CrossEncoder implements Reranker {
  readonly modelId: string
  private readonly thread: LazyThread<RerankAsk>

  constructor(model: LocalModel, options: CrossEncoderOptions) {
    this.modelId = model.id
    this.thread = new LazyThread({
      purpose: 'reranking',
      script: options.script ?? workerUrl(import.meta.url, './rerank-worker.js'),
      model,
      maxWaiting: options.maxWaitingPairs ?? 600,
    })
  }

  get loading(): Loadable {
    return this.thread
  }

  async score(query: string, texts: readonly string[]): Promise<number[]> {
    if (texts.length === 0) return []
    const ask = {
      query: beginningOf(query, maxCharacters),
      texts: texts.map((text) => beginningOf(text, maxCharacters)),
    }
    return [...(await this.thread.ask(ask, texts.length))]
  }

  close(): Promise<void> {
    return this.thread.close()
  }
}
