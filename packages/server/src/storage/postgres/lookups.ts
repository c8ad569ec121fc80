/**
 * Reads that make no decision between their statements. A recall consists of them, so each is one message to PostgreSQL and one
 * answer: the transaction begins, sees one scope, executes prepared statements and ends. Sent one by one, each of these steps would
 * cost both sides about as much as the read itself.
 */
import { createHash } from 'node:crypto'
import type { UserScope } from '../../core/scope.js'
import { numbering } from '../sql/placeholders.js'
import type { Value } from '../sql/session.js'
import type { Connection } from './connection.js'
import { codeOf, hasLostConnection } from './errors.js'
import { literalOf } from './literal.js'
import { opening } from './opening.js'

/** `@user` in the text is the last value. */
export interface Lookup {
  readonly sql: string
  readonly values: readonly Value[]
}

/** The caller states the row types; no driver can check them. */
export type LookUp = <Rows extends readonly (readonly object[])[]>(
  scope: UserScope,
  ...lookups: { readonly [Index in keyof Rows]: Lookup }
) => Promise<Rows>

const numbered = numbering('$')

/** The connection does not have the statement, because something between here and PostgreSQL shares its connections. */
const isUnknown = '26000'
const isAlreadyPrepared = '42P05'
/** The tables have changed since it was prepared. */
const isOutOfDate = '0A000'

export class Lookups {
  readonly #names = new Map<string, string>()
  readonly #prepared = new WeakMap<Connection, Set<string>>()
  #isPossible = true

  /** False once a connection has lost its statements. */
  get isPossible(): boolean {
    return this.#isPossible
  }

  async run(
    connection: Connection,
    scope: UserScope,
    lookups: readonly Lookup[],
  ): Promise<readonly (readonly object[])[]> {
    const executed = lookups.map(({ sql, values }) => `EXECUTE ${this.#nameOf(sql)}${argumentsOf(values)}`)
    const prepared = lookups.map(({ sql }) => this.#prepare(connection, sql))
    try {
      // Sent together, and answered in this order.
      const message = `${opening('read', scope)};${executed.join(';')};COMMIT`
      const [{ rows: answers }] = await Promise.all([connection.query<readonly object[]>(message), ...prepared])
      // The statements without rows are answered before the first rows.
      return answers.slice(1)
    } catch (error) {
      await Promise.allSettled(prepared)
      if (!connection.isDead && !hasLostConnection(error)) await connection.query('ROLLBACK')
      throw error
    }
  }

  /** Whether the same read succeeds in an ordinary transaction. */
  isUnsuited(error: unknown): boolean {
    if (codeOf(error) === isUnknown) this.#isPossible = false
    return [isUnknown, isOutOfDate].includes(codeOf(error))
  }

  /** From the text, so that one name never means two statements, even on a connection that others use too. */
  #nameOf(sql: string): string {
    const known = this.#names.get(sql)
    if (known !== undefined) return known
    const name = `keepsake_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`
    this.#names.set(sql, name)
    return name
  }

  async #prepare(connection: Connection, sql: string): Promise<void> {
    const known = this.#prepared.get(connection) ?? new Set()
    this.#prepared.set(connection, known)
    if (known.has(sql)) return
    known.add(sql)
    try {
      await connection.query(`PREPARE ${this.#nameOf(sql)} AS ${numbered(sql)}`)
    } catch (error) {
      if (codeOf(error) === isAlreadyPrepared) return
      known.delete(sql)
      throw error
    }
  }
}

function argumentsOf(values: readonly Value[]): string {
  return values.length === 0 ? '' : `(${values.map(literalOf).join(',')})`
}
