/** What an export and an import share: a connection without time limits, and failures in words for the operator. */
import { hasRecordsAlready, PortableRefused } from '../ports/portable.js'
import { codeOf, translate } from './errors.js'

/** No statement is cancelled for taking long. */
export const patient = { connectTimeoutMs: 5_000, statementTimeoutMs: 0, graceMs: 0 }

/** SQLSTATEs of unique and foreign keys. */
const problems = new Map([
  ['23505', hasRecordsAlready],
  ['23503', 'a record names another that is not there'],
])

/** Never in the database's own words, which may quote stored text. */
export function refusal(error: unknown): PortableRefused {
  if (error instanceof PortableRefused) return error
  const { message } = translate(error)
  const problem = problems.get(codeOf(error))
  return new PortableRefused(problem === undefined ? message : `${problem}: ${message}`, { cause: error })
}
