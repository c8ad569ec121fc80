/** Errors of an engine that cannot do its work, worded alike for every engine. */
import { type ServiceError, unavailable } from '../../core/errors.js'

/** Causes that are temporary, or that an operator can fix. */
export const problems = {
  away: 'the database cannot be reached',
  busy: 'the database is busy',
  conflict: 'too many concurrent writes',
  credentials: 'the database rejects the credentials',
  diskFailed: 'the disk failed',
  diskFull: 'the disk is full',
  memory: 'the database is out of memory',
  missing: 'the database does not exist',
  moved: 'the database has moved to another host',
  noPrimary: 'no host of the database is its primary',
  notReplicated: 'no standby of the database has confirmed the write',
  readOnly: 'the database is read-only',
  resources: 'the database is out of resources',
  severalClusters: 'the hosts of the database are not one cluster',
  severalPrimaries: 'several hosts of the database accept writes',
  slow: 'the database took too long',
  unreadable: 'the database file cannot be opened',
} as const

const prefix = 'Storage cannot answer now: '

export function cannotAnswer(problem: keyof typeof problems, retryAfterSeconds = 5): ServiceError {
  return unavailable(`${prefix}${problems[problem]}`, retryAfterSeconds)
}

/** The problem that an error of `cannotAnswer` states; undefined for any other error. */
export function reasonOf({ message }: Error): string | undefined {
  return message.startsWith(prefix) ? message.slice(prefix.length) : undefined
}

export function isClosed(): ServiceError {
  return unavailable('Storage is closed')
}

export function tooManyWaiting(): ServiceError {
  return unavailable('Storage has too many calls waiting')
}

/** For a store with a newer schema than this release knows. */
export function newerSchema(where: string, schema: number, known: number): string {
  return `${where} was written by a newer Keepsake (schema ${schema}, this one knows ${known}): start that release, or restore a backup`
}
