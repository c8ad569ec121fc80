/** For the tests of the index: a store's change log in memory, versions for it, and indexes over it. */
import { afterAll } from 'vitest'
import type { UserScope } from '../../core/scope.js'
import type { ChangeMark, ChangeSlice, IndexedVersion, IndexFeed } from '../../storage/ports/index-feed.js'
import type { SearchQuery } from './search.js'
import { isBefore } from './segment-keeper.js'
import { openUserIndexes } from './user-index.js'
import type { UserIndexes, UserIndexOptions } from './user-indexes.js'

// Not a multiple of the kernels' steps, so that padding is exercised.
export const dimensions = 100
export const modelId = 'test-model'

/** A store's change log in memory, as `storage.ts` describes it. */
export class MemoryFeed implements Pick<IndexFeed, 'changes'> {
  readonly users = new Map<string, UserLog>()
  calls = 0
  /** Awaited between reading a slice and returning it. */
  afterRead: () => Promise<void> = async () => undefined

  constructor(private readonly mostVersions = Number.POSITIVE_INFINITY) {}

  log(userId: string): UserLog {
    let log = this.users.get(userId)
    if (!log) {
      log = { revision: 0, versions: new Map(), removed: [] }
      this.users.set(userId, log)
    }
    return log
  }

  put(userId: string, ...versions: IndexedVersion[]): void {
    const log = this.log(userId)
    log.revision += 1
    for (const version of versions) log.versions.set(version.row, { revision: log.revision, version })
  }

  remove(userId: string, ...rows: number[]): void {
    const log = this.log(userId)
    log.revision += 1
    for (const row of rows) if (log.versions.delete(row)) log.removed.push({ revision: log.revision, row })
  }

  async changes(scope: UserScope, since: ChangeMark, limit: number, until?: ChangeMark): Promise<ChangeSlice> {
    this.calls += 1
    const slice = this.read(scope, since, limit, until)
    await this.afterRead()
    return slice
  }

  private read(scope: UserScope, since: ChangeMark, limit: number, until?: ChangeMark): ChangeSlice {
    // The index serves all projects of a user.
    if (scope.project !== undefined) throw new Error('changes of one project only')
    const log = this.users.get(scope.userId)
    if (!log) return { mark: { revision: 0, row: 0 }, more: false, changed: [], removedRows: [] }
    const isNew = (item: ChangeMark) => isBefore(since, item) && (until === undefined || !isBefore(until, item))
    const items = [
      ...[...log.versions].map(([row, { revision, version }]) => ({ revision, row, version })),
      ...log.removed.map((item) => ({ ...item, version: undefined })),
    ]
      .filter(isNew)
      .sort((a, b) => a.revision - b.revision || a.row - b.row)
    const slice = items.slice(0, Math.min(limit, this.mostVersions))
    const more = slice.length < items.length
    const last = slice.at(-1)
    return {
      mark:
        more && last ? { revision: last.revision, row: last.row } : (until ?? { revision: log.revision, row: 2 ** 52 }),
      more,
      changed: slice.flatMap(({ version }) => (version ? [version] : [])),
      removedRows: slice.flatMap(({ row, version }) => (version ? [] : [row])),
    }
  }
}

interface UserLog {
  revision: number
  versions: Map<number, { revision: number; version: IndexedVersion }>
  removed: { revision: number; row: number }[]
}

/** Opens indexes that are closed after all tests of the file. */
export function indexOpener(): (feed: Pick<IndexFeed, 'changes'>, options?: Partial<UserIndexOptions>) => UserIndexes {
  const opened: UserIndexes[] = []
  afterAll(() => Promise.all(opened.map((indexes) => indexes.close())))
  return (feed, options = {}) => {
    const indexes = openUserIndexes({ feed, dimensions, modelId, memoryBudgetBytes: 1e9, ...options })
    opened.push(indexes)
    return indexes
  }
}

function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
export const random = randomNumbers(12_345)

export function unitVector(): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => random() - 0.5)
  const length = Math.hypot(...vector)
  return vector.map((component) => component / length)
}

export function version(row: number, fields: Partial<IndexedVersion> & { vector?: Float32Array } = {}): IndexedVersion {
  const { vector = unitVector(), ...rest } = fields
  const scale = Math.max(...vector.map(Math.abs)) / 127
  return {
    row,
    content: 'nothing special',
    project: null,
    validFrom: 0,
    validTo: null,
    expiresAt: null,
    flagged: false,
    modelId,
    quantized: Int8Array.from(vector, (component) => Math.round(component / scale)),
    scale,
    ...rest,
  }
}

export const now: SearchQuery = {
  vector: null,
  text: null,
  moment: { kind: 'now', now: 1_000 },
  includeHistory: false,
  includeFlagged: false,
  limit: 10,
}

export async function rowsFound(
  indexes: UserIndexes,
  scope: UserScope,
  query: Partial<SearchQuery>,
): Promise<number[]> {
  const { hits } = await indexes.search(scope, { ...now, ...query })
  return hits.map((hit) => hit.row).sort((a, b) => a - b)
}

export function nextRow(feed: MemoryFeed, userId: string): number {
  const log = feed.log(userId)
  return Math.max(0, ...log.versions.keys(), ...log.removed.map(({ row }) => row)) + 1
}
