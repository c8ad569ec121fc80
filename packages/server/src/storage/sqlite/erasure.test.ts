import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { alice, bob, employment, Notebook, start } from '../contract/notebook.js'
import type { Storage } from '../ports/storage.js'
import { openSqliteStorage } from './sqlite-storage.js'

const canary = 'xyzzy-canary'

describe('forgotten content', () => {
  let dataDir = ''
  let storage: Storage
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'keepsake-erasure-'))
    storage = await openSqliteStorage({ dataDir })
  })
  afterEach(async () => {
    await storage.close()
    await rm(dataDir, { recursive: true })
  })

  /** Read by another process: closing our own handle of a file would drop the locks that SQLite holds on it. */
  async function filesWithCanary(): Promise<string[]> {
    const files = (await readdir(dataDir)).map((name) => join(dataDir, name))
    const found = await new Promise<string>((resolve, reject) => {
      execFile('grep', ['-l', '-a', '-i', canary, ...files], (error, stdout) => {
        // grep exits with 1 if it finds nothing.
        if (error && error.code !== 1) reject(error)
        else resolve(stdout)
      })
    })
    return found.split('\n').filter((line) => line !== '')
  }

  const secret = employment(`John ${canary}`, `Acme ${canary}`, {
    metadata: { note: canary },
    project: canary,
    expiresAt: start + 5,
  })

  it('is in no file, not even the log, as soon as forget has returned', async () => {
    const notebook = new Notebook(storage)
    await notebook.store(bob, employment('Mary', 'Globex'))
    const id = await notebook.storeOne(alice, secret)
    await storage.update(alice, id, {
      now: start + 1,
      content: notebook.draft({ ...secret, content: `now ${canary}` }),
    })
    expect(await filesWithCanary()).not.toEqual([])
    await storage.forget(alice, { memoryIds: [id] })
    expect(await filesWithCanary()).toEqual([])
  })

  it('is not left in contradictions or entity merges', async () => {
    const notebook = new Notebook(storage)
    const kept = await notebook.storeOne(alice, employment('Peggy', 'Globex'))
    const told = await notebook.storeOne(alice, {
      content: `Agent ${canary} is Peggy`,
      entities: [[`Agent ${canary}`, 'PERSON', 'Peggy']],
      doubts: [kept],
    })
    const { items } = await storage.listContradictions(alice, { now: start, limit: 9, offset: 0 })
    expect(items).toHaveLength(1)
    await storage.decide(alice, items[0]?.id ?? '', { verdict: 'accept', now: start + 1 })
    await storage.decide(alice, items[0]?.id ?? '', { verdict: 'revert', now: start + 2 })
    await storage.forget(alice, { memoryIds: [told] })
    expect(await filesWithCanary()).toEqual([])
    expect((await storage.list(alice, { now: start + 3, limit: 9 })).items.map(({ id }) => id)).toEqual([kept])
  })

  it('is not left in the inbox', async () => {
    const notebook = new Notebook(storage)
    const ids = [notebook.id('doc'), notebook.id('doc')] as const
    for (const id of ids) await storage.keepRaw(alice, { id, payload: `${canary} `.repeat(500) })
    const memory = notebook.memory(secret)
    await notebook.commit(alice, { memories: [memory], rawId: ids[0] })
    await storage.forget(alice, { all: true })
    expect(await filesWithCanary()).toEqual([])
  })

  it('is not left in a kept answer', async () => {
    const notebook = new Notebook(storage)
    const keep = async () => {
      const memory = notebook.memory(secret)
      const items = [{ memoryId: memory.id, payload: `${canary} `.repeat(500) }]
      const answer = { keyHash: notebook.id('doc'), fingerprint: 'f', after: start - 1, summary: '{}', items }
      await notebook.commit(alice, { memories: [memory], answer })
      return memory.id
    }
    await storage.forget(alice, { memoryIds: [await keep()] })
    expect(await filesWithCanary()).toEqual([])
    await keep()
    await storage.purgeExpired(alice, start + 5)
    expect(await filesWithCanary()).toEqual([])
    await keep()
    await storage.forget(alice, { all: true })
    expect(await filesWithCanary()).toEqual([])
  })

  it('is not left in a stored part of the search index', async () => {
    const notebook = new Notebook(storage)
    const kind = { modelId: 'test-model', format: 1 }
    const keep = async (scope: typeof alice) => {
      const { mark, changed } = await storage.changes(scope, { revision: 0, row: 0 }, 1_000)
      const bytes = new TextEncoder().encode(`${canary} `.repeat(20_000))
      const rows = changed.map(({ row }) => row)
      const segment = { from: { revision: 0, row: 0 }, to: mark, rows, seed: 1, bytes }
      expect(await storage.indexSegments.saveSegment(scope, kind, segment)).toBe(true)
    }
    const [id = ''] = await notebook.store(alice, { content: 'forgotten' }, { content: 'kept' })
    await keep(alice)
    expect(await filesWithCanary()).not.toEqual([])
    await storage.forget(alice, { memoryIds: [id] })
    expect(await filesWithCanary()).toEqual([])
    await keep(alice)
    await storage.forget(alice, { all: true })
    expect(await filesWithCanary()).toEqual([])
  })

  it('is gone after a purge and after forgetting a user', async () => {
    const notebook = new Notebook(storage)
    await notebook.store(alice, secret)
    await storage.purgeExpired(alice, start + 5)
    expect(await filesWithCanary()).toEqual([])
    await notebook.store(alice, { ...secret, content: `${canary} ${'long '.repeat(5_000)}` }, secret)
    await storage.forget(alice, { all: true })
    expect(await filesWithCanary()).toEqual([])
  })
})
