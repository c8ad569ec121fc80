/**
 * Embeddings from an OpenAI-compatible service (`POST {baseUrl}/embeddings`), if the operator configures one. Responses
 * are validated like any foreign input, and a failure never reveals the API key.
 */
import { type ServiceError, unavailable } from '../../core/errors.js'
import type { Embedder } from '../models.js'
import { type Failure, failure, postOnce, type RemoteEndpoint, waitAfter } from '../runtime/remote-call.js'
import { Turns } from '../runtime/turns.js'
import { parseEmbeddings } from './remote-embeddings.js'

export interface RemoteEmbedderOptions {
  readonly baseUrl: string
  readonly model: string
  readonly apiKey: string | undefined
  /** Per request; a retry gets the full time again. */
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
  /** Waits between attempts; tests skip the wait. */
  readonly wait?: (ms: number) => Promise<void>
  readonly maxWaitingTexts?: number
}

const maxTries = 3
const textsPerRequest = 64
const concurrentRequests = 4
/** 64 vectors of 4,096 numbers in JSON stay below 6 MB. */
const maxResponseBytes = 32_000_000

/** Requests one vector first: every later vector must have the same length. */
export async function openRemoteEmbedder(options: RemoteEmbedderOptions): Promise<Embedder> {
  const client = new EmbeddingsClient(options)
  const [probe] = await client.request(['dimensions'])
  if (!probe) throw unavailable('The embedding service returned no vector')
  return new RemoteEmbedder(options, client, probe.length)
}

class RemoteEmbedder implements Embedder {
  readonly modelId: string
  private waitingTexts = 0
  private closed = false
  private readonly turns = new Turns(concurrentRequests)

  constructor(
    private readonly options: RemoteEmbedderOptions,
    private readonly client: EmbeddingsClient,
    readonly dimensions: number,
  ) {
    this.modelId = options.model
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    if (this.closed) throw unavailable('The embedding service has been closed')
    const limit = this.options.maxWaitingTexts ?? 10_000
    if (this.waitingTexts + texts.length > limit) {
      throw unavailable(`Too many texts are waiting for the embedding service (at most ${limit})`)
    }
    this.waitingTexts += texts.length
    let failed = false
    const embedBatch = async (start: number) => {
      // The first failure has already answered the call: further requests would only burden the service.
      if (failed) return []
      try {
        return await this.requestChecked(texts.slice(start, start + textsPerRequest))
      } catch (error) {
        failed = true
        throw error
      }
    }
    try {
      const batches: Promise<Float32Array[]>[] = []
      for (let start = 0; start < texts.length; start += textsPerRequest) {
        batches.push(this.turns.take(() => embedBatch(start)))
      }
      return (await Promise.all(batches)).flat()
    } finally {
      this.waitingTexts -= texts.length
    }
  }

  queueLength(): number {
    return this.waitingTexts
  }

  async close(): Promise<void> {
    this.closed = true
  }

  private async requestChecked(texts: readonly string[]): Promise<Float32Array[]> {
    const vectors = await this.client.request(texts)
    const other = vectors.find((vector) => vector.length !== this.dimensions)
    if (!other) return vectors
    throw unavailable(
      `The embedding service now returns ${other.length} dimensions instead of ${this.dimensions}: has its model changed?`,
    )
  }
}

class EmbeddingsClient {
  private readonly endpoint: RemoteEndpoint
  private readonly wait: (ms: number) => Promise<void>

  constructor(private readonly options: RemoteEmbedderOptions) {
    this.endpoint = {
      url: `${options.baseUrl.replace(/(?<!\/)\/+$/, '')}/embeddings`,
      apiKey: options.apiKey,
      maxResponseBytes,
      fetch: options.fetch ?? fetch,
    }
    this.wait = options.wait ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)))
  }

  async request(texts: readonly string[]): Promise<Float32Array[]> {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.tryOnce(texts)
      if (Array.isArray(outcome)) return outcome
      if (!outcome.mayPass || attempt === maxTries) throw serviceFailed(outcome)
      await this.wait(waitAfter(attempt, outcome))
    }
  }

  private async tryOnce(texts: readonly string[]): Promise<Float32Array[] | Failure> {
    const body = { model: this.options.model, input: texts, encoding_format: 'float' }
    const answer = await postOnce(this.endpoint, body, AbortSignal.timeout(this.options.timeoutMs ?? 10_000))
    if (answer.kind === 'failure') return answer
    const parsed = parseEmbeddings(answer.text, texts.length)
    return parsed.kind === 'vectors' ? parsed.vectors : failure(parsed.problem, false)
  }
}

function serviceFailed({ reason }: Failure): ServiceError {
  return unavailable(`The embedding service failed: ${reason}`)
}
