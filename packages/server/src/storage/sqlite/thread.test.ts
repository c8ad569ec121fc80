import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { userScope } from '../../core/scope.js'
import { workerUrl } from '../../core/worker-url.js'
import { Drafts, start } from '../contract/notebook.js'
import { RevisionConflict } from '../ports/storage.js'
import type { Reads } from './reads.js'
import { type StartWorker, Thread } from './thread.js'
import type { Writes } from './writes.js'

/**
 * Starts a thread that exits when it is sent `'die'`. `worker.terminate()` must not be used for this: when it interrupts the
 * SQLite driver, the driver throws a C++ exception that nobody catches, and the whole process aborts.
 */
function mortalWorkers() {
  const started: Worker[] = []
  const startWorker: StartWorker = (url, workerData) => {
    const script = `import { parentPort } from 'node:worker_threads'
      await import(${JSON.stringify(url.href)})
      parentPort.on('message', (message) => message === 'die' && process.exit(1))`
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`), {
      workerData,
      execArgv: [],
    })
    started.push(worker)
    return worker
  }
  async function kill(): Promise<void> {
    const worker = started.at(-1)
    if (worker === undefined) throw new Error('no thread was started')
    const gone = once(worker, 'exit')
    worker.postMessage('die')
    await gone
  }
  return { startWorker, kill }
}

describe('a storage thread', () => {
  let directory = ''
  let writer: Thread<Writes>
  let reader: Thread<Reads>
  let kill: () => Promise<void>
  const logged: string[] = []
  const alice = userScope('alice')
  const drafts = new Drafts()

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'keepsake-thread-'))
    logged.length = 0
    const options = { path: join(directory, 'keepsake.db'), log: (message: string) => logged.push(message) }
    const mortal = mortalWorkers()
    kill = mortal.kill
    const { startWorker } = mortal
    writer = new Thread({ ...options, url: workerUrl(import.meta.url, './writer-worker.js'), startWorker })
    reader = new Thread({ ...options, url: workerUrl(import.meta.url, './reader-worker.js'), mostWaiting: 3 })
    await writer.start()
  })
  afterEach(async () => {
    await reader.close()
    await writer.close()
    await rm(directory, { recursive: true })
  })

  function commit(content: string, expectedRevision: number) {
    return writer.call(
      'commit',
      alice,
      drafts.storeCommit({ expectedRevision, memories: [drafts.memory({ content })] }),
    )
  }

  it('that dies fails what was under way as unavailable, says so, and is replaced for the next call', async () => {
    await commit('kept', 0)
    const underWay = Array.from({ length: 20 }, (_, i) => commit(`lost ${i}`, 1))
    const settled = Promise.allSettled(underWay)
    await kill()
    const failed = (await settled).flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    expect(failed.length).toBeGreaterThan(0)
    for (const reason of failed) {
      if (!(reason instanceof RevisionConflict)) expect(reason).toMatchObject({ code: 'unavailable', status: 503 })
    }
    expect(logged.join()).toContain('a storage thread ended')
    const { revision } = await reader.call('recognise', alice, {
      now: start,
      project: null,
      contentKeys: [],
      slots: [],
    })
    expect(await commit('after', revision)).toMatchObject({ revision: revision + 1 })
    expect((await reader.call('list', alice, { now: start, limit: 50 })).total).toBe(revision + 1)
  })

  it('refuses calls when too many wait', async () => {
    const calls = Array.from({ length: 5 }, () => reader.call('ping'))
    const results = await Promise.allSettled(calls)
    expect(results.map((result) => result.status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ])
    expect(results[4]).toMatchObject({ reason: { code: 'unavailable' } })
    await reader.call('ping')
  })

  it('carries errors over with their class and details', async () => {
    await expect(commit('x', 7)).rejects.toBeInstanceOf(RevisionConflict)
    await expect(commit('a\0b', 0)).rejects.toMatchObject({
      name: 'ServiceError',
      code: 'validation_error',
      details: [{ path: 'content', message: 'must not contain the NUL character' }],
    })
  })
})
