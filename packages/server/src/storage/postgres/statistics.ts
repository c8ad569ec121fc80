/**
 * What the planner knows about a database that is filling. PostgreSQL looks at a new table after a minute at the earliest,
 * and until then takes every user for one of a few rows: an import of that minute would read all of a user for each row.
 */

const tables =
  'users, memories, versions, vectors_quantized, vectors, tombstones, entities, entity_spellings, mentions, relationships, ' +
  'relationship_sources, slots, documents, segments, memory_sources, contradictions'

/** After so many writes of this process; from then on PostgreSQL's own housekeeping keeps up. */
const moments = [100, 1_000, 10_000, 50_000]

export class Statistics {
  #writes = 0
  #next = 0

  constructor(
    private readonly analyze: (statement: string) => Promise<unknown>,
    private readonly log: (message: string) => void,
  ) {}

  /** Never waits, never fails. */
  wrote(): void {
    this.#writes += 1
    if (this.#writes < (moments[this.#next] ?? Number.POSITIVE_INFINITY)) return
    this.#next += 1
    this.analyze(`ANALYZE ${tables}`).catch(() => this.log('the statistics of the database could not be renewed'))
  }
}
