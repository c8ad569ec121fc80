/**
 * Planner statistics of a database that is filling up. PostgreSQL analyses a new table after a minute at the earliest. Until then
 * it assumes that every user has a few rows, so an import within that minute would read all rows of a user for each row that it
 * writes.
 */
import type { Connection } from './connection.js'
import type { Pool } from './pool.js'

const tables =
  'users, memories, versions, vectors_quantized, vectors, tombstones, entities, entity_spellings, mentions, relationships, ' +
  'relationship_sources, slots, facts, documents, segments, memory_sources, contradictions, items'

/** Numbers of writes of this process after which to analyse; after the last, PostgreSQL's autovacuum keeps up. */
const moments = [100, 1_000, 10_000]

export class Statistics {
  #writes = 0
  #next = 0

  constructor(
    private readonly pool: Pool<Connection>,
    private readonly log: (message: string) => void,
  ) {}

  /** Never waits and never fails. */
  wrote(): void {
    this.#writes += 1
    if (this.#writes < (moments[this.#next] ?? Number.POSITIVE_INFINITY)) return
    this.#next += 1
    this.#renew(this.#writes).catch(() => this.log('the planner statistics of the database could not be updated'))
  }

  /** Analyses if the planner assumes fewer memories than this process has written. */
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
