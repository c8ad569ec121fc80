/** Everything a call can fail with: one class a code. The service's message may be shown; it never has content or keys. */
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
  /** Of the answer; undefined where there was none. */
  readonly status: number | undefined
  /** Finds the request in the log of the service. */
  readonly requestId: string | undefined
  /** What is wrong with which field. A `path` names the field as it is on the wire: `user_id`, `metadata.tags[2]`. */
  readonly details: readonly Problem[] | undefined
  /** Seconds to wait before another try, where the service told. */
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

/** 400, 413 or 415: the request is not valid, and nothing was done. Also what can't be sent at all. */
export class ValidationError extends KeepsakeError {
  override readonly name = 'ValidationError'
  constructor(message: string, facts?: ErrorFacts) {
    super('validation_error', message, facts)
  }
}

/** 401: the key is missing, wrong or revoked. */
export class AuthenticationError extends KeepsakeError {
  override readonly name = 'AuthenticationError'
  constructor(message: string, facts?: ErrorFacts) {
    super('authentication_error', message, facts)
  }
}

/** 404: there is no such thing, or it is another user's. */
export class NotFoundError extends KeepsakeError {
  override readonly name = 'NotFoundError'
  constructor(message: string, facts?: ErrorFacts) {
    super('not_found', message, facts)
  }
}

/** 409: a store with the same idempotency key is still being worked on. */
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

/** 503, or a proxy's 502 or 504: overloaded, stopping, or its storage is away. */
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

/** No answer, or it broke off: nothing listens, the name is unknown, the connection was reset. */
export class ConnectionError extends KeepsakeError {
  override readonly name = 'ConnectionError'
  constructor(message: string, facts?: ErrorFacts) {
    super('connection_error', message, facts)
  }
}

/** The call took longer than `timeoutMs`. Whether the service did the work is not known. */
export class TimeoutError extends KeepsakeError {
  override readonly name = 'TimeoutError'
  constructor(message: string, facts?: ErrorFacts) {
    super('timeout', message, facts)
  }
}

/** An answer that is none of Keepsake's: a web page, a redirect, broken JSON, more bytes than allowed. */
export class UnexpectedAnswerError extends KeepsakeError {
  override readonly name = 'UnexpectedAnswerError'
  constructor(message: string, facts?: ErrorFacts) {
    super('unexpected_answer', message, facts)
  }
}

type ServiceCode = ErrorBody['code']

/** A code that the document has and this table lacks does not compile. */
const classes: Readonly<Record<ServiceCode, new (message: string, facts: ErrorFacts) => KeepsakeError>> = {
  validation_error: ValidationError,
  authentication_error: AuthenticationError,
  not_found: NotFoundError,
  conflict: ConflictError,
  rate_limit_exceeded: RateLimitError,
  unavailable: UnavailableError,
  internal_error: InternalError,
}

function isServiceCode(code: string): code is ServiceCode {
  return Object.hasOwn(classes, code)
}

/** A code of a newer service has no class yet, and is a plain `KeepsakeError`. */
export function errorWithCode(code: string, message: string, facts: ErrorFacts): KeepsakeError {
  return isServiceCode(code) ? new classes[code](message, facts) : new KeepsakeError(code, message, facts)
}
