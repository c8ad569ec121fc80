/** Every call is one transaction: it reads one snapshot, and is retried if it conflicts with another write. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { UserScope } from '../../core/scope.js'
import type { StorageLimits } from '../ports/storage-limits.js'
import { cannotAnswer, isClosed } from '../sql/refusals.js'
import type { Sight } from '../sql/session.js'
import type { Connection } from './connection.js'
import { hasLostConnection, isWorthRetrying, translate } from './errors.js'
import { type LookUp, type Lookup, Lookups } from './lookups.js'
import { type Mode, opening } from './opening.js'
import type { Pool } from './pool.js'
import { PostgresSession } from './session.js'
import { UserTurns } from './user-turns.js'

const attempts = 5
const firstWaitMs = 5

const mostWaiting = 1_000

interface Asked {
  readonly lookups: readonly Lookup[]
  resolve(rows: readonly (readonly object[])[]): void
  reject(error: unknown): void
}

export class Transactions {
  readonly #turns = new UserTurns(mostWaiting)
  readonly #lookups = new Lookups()
  /** Not sent yet, by user. */
  readonly #asked = new Map<string, Asked[]>()
  #closing: Promise<void> | undefined

  constructor(
    private readonly pool: Pool<Connection>,
    private readonly limits: StorageLimits,
  ) {}

  async run<T>(mode: Mode, sight: Sight, work: (session: PostgresSession) => Promise<T>): Promise<T> {
    if (this.#closing) throw isClosed()
    const attempt = () =>
      this.#attempt((connection) =>
        transaction(new PostgresSession(connection, this.limits), connection, mode, sight, work),
      )
    const isOwn = mode === 'write' && typeof sight !== 'string' && sight.kind === 'user'
    return isOwn ? this.#turns.run(sight.userId, attempt) : attempt()
  }

  /** Reads of one user that are asked for at the same time share a message. */
  readonly lookUp: LookUp = <Rows extends readonly (readonly object[])[]>(
    scope: UserScope,
    ...lookups: { readonly [Index in keyof Rows]: Lookup }
  ) =>
    new Promise<Rows>((resolve, reject) => {
      // The caller states the row types.
      const asked: Asked = {
        lookups,
        resolve: (rows) => resolve(rows as readonly (readonly object[])[] as Rows),
        reject,
      }
      const waiting = this.#asked.get(scope.userId)
      if (waiting) return void waiting.push(asked)
      this.#asked.set(scope.userId, [asked])
      queueMicrotask(() => void this.#answer(scope))
    })

  /** Never rejects: those who asked get the error. */
  async #answer(scope: UserScope): Promise<void> {
    const all = this.#asked.get(scope.userId) ?? []
    this.#asked.delete(scope.userId)
    try {
      const rows = await this.#read(
        scope,
        all.flatMap(({ lookups }) => lookups),
      )
      let at = 0
      for (const { lookups, resolve } of all) {
        resolve(rows.slice(at, at + lookups.length))
        at += lookups.length
      }
    } catch (error) {
      const [only, ...others] = all
      if (others.length === 0) return only?.reject(error)
      // One of them failed, and with it the transaction of all.
      for (const { lookups, resolve, reject } of all) this.#read(scope, lookups).then(resolve, reject)
    }
  }

  async #read(scope: UserScope, lookups: readonly Lookup[]): Promise<readonly (readonly object[])[]> {
    if (this.#closing) throw isClosed()
    const found = this.#lookups.isPossible
      ? await this.#attempt((connection) => this.#together(connection, scope, lookups))
      : undefined
    return (
      found ??
      this.run('read', scope, (session) =>
        Promise.all(lookups.map(({ sql, values }) => session.all<object>(sql, ...values))),
      )
    )
  }

  /** Undefined: it must be done in an ordinary transaction. */
  async #together(connection: Connection, scope: UserScope, lookups: readonly Lookup[]) {
    try {
      return await this.#lookups.run(connection, scope, lookups)
    } catch (error) {
      if (!this.#lookups.isUnsuited(error)) throw error
      // A new connection prepares its statements again.
      connection.destroy()
      return undefined
    }
  }

  /** Finishes calls in flight and waiting calls first. */
  close(): Promise<void> {
    this.#closing ??= this.#turns.drained().then(() => this.pool.close())
    return this.#closing
  }

  async #attempt<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.pool.use(work)
      } catch (error) {
        if (!isWorthRetrying(error)) throw translate(error)
        if (attempt === attempts) throw cannotAnswer('conflict', 1)
        // Random, so that the two transactions do not collide again.
        await sleep(firstWaitMs * 2 ** attempt * Math.random())
      }
    }
  }
}

export async function transaction<T>(
  session: PostgresSession,
  connection: Connection,
  mode: Mode,
  sight: Sight,
  work: (session: PostgresSession) => Promise<T>,
): Promise<T> {
  // Sent together with the first statement of the work, and executed before it.
  const opened = connection.query(opening(mode, sight))
  opened.catch(() => undefined)
  try {
    const result = await work(session)
    await Promise.all([opened, session.settled()])
    await connection.query('COMMIT')
    return result
  } catch (error) {
    const reason: unknown = await opened.then(
      () => session.reasonOf(error),
      (first: unknown) => first,
    )
    if (!connection.isDead && !hasLostConnection(reason)) await connection.query('ROLLBACK')
    throw reason
  }
}
