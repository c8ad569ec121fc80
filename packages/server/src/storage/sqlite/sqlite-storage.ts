/** The embedded engine: SQLite on its own threads: one that writes, two that read, and one that reads stored indexes in slices. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Scope, UserScope } from '../../core/scope.js'
import { workerUrl } from '../../core/worker-url.js'
import type { Decision } from '../ports/contradictions.js'
import type { StoreCommit, VersionChange } from '../ports/memory-writes.js'
import type { Storage } from '../ports/storage.js'
import type { LimitOptions } from '../ports/storage-limits.js'
import type { ReplacedVector } from '../ports/vector-upkeep.js'
import { segmentsBefore } from '../sql/index/segments.js'
import type { Transact } from '../sql/session.js'
import { type OwnForms, SqlStorage } from '../sql/sql-storage.js'
import { claimsInProcess } from './claims.js'
import { packedConnected, unpackConnected } from './connected.js'
import { DataDirectoryUnusable, type DirectoryLock, lockDirectory } from './directory-lock.js'
import { packedChanges } from './feed.js'
import { unpack } from './feed-slice.js'
import { packedVersions, unpackVersions } from './hydrate.js'
import { reads, writes } from './operations.js'
import { type StartWorker, Thread } from './thread.js'
import type { VacuumSettings } from './vacuum.js'

export { DataDirectoryInUse } from './directory-lock.js'

export interface SqliteOptions extends LimitOptions {
  readonly dataDir: string
  readonly log?: (message: string) => void
  /** When to rewrite the file after erasures, and up to which size. */
  readonly vacuum?: Partial<VacuumSettings>
  /** Tests reuse threads that are already running. */
  readonly startWorker?: StartWorker | undefined
}

export async function openSqliteStorage(options: SqliteOptions): Promise<Storage> {
  const { dataDir, log = () => undefined, startWorker } = options
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const lock = lockDirectory(dataDir)
  const path = join(dataDir, 'keepsake.db')
  const thread = { path, log, startWorker }
  const writer = new Thread({
    ...thread,
    url: workerUrl(import.meta.url, './writer-worker.js'),
    operations: writes,
    vacuum: options.vacuum,
    limits: options.limits,
  })
  const reader = { ...thread, url: workerUrl(import.meta.url, './reader-worker.js'), operations: reads }
  const first = new Thread(reader)
  const second = new Thread(reader)
  try {
    // The writer first: it brings the schema up to date. The second reader starts when the first is busy.
    await writer.start()
    await first.start()
  } catch (error) {
    await Promise.all([writer, first, second].map((each) => each.terminate()))
    lock.release()
    throw new DataDirectoryUnusable(error instanceof Error ? error.message : String(error), { cause: error })
  }
  // Starts with the first search of a user who is too large for memory. Nobody else waits behind its slices.
  const slices = new Thread(reader)
  return new SqliteStorage(lock, writer, first, second, slices)
}

class SqliteStorage extends SqlStorage {
  readonly #lock: DirectoryLock
  readonly #writer: Thread
  readonly #first: Thread
  readonly #second: Thread
  readonly #slices: Thread
  #closing: Promise<void> | undefined

  constructor(lock: DirectoryLock, writer: Thread, first: Thread, second: Thread, slices: Thread) {
    super()
    this.#lock = lock
    this.#writer = writer
    this.#first = first
    this.#second = second
    this.#slices = slices
  }

  // Every statement names its user, and one process has the file: `sight` needs no enforcement here.
  protected read: Transact = (_sight, operation, ...args) => {
    const thread = operation.name === segmentsBefore.name ? this.#slices : this.#reader
    return thread.call(operation, ...args)
  }

  protected write: Transact = (_sight, operation, ...args) => this.refusal.watch(this.#writer.call(operation, ...args))

  protected writeAside: Transact = (_sight, operation, ...args) => this.#writer.call(operation, ...args)

  protected readonly own: OwnForms = {
    ...claimsInProcess(),
    changes: async (...asked) => unpack(await this.#reader.call(packedChanges, ...asked)),
    hydrate: async (scope, ...asked) =>
      unpackVersions(await this.#reader.call(packedVersions, scope, ...asked), scope.userId),
    connected: async (...asked) => unpackConnected(await this.#reader.call(packedConnected, ...asked)),
  }

  get #reader(): Thread {
    return this.#first.load <= this.#second.load ? this.#first : this.#second
  }

  override commit(scope: UserScope, store: StoreCommit) {
    const memories = store.memories.map((memory) => ({
      ...memory,
      version: compact(memory.version),
      endings: memory.endings.map(compact),
    }))
    return super.commit(scope, { ...store, memories })
  }

  override update(scope: Scope, memoryId: string, change: VersionChange) {
    const content = change.content && compact(change.content)
    return super.update(scope, memoryId, content ? { ...change, content } : change)
  }

  override decide(scope: Scope, contradictionId: string, decision: Decision) {
    const { remaining = [] } = decision
    return super.decide(scope, contradictionId, { ...decision, remaining: remaining.map(compact) })
  }

  override replaceVectors(scope: Scope, modelId: string, vectors: readonly ReplacedVector[]) {
    return super.replaceVectors(scope, modelId, vectors.map(compact))
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await Promise.all([this.#first, this.#second, this.#slices].map((each) => each.close()))
    // Last: as the only connection left, it empties the log into the database.
    await this.#writer.close()
    this.#lock.release()
  }
}

/** A message transfers a view's whole buffer, so the vector is copied out of its batch. */
function compact<T extends { readonly vector: Float32Array }>(draft: T): T {
  const { vector } = draft
  return vector.byteLength === vector.buffer.byteLength ? draft : { ...draft, vector: vector.slice() }
}
