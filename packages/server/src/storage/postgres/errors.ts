/** Translates errors of PostgreSQL and of the connection to it into errors of the service. */
import { ServiceError, unavailable } from '../../core/errors.js'

/** The SQLSTATE, or the code of a failed connection. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}

/** The database did not answer, or it asked to come back later: another connection would not help. */
const away = new Set([
  'CONNECT_TIMEOUT',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'ETIMEDOUT',
  '57P01',
  '57P02',
  '57P03',
])

export function isAway(error: unknown): boolean {
  return away.has(codeOf(error))
}

/** The connection is unusable, and work in progress on it may or may not have been done. */
export function hasLostConnection(error: unknown): boolean {
  const code = codeOf(error)
  return isAway(error) || code.startsWith('08') || code.startsWith('CONNECTION_') || lost.has(code)
}

const lost = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', '25P03', '57P05'])

/** Concurrent writes conflicted: the same call succeeds when it is retried. */
export function isWorthRetrying(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error))
}

/** SQLSTATEs, or classes of them, that are temporary, or that an operator can fix. */
const transient: readonly (readonly [prefix: string, problem: string])[] = [
  ['25006', 'the database is read-only'],
  ['28', 'the database rejects the credentials'],
  ['3D000', 'the database does not exist'],
  ['40001', 'too many concurrent writes'],
  ['40P01', 'too many concurrent writes'],
  ['53100', 'the disk is full'],
  ['53200', 'the database is out of memory'],
  ['53', 'the database is out of resources'],
  ['55P03', 'the database is busy'],
  ['57014', 'the database took too long'],
  ['58', 'the disk failed'],
]

/**
 * Makes an error safe to log. PostgreSQL's messages may quote stored content ("Failing row contains …"), and so may the
 * fields that the driver attaches, so only codes and names are kept.
 */
export function translate(error: unknown): Error {
  if (!(error instanceof Error) || error instanceof ServiceError || codeOf(error) === '') {
    return error instanceof Error ? error : new Error(String(error))
  }
  const code = codeOf(error)
  const problem = hasLostConnection(error)
    ? 'the database cannot be reached'
    : transient.find(([prefix]) => code.startsWith(prefix))?.[1]
  if (problem !== undefined) return withStack(unavailable(`Storage cannot answer now: ${problem}`, 5), error)
  const named = ['table_name', 'constraint_name', 'routine'].flatMap((name) =>
    name in error ? [String(error[name as keyof Error])] : [],
  )
  return withStack(new Error(`PostgreSQL refused a statement: ${[code, ...named].join(' ')}`), error)
}

function withStack<E extends Error>(translated: E, original: Error): E {
  // Only the frames: the first line is the message.
  const frames = original.stack?.split('\n').filter((line) => line.trimStart().startsWith('at ')) ?? []
  translated.stack = [`${translated.name}: ${translated.message}`, ...frames].join('\n')
  return translated
}
