/** Translates SQLite's errors into errors of the service. */
import { cannotAnswer, type problems } from '../sql/refusals.js'

/** Primary result codes (https://www.sqlite.org/rescode.html). */
const transient: Readonly<Record<number, keyof typeof problems>> = {
  5: 'busy',
  6: 'busy',
  7: 'memory',
  8: 'readOnly',
  10: 'diskFailed',
  13: 'diskFull',
  14: 'unreadable',
}

export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  return error.errcode & 0xff
}

export function translateSqlite(error: Error): Error {
  const problem = transient[sqliteCode(error) ?? -1]
  if (problem === undefined) return error
  const translated = cannotAnswer(problem)
  if (error.stack !== undefined) translated.stack = error.stack
  return translated
}
