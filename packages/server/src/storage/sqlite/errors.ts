/** What SQLite fails with, as errors of the service. */
import { unavailable } from '../../core/errors.js'

/** Primary result codes (https://www.sqlite.org/rescode.html) that are temporary, or that an operator can fix. */
const transient = new Map<number, string>([
  [5, 'the database is busy'],
  [6, 'the database is busy'],
  [7, 'the database is out of memory'],
  [8, 'the database is read-only'],
  [10, 'the disk failed'],
  [13, 'the disk is full'],
  [14, 'the database file cannot be opened'],
])

export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  return error.errcode & 0xff
}

export function translateSqlite(error: Error): Error {
  const problem = transient.get(sqliteCode(error) ?? -1)
  if (problem === undefined) return error
  const translated = unavailable(`Storage cannot answer now: ${problem}`, 5)
  if (error.stack !== undefined) translated.stack = error.stack
  return translated
}
