/**
 * One transaction, as every statement in this folder sees it. An engine implements it: PostgreSQL over a connection, SQLite
 * over the connection that a thread owns.
 *
 * - `?` is a value and is always bound. An array binds as one value: see `Dialect.among` and `Dialect.rows`.
 * - On SQLite every promise here is resolved already, so a transaction runs to its end before the thread reads its next
 *   message. Never await anything else inside an operation, or a group commit would no longer be atomic.
 */
import type { Scope } from '../../core/scope.js'
import type { Dialect } from './dialect.js'

export type Value = string | number | boolean | null | Uint8Array | readonly string[] | readonly number[]

/** What the column `user_id` holds: PostgreSQL keeps the id itself, SQLite a number for it. */
export type UserKey = string | number

export interface Session {
  readonly dialect: Dialect
  readonly vectors: VectorForms
  /** `Row` is the caller's claim about what the statement selects: no driver can check it. */
  get<Row>(sql: string, ...values: readonly Value[]): Promise<Row | undefined>
  all<Row>(sql: string, ...values: readonly Value[]): Promise<Row[]>
  /** Number of rows changed. */
  run(sql: string, ...values: readonly Value[]): Promise<number>
  /**
   * A change whose outcome nobody looks at. The next statement may be sent before this one is answered, and still runs after it.
   * A failure surfaces at the latest at the end of the transaction.
   */
  send(sql: string, ...values: readonly Value[]): Promise<void>
  /** Undefined: there is no such user, or cannot be one. */
  findUser(userId: string): Promise<UserKey | undefined>
  /** Creates the user's row with the first `taken` row numbers in use. Undefined: the user exists already. */
  createUser(userId: string, taken: number): Promise<UserKey | undefined>
  /** Waits for other transactions that hold the same name, and holds it until this one ends. */
  lockName(name: string): Promise<void>
  /** Size of the whole database on disk. */
  databaseBytes(): Promise<number>
  /** From here on the transaction sees only this user's rows, where the engine enforces that itself. */
  actAs(user: UserKey): Promise<void>
}

/**
 * A read or a write of the store: one transaction, given as a function. Only its name and its arguments cross into the thread
 * that owns a SQLite connection, so every operation is listed in `sqlite/operations.ts`.
 */
type Operation<Args extends readonly unknown[], Result> = (session: Session, ...args: Args) => Promise<Result>

/** Runs one transaction. Work of several transactions takes one of these. */
export type Transact = <Args extends readonly unknown[], Result>(
  sight: Sight,
  operation: Operation<Args, Result>,
  ...args: Args
) => Promise<Result>

/** Whose rows a transaction may see: a scope's; the keys, which have no owner until one has been shown; totals over everyone. */
export type Sight = Scope | 'keys' | 'totals'

/** Vectors of versions, stored as each engine reads them fastest: `vector` and `bytea` on PostgreSQL, two blobs on SQLite. */
export interface VectorForms {
  /** Replaces the vectors of versions that have any. */
  write(user: UserKey, vectors: readonly VersionVector[]): Promise<void>
  /** Gives the version `to` the vectors of the version `from`. */
  carry(user: UserKey, from: number, to: number): Promise<void>
  /** The vectors of these versions, by row. */
  read(user: UserKey, rows: readonly number[]): Promise<Map<number, Float32Array>>
}

interface VersionVector {
  readonly row: number
  readonly vector: Float32Array
}
