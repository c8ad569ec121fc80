/** All errors that a call can throw, one class per code. Messages of the service are safe to show: they never contain content or keys. */
import type { ErrorBody, Problem } from './api-types.generated.js'

export interface ErrorFacts {
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly details?: readonly Problem[] | undefined
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

export class KeepsakeError extends Error {
  override readonly name: string = 'KeepsakeError'
  /** HTTP status of the response; undefined if there was none. */
  readonly status: number | undefined
  /** Identifies the request in the log of the service. */
  readonly requestId: string | undefined
  /** The invalid fields and what is wrong with them. `path` uses the field names of the API: `user_id`, `metadata.tags[2]`. */
  readonly details: readonly Problem[] | undefined
  /** Seconds to wait before retrying, if the service said so. */
  readonly retryAfter: number | undefined

  constructor(
    readonly code: string,
    message: string,
    facts: ErrorFacts = {},
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.status = facts.status
    this.requestId = facts.requestId
    this.details = facts.details
    this.retryAfter = facts.retryAfter
  }
}

/** 400, 403, 413 or 415: the request is invalid or not allowed, and nothing was done. Also thrown for requests that can't be sent at all. */
export class ValidationError extends KeepsakeError {
  override readonly name = 'ValidationError'
  constructor(message: string, facts?: ErrorFacts) {
    super('validation_error', message, facts)
  }
}

/** 401: the key is missing, wrong, revoked or expired. */
export class AuthenticationError extends KeepsakeError {
  override readonly name = 'AuthenticationError'
  constructor(message: string, facts?: ErrorFacts) {
    super('authentication_error', message, facts)
  }
}

/** 403: the key is limited, or the role in a space is too low. */
export class ForbiddenError extends KeepsakeError {
  override readonly name = 'ForbiddenError'
  constructor(message: string, facts?: ErrorFacts) {
    super('forbidden', message, facts)
  }
}

/** 404: it does not exist, or it belongs to another user. */
export class NotFoundError extends KeepsakeError {
  override readonly name = 'NotFoundError'
  constructor(message: string, facts?: ErrorFacts) {
    super('not_found', message, facts)
  }
}

/** 409: a store with the same idempotency key is still in progress, or an item has another version than expected. */
export class ConflictError extends KeepsakeError {
  override readonly name = 'ConflictError'
  constructor(message: string, facts?: ErrorFacts) {
    super('conflict', message, facts)
  }
}

/** 429: too many requests. */
export class RateLimitError extends KeepsakeError {
  override readonly name = 'RateLimitError'
  constructor(message: string, facts?: ErrorFacts) {
    super('rate_limit_exceeded', message, facts)
  }
}

/** 503, or 502 or 504 from a proxy: the service is overloaded or stopping, or its storage is unavailable. */
export class UnavailableError extends KeepsakeError {
  override readonly name = 'UnavailableError'
  constructor(message: string, facts?: ErrorFacts) {
    super('unavailable', message, facts)
  }
}

/** 500: the service failed. */
export class InternalError extends KeepsakeError {
  override readonly name = 'InternalError'
  constructor(message: string, facts?: ErrorFacts) {
    super('internal_error', message, facts)
  }
}

/** No response or an incomplete one: connection refused, unknown host, connection reset. */
export class ConnectionError extends KeepsakeError {
  override readonly name = 'ConnectionError'
  constructor(message: string, facts?: ErrorFacts) {
    super('connection_error', message, facts)
  }
}

/** The call took longer than `timeoutMs`. The service may or may not have processed it. */
export class TimeoutError extends KeepsakeError {
  override readonly name = 'TimeoutError'
  constructor(message: string, facts?: ErrorFacts) {
    super('timeout', message, facts)
  }
}

/** The response is not from Keepsake: a web page, a redirect, broken JSON, or more bytes than allowed. */
export class UnexpectedAnswerError extends KeepsakeError {
  override readonly name = 'UnexpectedAnswerError'
  constructor(message: string, facts?: ErrorFacts) {
    super('unexpected_answer', message, facts)
  }
}

type ServiceCode = ErrorBody['code']

/** If the API gains a code that is missing here, this does not compile. */
const classes: Readonly<Record<ServiceCode, new (message: string, facts: ErrorFacts) => KeepsakeError>> = {
  validation_error: ValidationError,
  authentication_error: AuthenticationError,
  forbidden: ForbiddenError,
  not_found: NotFoundError,
  conflict: ConflictError,
  rate_limit_exceeded: RateLimitError,
  unavailable: UnavailableError,
  internal_error: InternalError,
}

function isServiceCode(code: string): code is ServiceCode {
  return Object.hasOwn(classes, code)
}

/** An unknown code, from a newer service, becomes a plain `KeepsakeError`. */
export function errorWithCode(code: string, message: string, facts: ErrorFacts): KeepsakeError {
  return isServiceCode(code) ? new classes[code](message, facts) : new KeepsakeError(code, message, facts)
}
