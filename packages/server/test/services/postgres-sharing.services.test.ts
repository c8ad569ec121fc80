/** Several instances on one database: nothing is stored twice or lost, and every index gets every change. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { userScope } from '../../src/core/scope.js'
import { historyOf, Notebook, start } from '../../src/storage/contract/notebook.js'
import type { ChangeMark } from '../../src/storage/ports/index-feed.js'
import { RevisionConflict } from '../../src/storage/ports/memory-writes.js'
import type { Storage } from '../../src/storage/ports/storage.js'
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.js'
import { anyPostgres, makeDatabase, type PostgresServer } from './postgres.js'

const alice = userScope('alice')

describe('instances that share a database', () => {
  let server: Pick<PostgresServer, 'url' | 'close'>
  let database: Awaited<ReturnType<typeof makeDatabase>>
  let instances: Storage[]

  beforeEach(async () => {
    server = await anyPostgres()
    database = await makeDatabase(server.url)
    // They open an empty database at the same time, and the schema is created once.
    const opening = Array.from({ length: 4 }, () => openPostgresStorage({ url: database.url, poolSize: 3 }))
    instances = await Promise.all(opening)
  })
  afterEach(async () => {
    await Promise.all(instances.map((storage) => storage.close()))
    await database.drop()
    await server.close()
  })

  const instance = (index: number): Storage => {
    const storage = instances[index % instances.length]
    if (!storage) throw new Error('no instance is open')
    return storage
  }

  /** Stores as the service does: reads, decides, and retries on a conflict. */
  async function storeOnce(storage: Storage, content: string): Promise<'stored' | 'known'> {
    const notebook = new Notebook(storage)
    for (;;) {
      const memory = notebook.memory({ content })
      const facts = { now: start, project: null, contentKeys: [memory.version.contentKey], slots: [] }
      const known = await storage.recognise(alice, facts)
      if (known.sameContent.length > 0) return 'known'
      try {
        await notebook.commit(alice, { expectedRevision: known.revision, memories: [memory] })
        return 'stored'
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error
      }
    }
  }

  it('store one memory for identical concurrent stores, even as the first of a user', async () => {
    const stores = Array.from({ length: 12 }, (_, index) => storeOnce(instance(index), 'I love hiking'))
    const outcomes = await Promise.all(stores)
    expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1)
    expect((await instance(0).list(alice, { now: start, limit: 50 })).total).toBe(1)
    expect(await instance(0).stats()).toMatchObject({ users: 1, memories: 1 })
  })

  it('lose no concurrent update of one memory', async () => {
    const id = await new Notebook(instance(0)).storeOne(alice, { content: 'a' })
    const updates = Array.from({ length: 24 }, (_, index) =>
      instance(index).update(alice, id, { now: start + index, metadata: { index } }),
    )
    await Promise.all(updates)
    const history = await historyOf(instance(1), alice, id)
    expect(history.map((version) => version.version)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1))
    const seen = history.map((version) => version.metadata.index).filter((index) => index !== undefined)
    expect(new Set(seen).size).toBe(24)
  })

  it('count every access on every instance', async () => {
    const ids = await new Notebook(instance(0)).store(alice, ...['a', 'b', 'c', 'd'].map((content) => ({ content })))
    const rounds = Array.from({ length: 20 }, (_, round) => {
      const order = round % 2 === 0 ? ids : [...ids].reverse()
      const uses = order.map((memoryId) => ({ userId: 'alice', memoryId, count: 1, at: start + round }))
      return instance(round).recordAccess(uses)
    })
    await Promise.all(rounds)
    for (const id of ids) {
      expect(await instance(2).find(alice, id, { now: start })).toMatchObject({
        accessCount: 20,
        lastAccessed: start + 19,
      })
    }
  })

  it('give a reader of changes every change while others write and erase', async () => {
    const written = { isDone: false }
    const writers = Array.from({ length: 3 }, async (_, writer) => {
      for (let index = 0; index < 15; index++) {
        await storeOnce(instance(writer), `fact ${writer}.${index}`)
        if (index % 5 !== 4) continue
        const { items } = await instance(writer).list(alice, { now: start, limit: 1, q: `fact ${writer}.${index - 1}` })
        await instance(writer).forget(alice, { memoryIds: items.map((item) => item.id) })
      }
    })
    const replica = new Map<number, string>()
    let mark: ChangeMark = { revision: 0, row: 0 }
    const follow = async () => {
      for (let more = true; more; ) {
        const slice = await instance(3).changes(alice, mark, 7)
        for (const version of slice.changed) replica.set(version.row, version.content)
        for (const row of slice.removedRows) replica.delete(row)
        ;({ mark, more } = slice)
      }
    }
    const following = (async () => {
      while (!written.isDone) await follow()
    })()
    await Promise.all(writers)
    written.isDone = true
    await following
    await follow()
    const { items } = await instance(0).list(alice, { now: start, limit: 500 })
    expect([...replica.values()].sort()).toEqual(items.map((item) => item.content).sort())
    expect(items).toHaveLength(3 * 12)
  })

  it('erase and write for many users at once without a deadlock', async () => {
    const users = Array.from({ length: 6 }, (_, index) => userScope(`user ${index}`))
    for (const [index, user] of users.entries()) {
      await new Notebook(instance(index)).store(user, { content: 'a', expiresAt: start + 1 }, { content: 'b' })
    }
    const everyone = { kind: 'everyone' } as const
    const vectors = (await instance(0).outdated(everyone, 'new-model', null, 50)).versions.map((version) => ({
      ...version,
      vector: Float32Array.of(1, 0),
    }))
    await Promise.all([
      instance(0).purgeExpired(everyone, start + 1),
      instance(1).purgeExpired(everyone, start + 1),
      instance(2).replaceVectors(everyone, 'new-model', vectors),
      instance(3).replaceVectors(everyone, 'new-model', [...vectors].reverse()),
      ...users.map((user, index) => new Notebook(instance(index)).store(user, { content: 'c' }).catch(conflict)),
    ])
    const left = await instance(0).list(everyone, { now: start, limit: 50, includeExpired: true })
    expect(left.items.map((item) => item.content)).not.toContain('a')
    expect(await instance(0).countOutdated(everyone, 'new-model')).toBeLessThanOrEqual(users.length)
  })
})

function conflict(error: unknown): string[] {
  if (error instanceof RevisionConflict) return []
  throw error
}
