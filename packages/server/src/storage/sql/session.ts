/**
 * One transaction, as the code in this folder sees it. Each engine implements it: PostgreSQL over a connection, SQLite over the
 * connection that a thread owns.
 *
 * - `?` is a value and is always bound. An array binds as one value: see `Dialect.among` and `Dialect.rows`.
 * - On SQLite every promise here is already resolved, so a transaction runs to its end before the thread reads its next message.
 *   Never await anything else inside an operation, or a group commit would no longer be atomic.
 */
import type { Scope } from '../../core/scope.js'
import type { ChangeMark } from '../ports/index-feed.js'
import type { StorageLimits } from '../ports/storage-limits.js'
import type { Dialect } from './dialect.js'

export type Value = string | number | boolean | null | Uint8Array | readonly string[] | readonly number[]

/** The value of the column `user_id`: the id itself on PostgreSQL, a number on SQLite. */
export type UserKey = string | number

export interface Session {
  readonly dialect: Dialect
  readonly vectors: VectorForms
  readonly limits: StorageLimits
  /**
   * Changes if the engine may have gone back to an earlier state, because another host took over. Known after the first answer.
   */
  readonly epoch?: number | undefined
  /** The caller states the row type; no driver can check it. */
  get<Row>(sql: string, ...values: readonly Value[]): Promise<Row | undefined>
  all<Row>(sql: string, ...values: readonly Value[]): Promise<Row[]>
  /** Returns the number of changed rows. */
  run(sql: string, ...values: readonly Value[]): Promise<number>
  /**
   * Sends a change whose result is not needed. The next statement may be sent before this one is answered, but runs after it. A
   * failure surfaces at the end of the transaction at the latest.
   */
  send(sql: string, ...values: readonly Value[]): Promise<void>
  /** Undefined: there is no such user, or the id is invalid. */
  findUser(userId: string): Promise<UserKey | undefined>
  /** Creates the user's row with the first `taken` row numbers in use. Undefined: the user already exists. */
  createUser(userId: string, taken: number): Promise<UserKey | undefined>
  /** Waits for other transactions that hold a lock on this name, and holds it until this one ends. */
  lockName(name: string): Promise<void>
  /** The bytes of the segments of the index that begin at these marks, which exist, in order. */
  segmentBytes(user: UserKey, marks: readonly ChangeMark[]): Promise<Uint8Array[]>
  /** Size of the whole database on disk. */
  databaseBytes(): Promise<number>
  /** From now on the transaction sees only this user's rows, if the engine enforces that itself. */
  actAs(user: UserKey): Promise<void>
}

/**
 * A read or a write of the store: one transaction as a function. Only its name and its arguments are sent to the thread that owns
 * a SQLite connection, so every operation is listed in `sqlite/operations.ts`.
 */
type Operation<Args extends readonly unknown[], Result> = (session: Session, ...args: Args) => Promise<Result>

/** Runs one transaction. Code that needs several transactions takes one of these as a parameter. */
export type Transact = <Args extends readonly unknown[], Result>(
  sight: Sight,
  operation: Operation<Args, Result>,
  ...args: Args
) => Promise<Result>

/**
 * The rows that a transaction may see: those of a scope; API keys, whose user is unknown until they are verified; or totals over
 * everyone.
 */
export type Sight = Scope | 'keys' | 'totals'

/** Stores vectors in the form that each engine reads fastest: `vector` and `bytea` on PostgreSQL, two blobs on SQLite. */
export interface VectorForms {
  /** Writes vectors, replacing existing ones. */
  write(user: UserKey, vectors: readonly VersionVector[]): Promise<void>
  /** Copies the vectors of version `from` to version `to`. */
  carry(user: UserKey, from: number, to: number): Promise<void>
  /** The vectors of these versions, by row. */
  read(user: UserKey, rows: readonly number[]): Promise<Map<number, Float32Array>>
}

interface VersionVector {
  readonly row: number
  readonly vector: Float32Array
}
