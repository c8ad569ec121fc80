/** The database fails and comes back: callers get an error at once, no acknowledged write is lost, nothing needs a restart. */
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ServiceError } from '../../src/core/errors.js'
import { userScope } from '../../src/core/scope.js'
import { Notebook, start } from '../../src/storage/contract/notebook.js'
import type { Storage } from '../../src/storage/ports/storage.js'
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.js'
import { startService } from '../support/harness.js'
import { type PostgresServer, startPostgres } from './postgres.js'

const alice = userScope('alice')
const timeouts = { connectTimeoutMs: 3_000, statementTimeoutMs: 3_000, graceMs: 1_000 }

describe('storage whose database fails', () => {
  let server: PostgresServer
  let storage: Storage

  beforeEach(async () => {
    server = await startPostgres({ durable: true })
    storage = await openPostgresStorage({ url: server.url, poolSize: 3, timeouts })
  })
  afterEach(async () => {
    await server.thaw().catch(() => undefined)
    await storage.close()
    await server.close()
  })

  /** The time limit of the test ends the wait. */
  async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await holds())) await sleep(20)
  }

  const answers = () =>
    storage.ping().then(
      () => true,
      () => false,
    )

  /** Stores until told to stop. Records the acknowledged writes, and counts those that failed as unavailable. */
  function writers(count: number) {
    const state = { isOver: false, refused: 0 }
    const acknowledged: string[] = []
    const work = Array.from({ length: count }, async (_, writer) => {
      const scope = userScope(`writer ${writer}`)
      for (let index = 0; !state.isOver; index++) {
        const content = `fact ${writer}.${index}`
        try {
          await new Notebook(storage).store(scope, { content })
          acknowledged.push(content)
        } catch (error) {
          if (!(error instanceof ServiceError) || error.code !== 'unavailable') throw error
          state.refused += 1
          await sleep(10)
        }
      }
    })
    return {
      acknowledged,
      refused: () => state.refused,
      async stop() {
        state.isOver = true
        await Promise.all(work)
      },
    }
  }

  async function stored(): Promise<Set<string>> {
    const contents = new Set<string>()
    let offset = 0
    for (;;) {
      const { items } = await storage.list({ kind: 'everyone' }, { now: start, limit: 500, offset })
      for (const item of items) contents.add(item.content)
      if (items.length < 500) return contents
      offset += 500
    }
  }

  it('fails calls as unavailable without waiting for timeouts, and reconnects automatically', async () => {
    await new Notebook(storage).store(alice, { content: 'before' })
    await server.stop()
    await expect(storage.ping()).rejects.toMatchObject({ code: 'unavailable' })
    const began = Date.now()
    const refused = await Promise.allSettled(
      Array.from({ length: 500 }, () => storage.list(alice, { now: 0, limit: 1 })),
    )
    expect(refused.every((each) => each.status === 'rejected' && each.reason.code === 'unavailable')).toBe(true)
    // All of them together take less than one timeout.
    expect(Date.now() - began).toBeLessThan(timeouts.connectTimeoutMs)
    await server.start()
    await until(answers)
    expect((await storage.list(alice, { now: start, limit: 9 })).total).toBe(1)
  })

  it.each(['stop', 'kill'] as const)(
    'loses no acknowledged write when the server ends by %s under load',
    async (how) => {
      const load = writers(6)
      const moreWritten = async () => {
        const wanted = load.acknowledged.length + 10
        await until(() => load.acknowledged.length >= wanted)
      }
      for (let round = 0; round < 3; round++) {
        await moreWritten()
        const refusedBefore = load.refused()
        await server[how]()
        await until(() => load.refused() > refusedBefore)
        await server.start()
        await until(answers)
      }
      await moreWritten()
      await load.stop()
      const found = await stored()
      expect(load.acknowledged.filter((content) => !found.has(content))).toEqual([])
    },
  )

  it('fails one call after the timeout and later calls at once when the server hangs', async () => {
    await server.freeze()
    await expect(storage.ping()).rejects.toMatchObject({ code: 'unavailable' })
    const began = Date.now()
    await expect(storage.ping()).rejects.toMatchObject({ code: 'unavailable' })
    expect(Date.now() - began).toBeLessThan(timeouts.statementTimeoutMs)
    await server.thaw()
    await until(answers)
  })

  it('opens new connections after the server has cut the old ones', async () => {
    const admin = postgres(server.url, { max: 1 })
    for (let round = 0; round < 5; round++) {
      await storage.ping()
      // With a timeout it returns when the connections are gone, not when they have been signalled.
      await admin`SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE application_name = 'keepsake'`
      await until(answers)
    }
    await admin.end()
  })

  it('makes the service answer 503 with Retry-After, without showing the password', async () => {
    const service = await startService({ env: { SERVICE_DATABASE_URL: server.url } })
    service.forbidInLogs('of-the-tests')
    await service.storeOne({ user_id: 'ana', content: 'I love hiking in the Alps' })
    await server.stop()
    const refused = await service.fails(503, 'POST', '/recall', { body: { user_id: 'ana', query: 'hobbies' } })
    expect(refused).toMatchObject({ code: 'unavailable' })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    await service.fails(503, 'POST', '/store', { body: { user_id: 'ana', content: 'I love the sea as well' } })
    const health = await service.call('GET', '/health')
    expect(health).toMatchObject({ status: 503, body: { status: 'unhealthy', checks: { storage: 'unreachable' } } })
    await server.start()
    await until(async () => (await service.call('GET', '/health')).status === 200)
    const { memories } = await service.recall({ user_id: 'ana', query: 'hiking' })
    expect(memories).toHaveLength(1)
    await service.close()
  })
})

describe('opening storage', () => {
  it('fails with one line for the operator, without the password, if no database answers', async () => {
    const url = 'postgres://keepsake:hidden@127.0.0.1:1/keepsake'
    const opened = openPostgresStorage({ url, patienceMs: 0 })
    await expect(opened).rejects.toMatchObject({
      operatorMessage: true,
      message: expect.stringMatching(
        /^SERVICE_DATABASE_URL: 127\.0\.0\.1:1\/keepsake does not answer \(ECONNREFUSED\)/,
      ),
    })
    await expect(opened).rejects.not.toMatchObject({ message: expect.stringContaining('hidden') })
  })
})
