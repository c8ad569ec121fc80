import { describe, expect, it, vi } from 'vitest'
import { Pool } from './pool.js'

class FakeConnection {
  isDead = false
  closed = false
  constructor(private readonly answer: () => Promise<unknown> = async () => undefined) {}
  query() {
    return this.answer()
  }
  async close() {
    this.closed = true
  }
  destroy() {
    this.isDead = true
  }
}

const refused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

function poolOf(connect: () => FakeConnection, more: object = {}) {
  const lines: string[] = []
  const pool = new Pool<FakeConnection>({
    connect,
    size: 2,
    mostWaiting: 3,
    longestWaitMs: 1_000,
    retryMs: 500,
    log: (line) => lines.push(line),
    ...more,
  })
  return { pool, lines }
}

/** Work that lasts until `end` is called. */
function held() {
  let end = (): void => undefined
  const work = new Promise<void>((resolve) => {
    end = resolve
  })
  return { work: () => work, end: () => end() }
}

describe('the connection pool', () => {
  it('opens no more connections than its size, and reuses them', async () => {
    const connect = vi.fn(() => new FakeConnection())
    const { pool } = poolOf(connect)
    const works = [held(), held(), held(), held()]
    const uses = works.map(({ work }) => pool.use(work))
    expect(connect).toHaveBeenCalledTimes(2)
    for (const { end } of works) end()
    await Promise.all(uses)
    await pool.use(async () => undefined)
    expect(connect).toHaveBeenCalledTimes(2)
  })

  it('rejects a call as unavailable if too many are waiting', async () => {
    const { pool } = poolOf(() => new FakeConnection())
    const { work, end } = held()
    const uses = Array.from({ length: 5 }, () => pool.use(work))
    await expect(pool.use(work)).rejects.toMatchObject({ code: 'unavailable' })
    end()
    await Promise.all(uses)
  })

  it('rejects a call as unavailable if it has waited too long', async () => {
    vi.useFakeTimers()
    try {
      const { pool } = poolOf(() => new FakeConnection(), { size: 1 })
      const { work, end } = held()
      const first = pool.use(work)
      const second = pool.use(work)
      const told = expect(second).rejects.toMatchObject({ code: 'unavailable' })
      await vi.advanceTimersByTimeAsync(1_000)
      await told
      end()
      await first
    } finally {
      vi.useRealTimers()
    }
  })

  it('replaces a dead connection, and keeps one whose work failed', async () => {
    const connect = vi.fn(() => new FakeConnection())
    const { pool } = poolOf(connect)
    const failing = async () => Promise.reject(Object.assign(new Error('no'), { code: '23505' }))
    await expect(pool.use(failing)).rejects.toMatchObject({ code: '23505' })
    await pool.use(async () => undefined)
    expect(connect).toHaveBeenCalledTimes(1)
    const dying = async () => Promise.reject(Object.assign(new Error('no'), { code: 'CONNECTION_CLOSED' }))
    await expect(pool.use(dying)).rejects.toThrow()
    await pool.use(async () => undefined)
    expect(connect).toHaveBeenCalledTimes(2)
  })

  it('fails every call at once while the database does not answer, and serves calls again when it does', async () => {
    vi.useFakeTimers()
    try {
      let isUp = false
      const connect = vi.fn(() => new FakeConnection(() => (isUp ? Promise.resolve() : Promise.reject(refused()))))
      const { pool, lines } = poolOf(connect, { size: 1 })
      const ask = () => pool.use((connection) => connection.query())
      const [first, waiting] = [ask(), ask()]
      await expect(first).rejects.toMatchObject({ code: 'ECONNREFUSED' })
      await expect(waiting).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
      await expect(ask()).rejects.toMatchObject({ code: 'unavailable' })
      expect(connect).toHaveBeenCalledTimes(1)
      await vi.advanceTimersByTimeAsync(1_600)
      await expect(ask()).rejects.toMatchObject({ code: 'unavailable' })
      expect(connect).toHaveBeenCalledTimes(4)
      isUp = true
      await vi.advanceTimersByTimeAsync(500)
      await ask()
      expect(lines).toHaveLength(2)
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('finishes calls in progress when it is closed, and rejects later ones', async () => {
    const made: FakeConnection[] = []
    const { pool } = poolOf(() => {
      const connection = new FakeConnection()
      made.push(connection)
      return connection
    })
    const { work, end } = held()
    const uses = Array.from({ length: 4 }, () => pool.use(work))
    const closed = pool.close()
    await expect(pool.use(work)).rejects.toMatchObject({ code: 'unavailable' })
    end()
    await Promise.all(uses)
    await closed
    expect(made.map((connection) => connection.closed)).toEqual([true, true])
  })
})
