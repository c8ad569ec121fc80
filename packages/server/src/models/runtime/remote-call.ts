/**
 * One call to a remote HTTP service, with retries: shared by all remote models. The response size is bounded, redirects
 * are not followed, and a failure never reveals the API key or the URL.
 */
export interface RemoteEndpoint {
  readonly url: string
  readonly apiKey: string | undefined
  readonly maxResponseBytes: number
  readonly fetch: typeof fetch
}

/** A failed attempt: whether a retry makes sense, and how long the service asks us to wait. */
export interface Failure {
  readonly kind: 'failure'
  readonly reason: string
  readonly mayPass: boolean
  readonly retryAfterMs?: number
  readonly status?: number
}

export type Answered = { readonly kind: 'body'; readonly text: string } | Failure

/** One signal covers headers and body, because a service may also stall in the middle of a response. */
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
    return text === undefined ? failure('its response is too large', false) : { kind: 'body', text }
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

/** Only the system's error code is reported: messages of `fetch` can contain the URL or a header's value. */
function networkFailure(error: unknown): Failure {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  if (cause instanceof Error && /redirect/i.test(cause.message)) return failure('it answered with a redirect', false)
  return failure(code ? `no connection (${code})` : 'no connection', true)
}

async function readBounded(response: Response, maxBytes: number): Promise<string | undefined> {
  if (!response.body) return ''
  const decoder = new TextDecoder()
  let [text, byteCount] = ['', 0]
  for await (const chunk of response.body) {
    byteCount += chunk.byteLength
    // Leaving the loop cancels the rest of the body.
    if (byteCount > maxBytes) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
