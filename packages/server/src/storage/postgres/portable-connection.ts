/** Shared by export and import: a connection without time limits, and errors worded for the operator. */
import { hasRecordsAlready, PortableRefused } from '../ports/portable.js'
import { codeOf, translate } from './errors.js'

/** No statement is cancelled for taking too long. */
export const patient = { connectTimeoutMs: 5_000, statementTimeoutMs: 0, graceMs: 0 }

/** SQLSTATEs of violated unique and foreign keys. */
const problems = new Map([
  ['23505', hasRecordsAlready],
  ['23503', 'a record refers to another that does not exist'],
])

/** Never uses the database's own message, which may quote stored text. */
export function refusal(error: unknown): PortableRefused {
  if (error instanceof PortableRefused) return error
  const { message } = translate(error)
  const problem = problems.get(codeOf(error))
  return new PortableRefused(problem === undefined ? message : `${problem}: ${message}`, { cause: error })
}
