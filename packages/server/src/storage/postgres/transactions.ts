/** Every call is one transaction: it reads one snapshot, and is retried if it conflicts with another write. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { StorageLimits } from '../ports/storage-limits.js'
import { cannotAnswer, isClosed } from '../sql/refusals.js'
import type { Sight } from '../sql/session.js'
import type { Connection } from './connection.js'
import { hasLostConnection, isWorthRetrying, translate } from './errors.js'
import type { Pool } from './pool.js'
import { PostgresSession } from './session.js'
import { UserTurns } from './user-turns.js'

export type Mode = 'read' | 'write'

const begin = { read: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', write: 'BEGIN' } as const

const attempts = 5
const firstWaitMs = 5

const mostWaiting = 1_000

export class Transactions {
  readonly #turns = new UserTurns(mostWaiting)
  #closing: Promise<void> | undefined

  constructor(
    private readonly pool: Pool<Connection>,
    private readonly limits: StorageLimits,
  ) {}

  async run<T>(mode: Mode, sight: Sight, work: (session: PostgresSession) => Promise<T>): Promise<T> {
    if (this.#closing) throw isClosed()
    const attempt = () => this.#attempt(mode, sight, work)
    const isOwn = mode === 'write' && typeof sight !== 'string' && sight.kind === 'user'
    return isOwn ? this.#turns.run(sight.userId, attempt) : attempt()
  }

  /** Finishes calls in flight and waiting calls first. */
  close(): Promise<void> {
    this.#closing ??= this.#turns.drained().then(() => this.pool.close())
    return this.#closing
  }

  async #attempt<T>(mode: Mode, sight: Sight, work: (session: PostgresSession) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.pool.use((connection) =>
          transaction(new PostgresSession(connection, this.limits), connection, mode, sight, work),
        )
      } catch (error) {
        if (!isWorthRetrying(error)) throw translate(error)
        if (attempt === attempts) throw cannotAnswer('conflict', 1)
        // Random, so that the two transactions do not collide again.
        await sleep(firstWaitMs * 2 ** attempt * Math.random())
      }
    }
  }
}

export async function transaction<T>(
  session: PostgresSession,
  connection: Connection,
  mode: Mode,
  sight: Sight,
  work: (session: PostgresSession) => Promise<T>,
): Promise<T> {
  // Sent together with the first statement of the work, and executed before it.
  const opened = Promise.all([connection.query(begin[mode]), session.see(sight)])
  opened.catch(() => undefined)
  try {
    const result = await work(session)
    await Promise.all([opened, session.settled()])
    await connection.query('COMMIT')
    return result
  } catch (error) {
    const reason: unknown = await opened.then(
      () => session.reasonOf(error),
      (first: unknown) => first,
    )
    if (!connection.isDead && !hasLostConnection(reason)) await connection.query('ROLLBACK')
    throw reason
  }
}
