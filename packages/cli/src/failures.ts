/** What went wrong, as an exit code and one line. */
import {
  AuthenticationError,
  ConnectionError,
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

/** Undefined: it is our own fault, and its stack is wanted. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof KeepsakeError) return { code: codeOf(error), line: oneLine(lineOf(error)) }
  return isOperators(error) ? { code: exitCodes.unusable, line: oneLine(error.message) } : undefined
}

/** What the caller can mend: a wrong call, the system's refusal of a file, which has a `syscall`, and what the service's parts say of themselves. */
function isOperators(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const isBadOption = 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  return error instanceof UsageError || isBadOption || 'syscall' in error || 'operatorMessage' in error
}

function codeOf(error: KeepsakeError): number {
  if (error instanceof AuthenticationError) return exitCodes.refused
  if (error instanceof NotFoundError) return exitCodes.notFound
  if (error instanceof RateLimitError) return exitCodes.limited
  if (error instanceof ConnectionError || error instanceof TimeoutError || error instanceof UnavailableError)
    return exitCodes.unreachable
  if (!(error instanceof ValidationError)) return exitCodes.failed
  return isProtection(error) ? exitCodes.refused : exitCodes.unusable
}

/** A refusal by content protection names the trust score; all else is a value that is not valid. */
function isProtection({ details }: KeepsakeError): boolean {
  return details?.some((detail) => 'trustScore' in detail || 'trust_score' in detail) ?? false
}

function lineOf(error: KeepsakeError): string {
  const details = (error.details ?? [])
    .slice(0, 3)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  const what = [error.message, ...details].filter((text) => text !== '').join('; ')
  const next = hintOf(error)
  const request = error.requestId === undefined ? '' : ` [request ${error.requestId}]`
  return `${what}${next === undefined ? '' : ` (${next})`}${request}`
}

function hintOf(error: KeepsakeError): string | undefined {
  if (error instanceof ConnectionError) return 'is it running? keepsake serve starts it, keepsake doctor looks closer'
  if (error instanceof TimeoutError) return '--timeout waits longer, keepsake doctor looks closer'
  if (error instanceof UnavailableError) return 'keepsake doctor looks closer'
  if (error instanceof AuthenticationError) return 'KEEPSAKE_API_KEY; keepsake keys create makes a key'
  if (error instanceof RateLimitError)
    return error.retryAfter === undefined ? 'later again' : `again in ${error.retryAfter} s`
  if (error.details?.some(({ path }) => path === 'user_id')) return 'whose memories? --user or KEEPSAKE_USER'
  return undefined
}
