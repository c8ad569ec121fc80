/**
 * Embeddings from an OpenAI-compatible service (`POST {baseUrl}/embeddings`), an operator's choice.
 * What comes back is checked like any foreign input, and a failure never tells the API key.
 */
import { type ServiceError, unavailable } from '../core/errors.js'
import type { Embedder } from './models.js'
import { parseEmbeddings } from './remote-embeddings.js'

export interface RemoteEmbedderOptions {
  readonly baseUrl: string
  readonly model: string
  readonly apiKey: string | undefined
  /** For one request; a try after it has its own. */
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
  /** Waits between tries; tests don't. */
  readonly wait?: (ms: number) => Promise<void>
  readonly maxWaitingTexts?: number
}

const maxTries = 3
const firstWaitMs = 250
const maxWaitMs = 10_000
const textsPerRequest = 64
const concurrentRequests = 4
/** 64 vectors of 4,096 numbers in JSON stay below 6 MB. */
const maxResponseBytes = 32_000_000

/** Asks for one vector first: its length is what every later one must have. */
export async function openRemoteEmbedder(options: RemoteEmbedderOptions): Promise<Embedder> {
  const client = new EmbeddingsClient(options)
  const [probe] = await client.request(['dimensions'])
  if (!probe) throw unavailable('The embedding service gave no vector')
  return new RemoteEmbedder(options, client, probe.length)
}

class RemoteEmbedder implements Embedder {
  readonly modelId: string
  private waitingTexts = 0
  private running = 0
  private closed = false
  private readonly turns: (() => void)[] = []

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
      throw unavailable(`Too many texts wait for the embedding service (at most ${limit})`)
    }
    this.waitingTexts += texts.length
    let failed = false
    const embedBatch = async (start: number) => {
      // The call has been answered with the first failure: asking for the rest would only burden the service.
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
        batches.push(this.inTurn(() => embedBatch(start)))
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
      `The embedding service now gives ${other.length} dimensions instead of ${this.dimensions}: has its model changed?`,
    )
  }

  private async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.running >= concurrentRequests) await new Promise<void>((resolve) => this.turns.push(resolve))
    else this.running += 1
    try {
      return await work()
    } finally {
      // The place goes straight to the next in line, so that nobody slips in between.
      const next = this.turns.shift()
      if (next) next()
      else this.running -= 1
    }
  }
}

/** A failed try: whether another makes sense, and how long the service asks us to wait. */
interface Failure {
  readonly reason: string
  readonly mayPass: boolean
  readonly retryAfterMs?: number
}

class EmbeddingsClient {
  private readonly url: string
  private readonly fetch: typeof fetch
  private readonly wait: (ms: number) => Promise<void>

  constructor(private readonly options: RemoteEmbedderOptions) {
    this.url = `${options.baseUrl.replace(/\/+$/, '')}/embeddings`
    this.fetch = options.fetch ?? fetch
    this.wait = options.wait ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)))
  }

  async request(texts: readonly string[]): Promise<Float32Array[]> {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.tryOnce(texts)
      if (Array.isArray(outcome)) return outcome
      if (!outcome.mayPass || attempt === maxTries) throw serviceFailed(outcome)
      await this.wait(Math.min(maxWaitMs, outcome.retryAfterMs ?? firstWaitMs * 2 ** (attempt - 1)))
    }
  }

  private async tryOnce(texts: readonly string[]): Promise<Float32Array[] | Failure> {
    // One signal for headers and body: a service may also stop in the middle of an answer.
    const signal = AbortSignal.timeout(this.options.timeoutMs ?? 10_000)
    try {
      const response = await this.fetch(this.url, {
        method: 'POST',
        redirect: 'error',
        signal,
        headers: {
          'content-type': 'application/json',
          ...(this.options.apiKey ? { authorization: `Bearer ${this.options.apiKey}` } : {}),
        },
        body: JSON.stringify({ model: this.options.model, input: texts, encoding_format: 'float' }),
      })
      if (!response.ok) {
        await response.body?.cancel()
        return statusFailure(response)
      }
      const body = await readBounded(response)
      if (body === undefined) return { reason: 'its answer is too large', mayPass: false }
      const parsed = parseEmbeddings(body, texts.length)
      return parsed.kind === 'vectors' ? parsed.vectors : { reason: parsed.problem, mayPass: false }
    } catch (error) {
      if (signal.aborted) return { reason: 'it did not answer in time', mayPass: true }
      return networkFailure(error)
    }
  }
}

function serviceFailed(failure: Failure): ServiceError {
  return unavailable(`The embedding service failed: ${failure.reason}`)
}

function statusFailure(response: Response): Failure {
  const mayPass = response.status === 429 || response.status >= 500
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const reason = `it answered ${response.status}`
  return seconds >= 0 ? { reason, mayPass, retryAfterMs: seconds * 1000 } : { reason, mayPass }
}

/** Only the system's code is told: messages of `fetch` can hold the address or a header's value. */
function networkFailure(error: unknown): Failure {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  if (cause instanceof Error && /redirect/i.test(cause.message)) return { reason: 'it redirects', mayPass: false }
  return { reason: code ? `no connection (${code})` : 'no connection', mayPass: true }
}

async function readBounded(response: Response): Promise<string | undefined> {
  if (!response.body) return ''
  const decoder = new TextDecoder()
  let [text, byteCount] = ['', 0]
  for await (const chunk of response.body) {
    byteCount += chunk.byteLength
    // Leaving the loop cancels the rest.
    if (byteCount > maxResponseBytes) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
