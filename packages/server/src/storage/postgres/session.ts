/**
 * One transaction and the rows that it may touch: row-level security hides all other rows, even from a statement that forgot its
 * condition (see `layout.ts`).
 */
import { randomInt } from 'node:crypto'
import { invalid } from '../../core/errors.js'
import { isStorable } from '../domain/storable-text.js'
import type { ChangeMark } from '../ports/index-feed.js'
import type { StorageLimits } from '../ports/storage-limits.js'
import { numbering } from '../sql/placeholders.js'
import type { Session, Sight, UserKey, Value, VectorForms } from '../sql/session.js'
import { requireFreeRows, rowsPerUser } from '../sql/user-data.js'
import type { Answer, Connection } from './connection.js'
import { postgresDialect } from './dialect.js'
import { seeing } from './opening.js'
import { copiedSegments } from './segments.js'
import { postgresVectors } from './vectors.js'

/** Statements that were sent and not awaited yet. */
const mostInFlight = 64

/** A user's row numbers begin at a random multiple of `rowsPerUser` and stay below 2^53. */
const mostStarts = 2 ** 24

const numbered = numbering('$')

export class PostgresSession implements Session {
  readonly dialect = postgresDialect
  readonly vectors: VectorForms = postgresVectors(this)
  #inFlight: Promise<unknown>[] = []
  #firstFailure: unknown

  constructor(
    private readonly connection: Connection,
    readonly limits: StorageLimits,
  ) {}

  get epoch(): number | undefined {
    return this.connection.timeline
  }

  async get<Row>(sql: string, ...values: readonly Value[]): Promise<Row | undefined> {
    return (await this.#query<Row>(sql, values)).rows[0]
  }

  async all<Row>(sql: string, ...values: readonly Value[]): Promise<Row[]> {
    return [...(await this.#query<Row>(sql, values)).rows]
  }

  async run(sql: string, ...values: readonly Value[]): Promise<number> {
    return (await this.#query(sql, values)).count
  }

  async send(sql: string, ...values: readonly Value[]): Promise<void> {
    const sent = this.#query(sql, values)
    sent.catch(() => undefined)
    this.#inFlight.push(sent)
    if (this.#inFlight.length >= mostInFlight) await this.settled()
  }

  async settled(): Promise<void> {
    await Promise.all(this.#inFlight.splice(0))
  }

  /** The first failure caused those after it. */
  reasonOf(error: unknown): unknown {
    return this.#firstFailure ?? error
  }

  /** Returns the id without a query: the statements that follow show whether the user has rows. */
  async findUser(userId: string): Promise<string | undefined> {
    return isStorable(userId) ? userId : undefined
  }

  async createUser(userId: string, taken: number): Promise<string | undefined> {
    requireFreeRows(taken)
    const made = await this.run(
      'INSERT INTO users (user_id, revision, next_row, memories) VALUES (?, 0, ?, 0) ON CONFLICT DO NOTHING',
      userId,
      randomInt(1, mostStarts) * rowsPerUser + taken,
    )
    return made === 0 ? undefined : userId
  }

  async lockName(name: string): Promise<void> {
    await this.get('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', name)
  }

  async databaseBytes(): Promise<number> {
    return (await this.get<{ bytes: number }>('SELECT keepsake_bytes() AS bytes'))?.bytes ?? 0
  }

  async see(sight: Sight): Promise<void> {
    try {
      await this.connection.query(seeing(sight))
    } catch (error) {
      // Here and not by the caller: the next statement may fail in the same moment, and must not be the first to be noted.
      this.#firstFailure ??= error
      throw error
    }
  }

  /** Not awaited, like `send`: the statements that follow run after it, and fail if it fails. */
  async actAs(user: UserKey): Promise<void> {
    const seen = this.see({ kind: 'user', userId: String(user) })
    seen.catch(() => undefined)
    this.#inFlight.push(seen)
    if (this.#inFlight.length >= mostInFlight) await this.settled()
  }

  async segmentBytes(user: UserKey, marks: readonly ChangeMark[]): Promise<Uint8Array[]> {
    try {
      return await copiedSegments((sql) => this.connection.copyOut(sql), user, marks)
    } catch (error) {
      this.#firstFailure ??= error
      throw error
    }
  }

  async #query<Row>(sql: string, values: readonly Value[]): Promise<Answer<Row>> {
    for (const value of values) {
      // PostgreSQL refuses a statement whose text contains a NUL.
      if (typeof value === 'string' && value.includes('\0')) throw invalid('', 'must not contain the NUL character')
    }
    try {
      return await this.connection.query<Row>(numbered(sql), values)
    } catch (error) {
      this.#firstFailure ??= error
      throw error
    }
  }
}
