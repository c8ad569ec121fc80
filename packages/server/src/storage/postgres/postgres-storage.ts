/** The engine for more than one machine: PostgreSQL with pgvector. Each operation is one transaction on a pooled connection. */
import { availableParallelism } from 'node:os'
import type { UserScope } from '../../core/scope.js'
import type { StoreCommit } from '../ports/memory-writes.js'
import type { Storage } from '../ports/storage.js'
import { type LimitOptions, type StorageLimits, usualLimits } from '../ports/storage-limits.js'
import type { Transact } from '../sql/session.js'
import { type OwnForms, SqlStorage } from '../sql/sql-storage.js'
import { claim, release } from './claims.js'
import { connected } from './connected.js'
import { Connection, type ConnectionOptions } from './connection.js'
import { changes } from './feed.js'
import { hydrate } from './hydrate.js'
import { Pool } from './pool.js'
import { prepare } from './prepare.js'
import { Statistics } from './statistics.js'
import { Transactions } from './transactions.js'

export interface PostgresOptions extends LimitOptions {
  /** `postgres://…`, with the password if there is one: never logged. */
  readonly url: string
  /** Number of hash partitions for an empty database; 0: none. */
  readonly partitions?: number
  readonly poolSize?: number
  readonly timeouts?: Partial<Timeouts>
  /** How long a start waits for the database: if both start together, the database may take longer. */
  readonly patienceMs?: number
  readonly log?: (message: string) => void
}

type Timeouts = Omit<ConnectionOptions, 'url'>

const usualTimeouts: Timeouts = { connectTimeoutMs: 2_000, statementTimeoutMs: 10_000, graceMs: 3_000 }

export async function openPostgresStorage(options: PostgresOptions): Promise<Storage> {
  const { url, partitions = 0, timeouts, log = () => undefined } = options
  const limits = { ...usualTimeouts, ...timeouts, url }
  const connect = () => new Connection(limits)
  // A new schema, or another instance that is creating it, may take minutes.
  const connectPatiently = () => new Connection({ ...limits, statementTimeoutMs: 0 })
  await prepare({ url, connect: connectPatiently, partitions, patienceMs: options.patienceMs ?? 10_000, log })
  const pool = new Pool({
    connect,
    // More than this service has processors, because PostgreSQL may be waiting for its disk.
    size: options.poolSize ?? Math.min(16, Math.max(4, 2 * availableParallelism())),
    mostWaiting: 1_000,
    longestWaitMs: 10_000,
    retryMs: 500,
    log,
  })
  return new PostgresStorage(pool, log, options.limits ?? usualLimits)
}

class PostgresStorage extends SqlStorage {
  readonly #transactions: Transactions
  readonly #statistics: Statistics

  constructor(pool: Pool<Connection>, log: (message: string) => void, limits: StorageLimits) {
    super()
    this.#transactions = new Transactions(pool, limits)
    this.#statistics = new Statistics(pool, log)
  }

  protected read: Transact = (sight, operation, ...args) =>
    this.#transactions.run('read', sight, (session) => operation(session, ...args))

  protected write: Transact = (sight, operation, ...args) =>
    this.refusal.watch(this.#transactions.run('write', sight, (session) => operation(session, ...args)))

  protected writeAside: Transact = (sight, operation, ...args) => this.write(sight, operation, ...args)

  protected readonly own: OwnForms = {
    changes: (scope, ...asked) => this.read(scope, changes, scope, ...asked),
    hydrate: (scope, ...asked) => this.read(scope, hydrate, scope, ...asked),
    connected: (scope, ...asked) => this.read(scope, connected, scope, ...asked),
    claim: (...claimed) => this.write({ kind: 'nobody' }, claim, ...claimed),
    release: (...claimed) => this.write({ kind: 'nobody' }, release, ...claimed),
  }

  override async commit(scope: UserScope, store: StoreCommit) {
    const committed = await super.commit(scope, store)
    this.#statistics.wrote()
    return committed
  }

  close(): Promise<void> {
    return this.#transactions.close()
  }
}
