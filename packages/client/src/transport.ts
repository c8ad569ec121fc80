/** One request to the service: written, sent, answered in time or not, and sent again where that does no harm. */
import { readAnswer } from './answer.js'
import type { Clock } from './clock.js'
import { Deadline } from './deadline.js'
import { ConnectionError, UnexpectedAnswerError, ValidationError } from './errors.js'
import type { CallOptions } from './options.js'
import { mayRepeat, type Repeat, waitMs } from './retry.js'
import { queryString, toWire } from './wire.js'

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the base URL, its parts encoded. */
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
  // Private, so that printing a client shows no key.
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
          // The generated types say what the service's own tests hold its answers to.
          return (await this.#attempt(written, request, deadline.signal)) as Answer
        } catch (error) {
          // Whatever fetch makes of an abort: the reason is the time-out or the caller's own.
          deadline.signal.throwIfAborted()
          if (attempt >= maxRetries || !mayRepeat(request.repeat, error)) throw error
          const wait = waitMs(attempt, error, random)
          // Waiting only to time out helps nobody; the error tells when to come back.
          if (wait >= deadline.leftMs()) throw error
          await clock.sleep(wait, deadline.signal)
          deadline.signal.throwIfAborted()
        }
      }
    } finally {
      deadline.clear()
    }
  }

  /** The body of an answer that does not end by itself; what is refused is thrown. The connection lasts as long as the signal. */
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
    throw new UnexpectedAnswerError('The answer is not a stream of events: is the service older than this client?')
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
          // Memories and keys go to the address that was given and nowhere else.
          redirect: 'manual',
          ...browserOptions(),
        },
      }
    } catch (error) {
      if (error instanceof ValidationError) throw error
      // A cycle, a BigInt, a broken surrogate, a date that is none.
      const reason = error instanceof Error ? error.message.split('\n', 1)[0] : 'it is not JSON'
      throw new ValidationError(`The request can't be written: ${reason}`, { cause: error })
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
 * No cookies, and nothing in a cache of the platform's. Runtimes that know neither refuse a request that names them
 * (https://github.com/cloudflare/workerd/issues/698).
 */
function browserOptions(): RequestInit {
  const known = typeof Request === 'function' ? Request.prototype : {}
  return {
    ...('credentials' in known ? { credentials: 'omit' } : {}),
    ...('cache' in known ? { cache: 'no-store' } : {}),
  }
}

/** Node's fetch only says "fetch failed"; its cause says why. */
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
  if (!(value > 0)) throw new TypeError(`${name} must be more than 0`)
  return value
}

export function wholeNumber(name: string, value: number): number {
  if (!Number.isInteger(value) || value < 0) throw new TypeError(`${name} must be a whole number, 0 or more`)
  return value
}
