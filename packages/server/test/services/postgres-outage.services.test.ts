/** The database goes away and comes back: callers hear so at once, nothing acknowledged is lost, nobody restarts anything. */
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
const timeouts = { connectTimeoutMs: 1_000, statementTimeoutMs: 1_500, graceMs: 500 }

describe('a database that goes away', () => {
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

  async function untilItAnswers(): Promise<number> {
    const began = Date.now()
    for (;;) {
      try {
        await storage.ping()
        return Date.now() - began
      } catch (error) {
        if (Date.now() - began > 20_000) throw error
        await sleep(50)
      }
    }
  }

  /** Stores until told to stop; what was acknowledged, and how many were refused as unavailable. */
  function writers(count: number) {
    const state = { isOver: false }
    const acknowledged: string[] = []
    let refused = 0
    const work = Array.from({ length: count }, async (_, writer) => {
      const scope = userScope(`writer ${writer}`)
      for (let index = 0; !state.isOver; index++) {
        const content = `fact ${writer}.${index}`
        try {
          await new Notebook(storage).store(scope, { content })
          acknowledged.push(content)
        } catch (error) {
          if (!(error instanceof ServiceError) || error.code !== 'unavailable') throw error
          refused += 1
          await sleep(10)
        }
      }
    })
    return {
      acknowledged,
      async stop() {
        state.isOver = true
        await Promise.all(work)
        return refused
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

  it('is answered with unavailable at once, and found again by itself', async () => {
    await new Notebook(storage).store(alice, { content: 'before' })
    await server.stop()
    await expect(storage.ping()).rejects.toMatchObject({ code: 'unavailable' })
    const began = Date.now()
    const refused = await Promise.allSettled(
      Array.from({ length: 500 }, () => storage.list(alice, { now: 0, limit: 1 })),
    )
    expect(refused.every((each) => each.status === 'rejected' && each.reason.code === 'unavailable')).toBe(true)
    expect(Date.now() - began).toBeLessThan(1_000)
    await server.start()
    expect(await untilItAnswers()).toBeLessThan(5_000)
    expect((await storage.list(alice, { now: start, limit: 9 })).total).toBe(1)
  })

  it.each(['stop', 'kill'] as const)(
    'loses nothing that was acknowledged, when it is ended by %s under load',
    async (how) => {
      const load = writers(6)
      for (let round = 0; round < 3; round++) {
        await sleep(400)
        await server[how]()
        await sleep(200)
        await server.start()
        await untilItAnswers()
      }
      await sleep(300)
      expect(await load.stop()).toBeGreaterThan(0)
      const found = await stored()
      expect(load.acknowledged.length).toBeGreaterThan(20)
      expect(load.acknowledged.filter((content) => !found.has(content))).toEqual([])
    },
  )

  it('is away too when it only stops answering', async () => {
    await server.freeze()
    await expect(storage.ping()).rejects.toMatchObject({ code: 'unavailable' })
    const began = Date.now()
    await expect(storage.ping()).rejects.toMatchObject({ code: 'unavailable' })
    expect(Date.now() - began).toBeLessThan(500)
    await server.thaw()
    await untilItAnswers()
  })

  it('is still there when it cuts one connection: the next call gets another', async () => {
    const admin = postgres(server.url, { max: 1 })
    for (let round = 0; round < 5; round++) {
      await storage.ping()
      await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'keepsake'`
      await untilItAnswers()
    }
    await admin.end()
  })

  it('makes the service answer 503 with Retry-After, and never shows the password', async () => {
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
    await untilItAnswers()
    for (;;) {
      const { status } = await service.call('GET', '/health')
      if (status === 200) break
      await sleep(50)
    }
    const { memories } = await service.recall({ user_id: 'ana', query: 'hiking' })
    expect(memories).toHaveLength(1)
    await service.close()
  })
})

describe('a start', () => {
  it('that finds no database ends with one line for the operator, without the password', async () => {
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
