/**
 * What the planner knows about a database that is filling. PostgreSQL looks at a new table after a minute at the earliest,
 * and until then takes every user for one of a few rows: an import of that minute would read all of a user for each row.
 */
import type { Connection } from './connection.js'
import type { Pool } from './pool.js'

const tables =
  'users, memories, versions, vectors_quantized, vectors, tombstones, entities, entity_spellings, mentions, relationships, ' +
  'relationship_sources, slots, documents, segments, memory_sources, contradictions'

/** After so many writes of this process; from then on PostgreSQL's own housekeeping keeps up. */
const moments = [100, 1_000, 10_000]

export class Statistics {
  #writes = 0
  #next = 0

  constructor(
    private readonly pool: Pool<Connection>,
    private readonly log: (message: string) => void,
  ) {}

  /** Never waits, never fails. */
  wrote(): void {
    this.#writes += 1
    if (this.#writes < (moments[this.#next] ?? Number.POSITIVE_INFINITY)) return
    this.#next += 1
    this.#renew(this.#writes).catch(() => this.log('the statistics of the database could not be renewed'))
  }

  /** Where the planner knows of fewer memories than this process alone has written. */
  async #renew(writes: number): Promise<void> {
    await this.pool.use(async (connection) => {
      const stale = await connection.query(
        `SELECT 1 FROM pg_class WHERE oid = 'memories'::regclass AND reltuples < $1`,
        [writes],
      )
      if (stale.rows.length > 0) await connection.query(`ANALYZE ${tables}`)
    })
  }
}
