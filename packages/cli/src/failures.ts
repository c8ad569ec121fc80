/** Maps an error to an exit code and one line of text. */
import {
  AuthenticationError,
  ConnectionError,
  ForbiddenError,
  KeepsakeError,
  NotFoundError,
  RateLimitError,
  TimeoutError,
  UnavailableError,
  ValidationError,
} from '@keepsake/client'
import { exitCodes, UsageError } from './command.js'
import { oneLine } from './terminal-text.js'

export interface Failure {
  readonly code: number
  readonly line: string
}

/** Undefined for a bug of our own, which needs a stack trace. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof KeepsakeError) return { code: codeOf(error), line: oneLine(lineOf(error)) }
  return isOperators(error) ? { code: exitCodes.unusable, line: oneLine(error.message) } : undefined
}

/** Errors the caller can fix: wrong usage, file system errors (which have a `syscall`), and errors marked with `operatorMessage`. */
function isOperators(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const isBadOption = 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  return error instanceof UsageError || isBadOption || 'syscall' in error || 'operatorMessage' in error
}

function codeOf(error: KeepsakeError): number {
  if (error instanceof AuthenticationError || error instanceof ForbiddenError) return exitCodes.refused
  if (error instanceof NotFoundError) return exitCodes.notFound
  if (error instanceof RateLimitError) return exitCodes.limited
  if (error instanceof ConnectionError || error instanceof TimeoutError || error instanceof UnavailableError)
    return exitCodes.unreachable
  if (!(error instanceof ValidationError)) return exitCodes.failed
  return isProtection(error) ? exitCodes.refused : exitCodes.unusable
}

/** Only a refusal by content protection has a trust score or kinds of secrets; every other validation error is an invalid value. */
function isProtection({ details }: KeepsakeError): boolean {
  return details?.some((detail) => 'trustScore' in detail || 'trust_score' in detail || 'kinds' in detail) ?? false
}

function lineOf(error: KeepsakeError): string {
  const details = (error.details ?? [])
    .slice(0, 3)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  // The message of the service repeats the first problem.
  const isRepeated = details[0] !== undefined && error.message.startsWith(details[0])
  const more = (error.details?.length ?? 0) - details.length
  const rest = isRepeated && more > 0 ? [`and ${more} more`] : []
  const what = [isRepeated ? '' : error.message, ...details, ...rest].filter((text) => text !== '').join('; ')
  const next = hintOf(error)
  const request = error.requestId === undefined ? '' : ` [request ${error.requestId}]`
  return `${what}${next === undefined ? '' : ` (${next})`}${request}`
}

function hintOf(error: KeepsakeError): string | undefined {
  if (error instanceof ConnectionError) return 'is it running? Start it with keepsake serve, or run keepsake doctor'
  if (error instanceof TimeoutError) return 'raise --timeout, or run keepsake doctor'
  if (error instanceof UnavailableError) return 'run keepsake doctor for details'
  if (error instanceof AuthenticationError) return 'set KEEPSAKE_API_KEY; create a key with keepsake keys create'
  if (error instanceof ForbiddenError && error.details?.some(({ path }) => path === 'space'))
    return 'an owner of the space can change the role: keepsake spaces grant'
  if (error instanceof ForbiddenError) return 'use a key without this limit; keepsake keys list shows what a key allows'
  if (error instanceof RateLimitError)
    return error.retryAfter === undefined ? 'try again later' : `try again in ${error.retryAfter} s`
  if (error.details?.some(({ path }) => path === 'user_id')) return 'name the user with --user or KEEPSAKE_USER'
  return undefined
}
