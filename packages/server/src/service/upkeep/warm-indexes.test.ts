import { describe, expect, it } from 'vitest'
import { userScope } from '../../core/scope.js'
import type { UserIndexes } from '../../retrieval/index/user-indexes.js'
import { noting, type WarmDeps, warmIndexes } from './warm-indexes.js'

class Setting {
  readonly loaded: string[] = []
  readonly recorded: { readonly userIds: readonly string[]; readonly at: number }[] = []
  readonly warnings: unknown[] = []
  pending = 0
  lastActive = ['ann', 'bob', 'cid', 'dan']
  onLoad: () => void = () => undefined
  readonly searched = new Set<string>()
  readonly indexes: UserIndexes = {
    refresh: async (scope) => {
      this.onLoad()
      this.loaded.push(scope.userId)
      return { scope, searchedIn: 'memory' }
    },
    search: async () => ({ hits: [], searched: 0, searchedIn: 'memory' }),
    searchAhead: async () => [],
    stats: () => ({ users: 0, versions: 0, bytes: this.loaded.length * 100, pending: this.pending }),
    kept: async () => undefined,
    close: async () => undefined,
  }

  start(memoryBudgetBytes = 1_000) {
    const warn = (fields: unknown) => this.warnings.push(fields)
    const deps: WarmDeps = {
      storage: {
        recordActive: async (userIds, at) => void this.recorded.push({ userIds, at }),
        lastActive: async (limit) => this.lastActive.slice(0, limit),
      },
      indexes: this.indexes,
      log: { info: warn, warn, error: warn },
      clock: { now: () => 42 },
      memoryBudgetBytes,
      delayMs: 0,
    }
    return warmIndexes(deps, this.searched)
  }
}

describe('the indexes of the last active users', () => {
  it('are loaded after a start, the most recent first', async () => {
    const setting = new Setting()
    const warm = setting.start()
    await warm.warmed
    expect(setting.loaded).toEqual(['ann', 'bob', 'cid', 'dan'])
    await warm.close()
    // Loading ahead is not a search.
    expect(setting.recorded).toEqual([])
  })

  it('fill at most half of the memory', async () => {
    const setting = new Setting()
    const warm = setting.start(300)
    await warm.warmed
    expect(setting.loaded).toEqual(['ann', 'bob'])
    await warm.close()
  })

  it('wait while requests are pending', async () => {
    const setting = new Setting()
    setting.onLoad = () => {
      setting.pending = 1
    }
    const warm = setting.start()
    while (setting.loaded.length === 0) await new Promise(setImmediate)
    setting.onLoad = () => undefined
    expect(setting.loaded).toEqual(['ann'])
    setting.pending = 0
    await warm.warmed
    expect(setting.loaded).toHaveLength(4)
    await warm.close()
  })

  it('are not loaded any more once the service stops', async () => {
    const setting = new Setting()
    setting.pending = 1
    const warm = setting.start()
    await warm.close()
    expect(setting.loaded).toEqual([])
    expect(setting.warnings).toEqual([])
  })

  it('do not stop a start if they cannot be loaded', async () => {
    const setting = new Setting()
    setting.onLoad = () => {
      throw new Error('the database cannot be reached')
    }
    const warm = setting.start()
    await warm.warmed
    expect(setting.warnings).toHaveLength(1)
    await warm.close()
  })

  it('are of those who searched, recorded at the latest when the service stops', async () => {
    const setting = new Setting()
    const indexes = noting(setting.indexes, setting.searched)
    const query = { vector: null, text: 'tea', includeHistory: false, includeFlagged: false, limit: 1 }
    for (const userId of ['eve', 'fay', 'eve']) {
      await indexes.search(userScope(userId), { ...query, moment: { kind: 'now', now: 1 } })
    }
    const warm = setting.start()
    await warm.close()
    expect(setting.recorded).toEqual([{ userIds: ['eve', 'fay'], at: 42 }])
  })
})
