/** Sends one request to the service, enforces the timeout, and retries where that is safe. */
import { readAnswer } from './answer.js'
import type { Clock } from './clock.js'
import { Deadline } from './deadline.js'
import { ConnectionError, UnexpectedAnswerError, ValidationError } from './errors.js'
import type { CallOptions } from './options.js'
import { mayRepeat, type Repeat, waitMs } from './retry.js'
import { queryString, toWire } from './wire.js'

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path below the base URL, already encoded. */
  readonly path: string
  readonly query?: object
  readonly body?: object
  readonly idempotencyKey?: string | undefined
  readonly repeat: Repeat
  readonly alsoAnswer?: number
}

export interface TransportSettings {
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly maxAnswerBytes: number
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly random: () => number
}

export class Transport {
  // Private, so that printing a client does not reveal the key.
  readonly #settings: TransportSettings

  constructor(settings: TransportSettings) {
    this.#settings = settings
  }

  get hasApiKey(): boolean {
    return this.#settings.apiKey !== undefined
  }

  async send<Answer>(request: ApiRequest, call: CallOptions): Promise<Answer> {
    const { clock, random, timeoutMs, maxRetries } = { ...this.#settings, ...given(call) }
    const written = this.#write(request)
    const deadline = new Deadline(clock, timeoutMs, call.signal)
    try {
      for (let attempt = 0; ; attempt += 1) {
        try {
          // The service's own tests check its responses against the schemas that the types are generated from.
          return (await this.#attempt(written, request, deadline.signal)) as Answer
        } catch (error) {
          // fetch may wrap the reason of an abort. This throws the original: the timeout or the caller's reason.
          deadline.signal.throwIfAborted()
          if (attempt >= maxRetries || !mayRepeat(request.repeat, error)) throw error
          const wait = waitMs(attempt, error, random)
          // No point in waiting past the deadline: the error says when to retry.
          if (wait >= deadline.leftMs()) throw error
          await clock.sleep(wait, deadline.signal)
          deadline.signal.throwIfAborted()
        }
      }
    } finally {
      deadline.clear()
    }
  }

  /** Opens an event stream and returns its body; throws if the service refuses. The connection stays open until the signal aborts. */
  async stream(
    path: string,
    query: object,
    lastEventId: string | undefined,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    const { url, init } = this.#write({ method: 'GET', path, query, repeat: 'never' })
    const headers = {
      ...init.headers,
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    }
    const { fetch, baseUrl, maxAnswerBytes, clock } = this.#settings
    let response: Response
    try {
      response = await fetch(url, { ...init, headers, signal })
    } catch (error) {
      throw new ConnectionError(`No answer from ${baseUrl}${reasonOf(error)}`, { cause: error })
    }
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    if (response.ok && isStream && response.body) return response.body
    await readAnswer(response, { maxAnswerBytes, nowMs: clock.now() })
    throw new UnexpectedAnswerError('The response is not an event stream: is the service older than this client?')
  }

  pause(ms: number, signal: AbortSignal): Promise<void> {
    return this.#settings.clock.sleep(ms, signal)
  }

  #write({ method, path, query, body, idempotencyKey }: ApiRequest): { url: string; init: RequestInit } {
    const { baseUrl, apiKey } = this.#settings
    try {
      return {
        url: `${baseUrl}${path}${queryString(query ?? {})}`,
        init: {
          method,
          headers: {
            accept: 'application/json',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
            ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(toWire(body)) }),
          // Memories and keys are sent only to the given address.
          redirect: 'manual',
          ...browserOptions(),
        },
      }
    } catch (error) {
      if (error instanceof ValidationError) throw error
      // For example a cycle, a BigInt, a lone surrogate or an invalid date.
      const reason = error instanceof Error ? error.message.split('\n', 1)[0] : 'it is not JSON'
      throw new ValidationError(`The request can't be serialized: ${reason}`, { cause: error })
    }
  }

  async #attempt(
    { url, init }: { readonly url: string; readonly init: RequestInit },
    { alsoAnswer }: ApiRequest,
    signal: AbortSignal,
  ): Promise<object> {
    signal.throwIfAborted()
    const { fetch, baseUrl, maxAnswerBytes, clock } = this.#settings
    let response: Response
    try {
      response = await fetch(url, { ...init, signal })
    } catch (error) {
      throw new ConnectionError(`No answer from ${baseUrl}${reasonOf(error)}`, { cause: error })
    }
    return readAnswer(response, { maxAnswerBytes, alsoAnswer, nowMs: clock.now() })
  }
}

/**
 * No cookies and no HTTP cache. Runtimes that support neither option reject a request that sets them
 * (https://github.com/cloudflare/workerd/issues/698).
 */
function browserOptions(): RequestInit {
  const known = typeof Request === 'function' ? Request.prototype : {}
  return {
    ...('credentials' in known ? { credentials: 'omit' } : {}),
    ...('cache' in known ? { cache: 'no-store' } : {}),
  }
}

/** Node's fetch only says "fetch failed"; the reason is in its cause. */
function reasonOf(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return inner instanceof Error && inner.message !== '' ? `: ${inner.message}` : ''
}

function given({ timeoutMs, maxRetries }: CallOptions): { timeoutMs?: number; maxRetries?: number } {
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs: positive('timeoutMs', timeoutMs) }),
    ...(maxRetries === undefined ? {} : { maxRetries: wholeNumber('maxRetries', maxRetries) }),
  }
}

export function positive(name: string, value: number): number {
  if (!(value > 0)) throw new TypeError(`${name} must be greater than 0`)
  return value
}

export function wholeNumber(name: string, value: number): number {
  if (!Number.isInteger(value) || value < 0) throw new TypeError(`${name} must be a non-negative integer`)
  return value
}
