/**
 * One call of a stranger's HTTP service, and trying again: what the remote models share. The answer is bounded in size, no
 * redirect is followed, and a failure never tells the API key or the address.
 */
export interface RemoteEndpoint {
  readonly url: string
  readonly apiKey: string | undefined
  readonly maxResponseBytes: number
  readonly fetch: typeof fetch
}

/** A failed try: whether another makes sense, and how long the service asks us to wait. */
export interface Failure {
  readonly kind: 'failure'
  readonly reason: string
  readonly mayPass: boolean
  readonly retryAfterMs?: number
  readonly status?: number
}

export type Answered = { readonly kind: 'body'; readonly text: string } | Failure

/** One signal for headers and body: a service may also stop in the middle of an answer. */
export async function postOnce(endpoint: RemoteEndpoint, body: unknown, signal: AbortSignal): Promise<Answered> {
  try {
    const response = await endpoint.fetch(endpoint.url, {
      method: 'POST',
      redirect: 'error',
      signal,
      headers: {
        'content-type': 'application/json',
        ...(endpoint.apiKey ? { authorization: `Bearer ${endpoint.apiKey}` } : {}),
      },
      body: JSON.stringify(body),
    })
    if (!response.ok) {
      await response.body?.cancel()
      return statusFailure(response)
    }
    const text = await readBounded(response, endpoint.maxResponseBytes)
    return text === undefined ? failure('its answer is too large', false) : { kind: 'body', text }
  } catch (error) {
    return signal.aborted ? failure('it did not answer in time', true) : networkFailure(error)
  }
}

export function failure(reason: string, mayPass: boolean): Failure {
  return { kind: 'failure', reason, mayPass }
}

const firstWaitMs = 250
const maxWaitMs = 10_000

/** How long to wait after the `attempt`th failure (from 1). */
export function waitAfter(attempt: number, { retryAfterMs }: Failure): number {
  return Math.min(maxWaitMs, retryAfterMs ?? firstWaitMs * 2 ** (attempt - 1))
}

function statusFailure(response: Response): Failure {
  const { status } = response
  const mayPass = status === 429 || status >= 500
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const known = { ...failure(`it answered ${status}`, mayPass), status }
  return seconds >= 0 ? { ...known, retryAfterMs: seconds * 1000 } : known
}

/** Only the system's code is told: messages of `fetch` can hold the address or a header's value. */
function networkFailure(error: unknown): Failure {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  if (cause instanceof Error && /redirect/i.test(cause.message)) return failure('it redirects', false)
  return failure(code ? `no connection (${code})` : 'no connection', true)
}

async function readBounded(response: Response, maxBytes: number): Promise<string | undefined> {
  if (!response.body) return ''
  const decoder = new TextDecoder()
  let [text, byteCount] = ['', 0]
  for await (const chunk of response.body) {
    byteCount += chunk.byteLength
    // Leaving the loop cancels the rest.
    if (byteCount > maxBytes) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
