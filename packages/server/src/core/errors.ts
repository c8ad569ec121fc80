/**
 * Every way in which a request can fail, as data. `core` names the codes; only `http/` turns a status into a response.
 * A code may have another status in special cases (405, 413, 415).
 */
export const errorTable = {
  validation_error: { status: 400, meaning: 'The request is not valid' },
  authentication_error: { status: 401, meaning: 'The API key is missing or invalid' },
  forbidden: { status: 403, meaning: 'The API key does not allow this' },
  not_found: { status: 404, meaning: 'There is no such resource' },
  conflict: { status: 409, meaning: 'The same request is still in progress, or the item has another version' },
  rate_limit_exceeded: { status: 429, meaning: 'Too many requests' },
  internal_error: { status: 500, meaning: 'The server failed; look up the request id in its log' },
  unavailable: { status: 503, meaning: 'The service cannot answer now; try again later' },
} as const

export type ErrorCode = keyof typeof errorTable

export interface FieldProblem {
  /** Dotted path of the field, such as `metadata.tags[2]`; empty for the whole body. */
  readonly path: string
  readonly message: string
  readonly [extra: string]: unknown
}

/** An error whose message may be sent to the caller. Any other error becomes an `internal_error`. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details?: readonly FieldProblem[],
    /** 413 and 415 share a code with 400, and 405 with 404. */
    readonly status: number = errorTable[code].status,
    readonly retryAfterSeconds?: number,
  ) {
    super(message)
  }
}

export function invalid(path: string, message: string): ServiceError {
  return new ServiceError('validation_error', path ? `${path}: ${message}` : message, [{ path, message }])
}

export function notFound(what: string): ServiceError {
  return new ServiceError('not_found', `${what} not found`)
}

export function unavailable(message: string, retryAfterSeconds = 1): ServiceError {
  return new ServiceError('unavailable', message, undefined, undefined, retryAfterSeconds)
}

/** Anything can be thrown. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
