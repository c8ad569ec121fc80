/** Reads a response: an answer of the service, one of its errors, or something from elsewhere. */
import type { Problem } from './api-types.generated.js'
import {
  ConnectionError,
  type ErrorFacts,
  errorWithCode,
  type KeepsakeError,
  RateLimitError,
  UnavailableError,
  UnexpectedAnswerError,
} from './errors.js'
import { readRetryAfter } from './retry.js'
import { fromWire } from './wire.js'

export interface Reading {
  readonly maxAnswerBytes: number
  /** A status other than 2xx whose body counts as an answer: 503 from a health check. */
  readonly alsoAnswer?: number | undefined
  readonly nowMs: number
}

export async function readAnswer(response: Response, reading: Reading): Promise<object> {
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    await response.body?.cancel()
    throw new UnexpectedAnswerError(
      'The server redirected, which Keepsake never does: check the url',
      factsOf(response, reading),
    )
  }
  const text = await readText(response, reading.maxAnswerBytes)
  const body = text === undefined ? undefined : parsed(text)
  if (response.ok || (response.status === reading.alsoAnswer && body !== undefined && 'status' in body)) {
    if (body !== undefined) return body
    const what = text === undefined ? `is larger than ${reading.maxAnswerBytes} bytes` : 'is not a JSON object'
    throw new UnexpectedAnswerError(`The response ${what}`, factsOf(response, reading))
  }
  throw errorOf(response, body, reading)
}

/** Undefined if the body is too large; the rest is not read. */
async function readText(response: Response, maxBytes: number): Promise<string | undefined> {
  // No body, or a platform without streams, whose fetch can't be stopped halfway.
  if (!response.body) return response.text()
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      bytes += chunk.value.byteLength
      if (bytes > maxBytes) {
        await reader.cancel()
        return undefined
      }
      text += decoder.decode(chunk.value, { stream: true })
    }
  } catch (error) {
    throw new ConnectionError('The connection closed before the response was complete', { cause: error })
  }
  return text + decoder.decode()
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? fromWire(value) : undefined
  } catch (error) {
    // JSON.parse throws a SyntaxError, or a RangeError if the nesting is too deep.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined
    throw error
  }
}

function factsOf(response: Response, { nowMs }: Reading): ErrorFacts {
  return {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: readRetryAfter(response.headers.get('retry-after'), nowMs),
  }
}

interface Reported {
  readonly code: string
  readonly message: string
  readonly requestId?: string
  readonly details?: readonly Problem[]
}

function errorOf(response: Response, body: object | undefined, reading: Reading): KeepsakeError {
  const facts = factsOf(response, reading)
  const reported = body !== undefined && 'error' in body ? body.error : undefined
  if (isReported(reported)) {
    const { code, message, requestId = facts.requestId, details } = reported
    return errorWithCode(code, message, { ...facts, requestId, details })
  }
  const { status } = response
  const type = response.headers.get('content-type') ?? 'no content type'
  const message = `Status ${status} with a response that is not from Keepsake (${type.slice(0, 100)})`
  // A proxy answers for a service that it can't reach or that it protects.
  if (status === 429) return new RateLimitError(message, facts)
  if (status === 502 || status === 503 || status === 504) return new UnavailableError(message, facts)
  return new UnexpectedAnswerError(`${message}: is the url correct?`, facts)
}

function isReported(value: unknown): value is Reported {
  return (
    typeof value === 'object' &&
    value !== null &&
    'code' in value &&
    typeof value.code === 'string' &&
    'message' in value &&
    typeof value.message === 'string' &&
    (!('requestId' in value) || typeof value.requestId === 'string') &&
    (!('details' in value) || Array.isArray(value.details))
  )
}
