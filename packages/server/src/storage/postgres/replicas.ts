/**
 * Reads from standbys. A read first asks the primary how far its log reaches, and uses a standby only if that one has replayed all
 * of it: whatever any instance had committed before the read began is then visible there. Otherwise the primary answers.
 */
import type { StorageLimits } from '../ports/storage-limits.js'
import type { Sight } from '../sql/session.js'
import type { Connection } from './connection.js'
import type { Pool } from './pool.js'
import { PostgresSession } from './session.js'
import { transaction } from './transactions.js'

/** Before the transaction, whose snapshot might otherwise be older than the answer. */
const isFresh = 'SELECT pg_is_in_recovery() AND coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) AS fresh'

export class Replicas {
  readonly #positions: SharedQuestion<string>

  constructor(
    primary: Pick<Pool<Connection>, 'use'>,
    private readonly standbys: Pool<Connection>,
    private readonly limits: StorageLimits,
  ) {
    this.#positions = new SharedQuestion(() => primary.use(positionOf))
  }

  /** Undefined: no standby could answer. Then the primary is asked, and its error is the one that counts. */
  async read<T>(
    sight: Sight,
    work: (session: PostgresSession) => Promise<T>,
  ): Promise<{ readonly result: T } | undefined> {
    try {
      // Without a standby this fails before the primary is asked.
      return await this.standbys.use(async (connection) => {
        const position = await this.#positions.ask()
        const { rows } = await connection.query<{ fresh: boolean }>(isFresh, [position])
        if (!rows[0]?.fresh) return undefined
        const session = new PostgresSession(connection, this.limits)
        return { result: await transaction(session, connection, 'read', sight, work) }
      })
    } catch {
      return undefined
    }
  }

  close(): Promise<void> {
    return this.standbys.close()
  }
}

async function positionOf(connection: Connection): Promise<string> {
  const { rows } = await connection.query<{ position: string }>('SELECT pg_current_wal_flush_lsn()::text AS position')
  return rows[0]?.position ?? ''
}

/** Everyone who asks before the question is sent shares its answer. One question is on its way at a time. */
export class SharedQuestion<T> {
  #next: Promise<T> | undefined
  #sent: Promise<unknown> = Promise.resolve()

  constructor(private readonly send: () => Promise<T>) {}

  ask(): Promise<T> {
    this.#next ??= this.#sendAfter(this.#sent)
    return this.#next
  }

  async #sendAfter(earlier: Promise<unknown>): Promise<T> {
    await earlier
    const answer = this.send()
    this.#next = undefined
    // The one that waits for its turn does not care how this one ends.
    this.#sent = answer.catch(() => undefined)
    return answer
  }
}
