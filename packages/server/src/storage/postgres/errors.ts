/** What PostgreSQL and the way to it answer with, as errors of the service. */
import { ServiceError, unavailable } from '../../core/errors.js'

/** SQLSTATE, or the code of a failed connection. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}

/** Nobody answered, or somebody who says to come back later: there is no point in asking on another connection. */
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

/** Of no further use: what was under way on it may or may not have been done. */
export function hasLostConnection(error: unknown): boolean {
  const code = codeOf(error)
  return isAway(error) || code.startsWith('08') || code.startsWith('CONNECTION_') || lost.has(code)
}

const lost = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', '25P03', '57P05'])

/** Others wrote at the same moment; the same again succeeds. */
export function isWorthRetrying(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error))
}

/** SQLSTATEs, or classes of them, that pass, or that an operator can mend. */
const transient: readonly (readonly [prefix: string, problem: string])[] = [
  ['25006', 'the database can be read only'],
  ['28', 'the database refuses the credentials'],
  ['3D000', 'the database does not exist'],
  ['40001', 'too many wrote at once'],
  ['40P01', 'too many wrote at once'],
  ['53100', 'the disk is full'],
  ['53200', 'the database is out of memory'],
  ['53', 'the database has no room for more'],
  ['55P03', 'the database is busy'],
  ['57014', 'the database took too long'],
  ['58', 'the disk failed'],
]

/**
 * What may be logged: PostgreSQL's own words may quote what was stored ("Failing row contains …"), and so may what the
 * driver attaches, so nothing of them is kept but codes and names.
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
  // The first line is the message; the frames tell where.
  const frames = original.stack?.split('\n').filter((line) => line.trimStart().startsWith('at ')) ?? []
  translated.stack = [`${translated.name}: ${translated.message}`, ...frames].join('\n')
  return translated
}
