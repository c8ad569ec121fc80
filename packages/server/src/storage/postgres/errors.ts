/** Translates errors of PostgreSQL and of the connection to it into errors of the service. */
import { asError, ServiceError } from '../../core/errors.js'
import { cannotAnswer, type problems } from '../sql/refusals.js'

/** The SQLSTATE, or the code of a failed connection. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}

/** The database did not answer, or is temporarily unable to: another connection would not help. */
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
  'NO_PRIMARY',
  'NO_STANDBY',
  'SEVERAL_PRIMARIES',
  'SEVERAL_CLUSTERS',
])

/** Why no connection can be opened, where the URL names several hosts. */
const unfound: ReadonlyMap<string, keyof typeof problems> = new Map([
  ['NO_PRIMARY', 'noPrimary'],
  ['SEVERAL_PRIMARIES', 'severalPrimaries'],
  ['SEVERAL_CLUSTERS', 'severalClusters'],
])

export function awayProblem(error: unknown): keyof typeof problems {
  return unfound.get(codeOf(error)) ?? 'away'
}

export function isAway(error: unknown): boolean {
  return away.has(codeOf(error))
}

/** The connection is unusable. Work in progress on it may or may not have been done. */
export function hasLostConnection(error: unknown): boolean {
  const code = codeOf(error)
  return isAway(error) || code.startsWith('08') || code.startsWith('CONNECTION_') || lost.has(code) || isOfWorker(error)
}

/** Citus has no code for a worker that stopped answering: only the names of its routines tell. The worker may have committed. */
function isOfWorker(error: unknown): boolean {
  if (codeOf(error) !== 'XX000' || !(error instanceof Error) || !('routine' in error)) return false
  return workerRoutines.has(String(error.routine))
}

const workerRoutines = new Set([
  'ReportResultError',
  'HandleRemoteTransactionConnectionError',
  'CheckRemoteTransactionsHealth',
  'MarkRemoteTransactionFailed',
  'FinishRemoteTransactionPrepare',
  'ErrorIfPostCommitFailedShardPlacements',
])

const lost = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', '25P03', '57P05'])

/** Concurrent writes conflicted: the same call succeeds when it is retried. */
export function isWorthRetrying(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error))
}

/** SQLSTATEs, or classes of them, that are temporary, or that an operator can fix. */
const transient: readonly (readonly [prefix: string, problem: keyof typeof problems])[] = [
  ['25006', 'readOnly'],
  ['28', 'credentials'],
  ['3D000', 'missing'],
  ['40001', 'conflict'],
  ['40P01', 'conflict'],
  ['53100', 'diskFull'],
  ['53200', 'memory'],
  ['53', 'resources'],
  ['55P03', 'busy'],
  ['57014', 'slow'],
  ['58', 'diskFailed'],
  ['NOT_REPLICATED', 'notReplicated'],
]

/**
 * Makes an error safe to log. PostgreSQL's messages may quote stored content ("Failing row contains …"), and so may the
 * fields that the driver attaches, so only codes and names are kept.
 */
export function translate(error: unknown): Error {
  if (!(error instanceof Error) || error instanceof ServiceError || codeOf(error) === '') {
    return asError(error)
  }
  const code = codeOf(error)
  const problem = hasLostConnection(error)
    ? awayProblem(error)
    : transient.find(([prefix]) => code.startsWith(prefix))?.[1]
  if (problem !== undefined) return withStack(cannotAnswer(problem), error)
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
