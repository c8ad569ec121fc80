/**
 * A pool of a few connections. A call that finds none free waits in a bounded queue. While the database does not answer, waiting
 * and new calls fail immediately, and the pool keeps retrying one connection. Its first success lets calls through again.
 */
import { type ServiceError, unavailable } from '../../core/errors.js'
import { cannotAnswer, isClosed, type problems, tooManyWaiting } from '../sql/refusals.js'
import { awayProblem, hasLostConnection, isAway } from './errors.js'

/** What the pool needs from a connection. */
export interface Pooled {
  readonly isDead: boolean
  query(sql: string): Promise<unknown>
  close(): Promise<void>
  destroy(): void
}

export interface PoolOptions<Connection extends Pooled> {
  readonly connect: () => Connection
  readonly size: number
  readonly mostWaiting: number
  readonly longestWaitMs: number
  /** Pause between two attempts while the database does not answer. */
  readonly retryMs: number
  readonly log: (message: string) => void
}

interface Waiter<Connection> {
  take(connection: Connection): void
  fail(error: Error): void
}

export class Pool<Connection extends Pooled> {
  readonly #options: PoolOptions<Connection>
  readonly #idle: Connection[] = []
  readonly #waiting = new Set<Waiter<Connection>>()
  #inUse = 0
  #calls = 0
  #isAway = false
  #problem: keyof typeof problems = 'away'
  #retry: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined
  #drained: (() => void) | undefined

  constructor(options: PoolOptions<Connection>) {
    this.#options = options
  }

  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#closing) throw isClosed()
    if (this.#isAway) throw this.#unreachable()
    this.#calls += 1
    try {
      const connection = await this.#acquire()
      try {
        return await work(connection)
      } catch (error) {
        if (hasLostConnection(error)) connection.destroy()
        if (isAway(error)) this.#lock(error)
        throw error
      } finally {
        this.#release(connection)
      }
    } finally {
      this.#calls -= 1
      if (this.#calls === 0) this.#drained?.()
    }
  }

  /** Finishes calls in progress and waiting calls first. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    clearTimeout(this.#retry)
    if (this.#calls > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve
      })
    }
    await Promise.all(this.#idle.splice(0).map((connection) => connection.close()))
  }

  #acquire(): Promise<Connection> | Connection {
    const { size, mostWaiting, longestWaitMs, connect } = this.#options
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (idle.isDead) continue
      this.#inUse += 1
      return idle
    }
    if (this.#inUse < size) {
      this.#inUse += 1
      return connect()
    }
    if (this.#waiting.size >= mostWaiting) throw tooManyWaiting()
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        this.#waiting.delete(waiter)
      }
      const waiter: Waiter<Connection> = {
        take: (connection) => {
          leave()
          resolve(connection)
        },
        fail: (error) => {
          leave()
          reject(error)
        },
      }
      const timer = setTimeout(() => waiter.fail(unavailable('Storage has no free connection')), longestWaitMs)
      this.#waiting.add(waiter)
    })
  }

  #release(connection: Connection): void {
    const [next] = this.#waiting
    // The connection stays in use: it goes straight to the next call.
    if (next && !this.#isAway) next.take(connection.isDead ? this.#options.connect() : connection)
    else {
      this.#inUse -= 1
      if (!connection.isDead) this.#idle.push(connection)
    }
  }

  #lock(error: unknown): void {
    if (this.#isAway || this.#closing) return
    this.#isAway = true
    this.#problem = awayProblem(error)
    this.#options.log('the database cannot be reached: retrying until it answers')
    for (const waiter of [...this.#waiting]) waiter.fail(this.#unreachable())
    for (const connection of this.#idle.splice(0)) connection.destroy()
    this.#retryLater()
  }

  #retryLater(): void {
    this.#retry = setTimeout(() => {
      const connection = this.#options.connect()
      connection.query('SELECT 1').then(
        () => {
          this.#isAway = false
          if (this.#closing) return connection.destroy()
          this.#idle.push(connection)
          this.#options.log('the database answers again')
        },
        (error: unknown) => {
          connection.destroy()
          this.#problem = awayProblem(error)
          if (!this.#closing) this.#retryLater()
        },
      )
    }, this.#options.retryMs)
    this.#retry.unref()
  }

  #unreachable(): ServiceError {
    return cannotAnswer(this.#problem, Math.ceil(this.#options.retryMs / 1000))
  }
}
