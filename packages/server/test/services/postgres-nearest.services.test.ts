/** Vector search in PostgreSQL finds the same as an exact comparison, per user, among other users' vectors. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { userScope } from '../../src/core/scope.js'
import { Notebook, start } from '../../src/storage/contract/notebook.js'
import type { Storage } from '../../src/storage/ports/storage.js'
import { usualLimits } from '../../src/storage/ports/storage-limits.js'
import { Connection } from '../../src/storage/postgres/connection.js'
import { indexLargeUsers } from '../../src/storage/postgres/large-users.js'
import { nearest } from '../../src/storage/postgres/nearest.js'
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.js'
import { PostgresSession } from '../../src/storage/postgres/session.js'
import { anyPostgres, makeDatabase, type PostgresServer } from './postgres.js'

const dimensions = 64
const sizes = { large: 6_000, small: 300 } as const
const modelId = 'test-model'

describe.each([0, 2])('nearest vectors with %i partitions', (partitions) => {
  let server: Pick<PostgresServer, 'url' | 'close'>
  let database: Awaited<ReturnType<typeof makeDatabase>>
  let storage: Storage
  let connection: Connection
  const vectors = new Map<string, { readonly row: number; readonly vector: Float32Array }[]>()

  beforeAll(async () => {
    server = await anyPostgres()
    database = await makeDatabase(server.url)
    storage = await openPostgresStorage({ url: database.url, partitions, poolSize: 2 })
    connection = new Connection({
      url: database.url,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 0,
      graceMs: 1_000,
    })
    const random = numbersFrom(42)
    for (const [userId, size] of Object.entries(sizes)) vectors.set(userId, await fill(userId, size, random))
    await connection.query('ANALYZE')
  })
  afterAll(async () => {
    await connection.close()
    await storage.close()
    await database.drop()
    await server.close()
  })

  /** Stores one memory through the storage port and copies it by SQL, because committing each would take minutes. */
  async function fill(userId: string, size: number, random: () => number) {
    const scope = userScope(userId)
    await new Notebook(storage).store(scope, { content: 'first', vector: clustered(random) })
    await connection.query('BEGIN')
    const db = new PostgresSession(connection, usualLimits)
    await db.actAs(userId)
    await db.run(
      `INSERT INTO memories (user_id, key, id, source, created_at, current_row, content_key)
       SELECT user_id, key + n, id || n, source, created_at, key + n, content_key || n FROM memories, generate_series(1, ?) n WHERE user_id = ?`,
      size - 1,
      userId,
    )
    await db.run(
      `INSERT INTO versions (user_id, row, memory, version, content, checksum, metadata, trust_score, flagged, model_id,
         valid_from, revision)
       SELECT v.user_id, v.row + n, v.row + n, 1, 'fact ' || n, v.checksum, v.metadata, 1, n % 50 = 0, v.model_id, v.valid_from, 1
       FROM versions v, generate_series(1, ?) n WHERE v.user_id = ?`,
      size - 1,
      userId,
    )
    const rows = await db.all<{ row: number; flagged: boolean }>(
      'SELECT row, flagged FROM versions WHERE user_id = ? ORDER BY row',
      userId,
    )
    const made = rows.map((row) => ({ ...row, vector: clustered(random) }))
    await db.run('DELETE FROM vectors WHERE user_id = ?', userId)
    await db.run(
      `INSERT INTO vectors (user_id, row, vector)
       SELECT ?, x.row, x.vector::vector FROM unnest(?::bigint[], ?::text[]) x (row, vector)`,
      userId,
      made.map(({ row }) => row),
      made.map(({ vector }) => `[${vector.join(',')}]`),
    )
    await db.run('UPDATE users SET memories = ? WHERE user_id = ?', size, userId)
    await connection.query('COMMIT')
    return made.filter(({ flagged }) => !flagged)
  }

  async function recallAt10(userId: keyof typeof sizes, isLarge: boolean): Promise<number> {
    const random = numbersFrom(7)
    const own = vectors.get(userId) ?? []
    let found = 0
    const questions = 50
    for (let question = 0; question < questions; question++) {
      const vector = clustered(random)
      const exact = own
        .map((each) => ({ row: each.row, score: dot(each.vector, vector) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, 10)
      const rows = await ask(userId, vector, isLarge)
      expect(rows).toHaveLength(10)
      const wanted = new Set(exact.map(({ row }) => row))
      found += rows.filter(({ row }) => wanted.has(row)).length
      expect(rows[0]?.similarity).toBeGreaterThanOrEqual(rows.at(-1)?.similarity ?? 0)
    }
    return found / (10 * questions)
  }

  async function ask(userId: string, vector: Float32Array, isLarge: boolean) {
    await connection.query('BEGIN')
    try {
      const db = new PostgresSession(connection, usualLimits)
      await db.actAs(userId)
      return await nearest(db, userScope(userId), { vector, modelId, now: start, limit: 10 }, isLarge)
    } finally {
      await connection.query('ROLLBACK')
    }
  }

  it('equal the result of an exact comparison, for small and large users', async () => {
    expect(await recallAt10('small', false)).toBe(1)
    expect(await recallAt10('large', false)).toBe(1)
  })

  it('are found through a separate index for a large user, with a recall of at least 0.99', async () => {
    expect(await indexLargeUsers(connection, { dimensions, from: 5_000, until: 2_000 })).toEqual(['large'])
    const recall = await recallAt10('large', true)
    expect(recall).toBeGreaterThanOrEqual(0.99)
    const plan = await explain('large')
    expect(plan).toContain('vectors_of_')
    // A small user has no index and the same recall.
    expect(await recallAt10('small', true)).toBe(1)
    expect(await explain('small')).not.toContain('vectors_of_')
  })

  async function explain(userId: string): Promise<string> {
    const seen: string[] = []
    const spying = {
      query: async (sql: string, values: readonly never[] = []) => {
        if (!sql.includes('ORDER BY')) return connection.query(sql, values)
        const plan = await connection.query<Record<string, string>>(`EXPLAIN ${sql}`, values)
        seen.push(plan.rows.map((row) => Object.values(row)[0]).join('\n'))
        return { rows: [], count: 0 }
      },
    }
    await connection.query('BEGIN')
    // A connection that fetches the plan instead of the rows.
    const db = new PostgresSession(spying as unknown as Connection, usualLimits)
    await db.actAs(userId)
    const vector = clustered(numbersFrom(7))
    await nearest(db, userScope(userId), { vector, modelId, now: start, limit: 10 }, true)
    await connection.query('ROLLBACK')
    return seen.join('\n')
  }

  it('are indexed by one instance at a time, and lose the index when the user shrinks', async () => {
    const other = new Connection({
      url: database.url,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 0,
      graceMs: 1_000,
    })
    const both = await Promise.all([
      indexLargeUsers(connection, { dimensions, from: 5_000, until: 2_000 }),
      indexLargeUsers(other, { dimensions, from: 5_000, until: 2_000 }),
    ])
    expect(both.flat().length).toBeGreaterThanOrEqual(1)
    expect(await indexLargeUsers(connection, { dimensions, from: 50_000, until: 25_000 })).toEqual([])
    expect(await explain('large')).not.toContain('vectors_of_')
    await other.close()
  })
})

/** Random numbers from 0 to 1, repeatable by seed (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Unit vectors around one of 40 centres, as embeddings of texts cluster by meaning. */
function clustered(random: () => number): Float32Array {
  const centre = numbersFrom(Math.floor(random() * 40))
  const vector = Float32Array.from({ length: dimensions }, () => centre() - 0.5 + (random() - 0.5) * 0.9)
  const length = Math.sqrt(dot(vector, vector))
  return vector.map((component) => component / length)
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (const [index, component] of a.entries()) sum += component * (b[index] ?? 0)
  return sum
}
