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
import type { Connection, ConnectionOptions } from './connection.js'
import { type Connector, connectorTo } from './connector.js'
import { contested } from './contested.js'
import { changes, isUpToDate } from './feed.js'
import { hydrate } from './hydrate.js'
import { Pool } from './pool.js'
import { prepare } from './prepare.js'
import { Replicas } from './replicas.js'
import type { PostgresSession } from './session.js'
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
  /** Where to remember the newest timeline of a database with several hosts. */
  readonly timelineFile?: string
  /** Read from standbys that have everything. */
  readonly readFromStandbys?: boolean
}

type Timeouts = Omit<ConnectionOptions, 'url'>

const usualTimeouts: Timeouts = { connectTimeoutMs: 2_000, statementTimeoutMs: 10_000, graceMs: 3_000 }

export async function openPostgresStorage(options: PostgresOptions): Promise<Storage> {
  const { url, partitions = 0, timeouts, log = () => undefined } = options
  const limits = { ...usualTimeouts, ...timeouts }
  const connector = connectorTo(url, log, options.timelineFile)
  // A new schema, or another instance that is creating it, may take minutes.
  const connectPatiently = () => connector.connect({ ...limits, statementTimeoutMs: 0 })
  try {
    await prepare({ url, connect: connectPatiently, partitions, patienceMs: options.patienceMs ?? 10_000, log })
  } catch (error) {
    await connector.close()
    throw error
  }
  connector.watch()
  const usual = {
    // More than this service has processors, because PostgreSQL may be waiting for its disk.
    size: options.poolSize ?? Math.min(16, Math.max(4, 2 * availableParallelism())),
    mostWaiting: 1_000,
    longestWaitMs: 10_000,
    retryMs: 500,
    log,
  }
  const pool = new Pool({ ...usual, connect: () => connector.connect(limits) })
  const storageLimits = options.limits ?? usualLimits
  const { connectToStandby } = connector
  const replicas =
    options.readFromStandbys && connectToStandby
      ? new Replicas(
          pool,
          // Without a standby the primary answers: nothing needs attention.
          new Pool({ ...usual, connect: () => connectToStandby(limits), log: () => undefined }),
          storageLimits,
        )
      : undefined
  return new PostgresStorage(pool, connector, replicas, log, storageLimits)
}

class PostgresStorage extends SqlStorage {
  readonly #transactions: Transactions
  readonly #statistics: Statistics

  constructor(
    pool: Pool<Connection>,
    private readonly connector: Connector,
    private readonly replicas: Replicas | undefined,
    log: (message: string) => void,
    limits: StorageLimits,
  ) {
    super()
    this.#transactions = new Transactions(pool, limits)
    this.#statistics = new Statistics(pool, log)
  }

  protected read: Transact = async (sight, operation, ...args) => {
    const work = (session: PostgresSession) => operation(session, ...args)
    const isOwn = typeof sight !== 'string' && sight.kind === 'user'
    const read = isOwn ? await this.replicas?.read(sight, work) : undefined
    return read ? read.result : this.#transactions.run('read', sight, work)
  }

  protected write: Transact = (sight, operation, ...args) =>
    this.refusal.watch(this.#transactions.run('write', sight, (session) => operation(session, ...args)))

  protected writeAside: Transact = (sight, operation, ...args) => this.write(sight, operation, ...args)

  protected readonly own: OwnForms = {
    changes: async (scope, since, limit, until) => {
      const isUnchanged = await isUpToDate(this.#transactions.lookUp, scope, since)
      return isUnchanged
        ? { changed: [], mark: since, more: false, removedRows: [] }
        : this.read(scope, changes, scope, since, limit, until)
    },
    hydrate: (...asked) => hydrate(this.#transactions.lookUp, ...asked),
    connected: (...asked) => connected(this.#transactions.lookUp, ...asked),
    claim: (...claimed) => this.write({ kind: 'nobody' }, claim, ...claimed),
    release: (...claimed) => this.write({ kind: 'nobody' }, release, ...claimed),
  }

  override contested(scope: UserScope, memoryIds: readonly string[]) {
    return contested(this.#transactions.lookUp, scope, memoryIds)
  }

  override async commit(scope: UserScope, store: StoreCommit) {
    const committed = await super.commit(scope, store)
    this.#statistics.wrote()
    return committed
  }

  async close(): Promise<void> {
    await this.#transactions.close()
    await this.replicas?.close()
    await this.connector.close()
  }
}
