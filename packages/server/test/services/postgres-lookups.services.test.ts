/** The reads of a recall, each in one message: as isolated as an ordinary transaction, and independent of each other. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nameKey } from '../../src/core/entity.js'
import { userScope } from '../../src/core/scope.js'
import { Drafts } from '../../src/storage/contract/notebook.js'
import type { Storage } from '../../src/storage/ports/storage.js'
import { usualLimits } from '../../src/storage/ports/storage-limits.js'
import { Connection } from '../../src/storage/postgres/connection.js'
import { Pool } from '../../src/storage/postgres/pool.js'
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.js'
import { Transactions } from '../../src/storage/postgres/transactions.js'
import { anyPostgres, makeDatabase, type PostgresServer } from './postgres.js'

const alice = userScope('alice')
const users = [
  'alice',
  `o'brien`,
  'back\\slash',
  `\\' OR TRUE; --`,
  `alice'; SET LOCAL keepsake.everyone TO 'yes'; --`,
  '$1 ? @user',
  'Zoë 張 😀\n"quoted"',
]

class WatchedConnection extends Connection {
  readonly sent: string[] = []

  override query<Row>(...asked: Parameters<Connection['query']>) {
    this.sent.push(asked[0])
    return super.query<Row>(...asked)
  }
}

describe('reads in one message', () => {
  let server: Pick<PostgresServer, 'url' | 'close'>
  let database: Awaited<ReturnType<typeof makeDatabase>>
  let storage: Storage
  let connection: WatchedConnection
  let transactions: Transactions

  beforeEach(async () => {
    server = await anyPostgres()
    database = await makeDatabase(server.url)
    storage = await openPostgresStorage({ url: database.url, poolSize: 1 })
    for (const user of users) {
      const drafts = new Drafts()
      const memories = [1, 2].map((number) =>
        drafts.memory({ content: `${number} of ${user}`, entities: [[`O'Hara ${number}\\`, 'PERSON']] }),
      )
      await storage.commit(userScope(user), drafts.storeCommit({ expectedRevision: 0, memories }))
    }
    transactions = new Transactions(
      new Pool({ connect, size: 1, mostWaiting: 10, longestWaitMs: 60_000, retryMs: 500, log: () => undefined }),
      usualLimits,
    )
  })
  afterEach(async () => {
    await transactions.close()
    await storage.close()
    await database.drop()
    await server.close()
  })

  function connect(): WatchedConnection {
    const limits = { connectTimeoutMs: 30_000, statementTimeoutMs: 60_000, graceMs: 1_000 }
    connection = new WatchedConnection({ url: database.url, ...limits })
    return connection
  }

  const everyUser = { sql: 'SELECT DISTINCT user_id FROM memories', values: [] }
  const own = { sql: 'SELECT content FROM versions WHERE user_id = @user ORDER BY row', values: ['alice'] }
  const failing = { sql: 'SELECT 1 / (length(?::text) - 1) AS result', values: ['x'] }

  it('show only the rows of their user to a statement without a condition, whatever the user is called', async () => {
    for (const user of users) {
      const [found] = await transactions.lookUp<[{ user_id: string }[]]>(userScope(user), everyUser)
      expect(found).toEqual([{ user_id: user }])
    }
    const { rows } = await connection.query('SELECT user_id FROM memories')
    expect(rows).toEqual([])
  })

  it('find a user’s memories, names and project, whatever characters they consist of', async () => {
    for (const user of users) {
      const scope = userScope(user)
      const { changed, mark } = await storage.changes(scope, { revision: 0, row: 0 }, 100)
      expect(changed.map(({ content }) => content)).toEqual([`1 of ${user}`, `2 of ${user}`])
      const rows = changed.map(({ row }) => row)
      expect(await storage.changes(scope, mark, 100)).toEqual({ changed: [], mark, more: false, removedRows: [] })
      const versions = await storage.hydrate(scope, rows, { vectors: 1 })
      expect(versions.map(({ memory }) => memory.userId)).toEqual([user, user])
      expect(versions.map(({ vector }) => vector !== null)).toEqual([true, false])
      expect(await storage.connected(scope, [`x'y\\`, nameKey(`O'Hara 1\\`)], 10)).toEqual([{ row: rows[0], hops: 0 }])
      expect(await storage.hydrate(userScope(user, `pro'ject\\`), rows, { vectors: false })).toEqual([])
      const ids = versions.map(({ memory }) => memory.id)
      expect(await storage.contested(scope, [...ids, `'; --`])).toEqual([])
    }
  })

  it('are sent together if they are asked for at once', async () => {
    const ask = () => [transactions.lookUp(alice, own), transactions.lookUp(alice, everyUser, own)]
    await Promise.all(ask())
    connection.sent.splice(0)
    const [first, second] = await Promise.all(ask())
    expect(connection.sent).toHaveLength(1)
    expect(first).toEqual([[{ content: '1 of alice' }, { content: '2 of alice' }]])
    expect(second).toEqual([[{ user_id: 'alice' }], first?.[0]])
  })

  it('fail by themselves: the others in the message are answered', async () => {
    const [good, bad] = await Promise.allSettled([transactions.lookUp(alice, own), transactions.lookUp(alice, failing)])
    expect(good).toMatchObject({ status: 'fulfilled', value: [[{ content: '1 of alice' }, { content: '2 of alice' }]] })
    expect(bad).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('22012') } })
    expect(await transactions.lookUp(alice, everyUser)).toEqual([[{ user_id: 'alice' }]])
  })

  it('are answered by ordinary transactions where prepared statements get lost between two messages', async () => {
    const before = await transactions.lookUp(alice, own)
    await connection.query('DEALLOCATE ALL')
    expect(await transactions.lookUp(alice, own)).toEqual(before)
    expect(await transactions.lookUp(alice, everyUser)).toEqual([[{ user_id: 'alice' }]])
    expect(connection.sent.filter((text) => text.includes('EXECUTE'))).toEqual([])
  })
})
