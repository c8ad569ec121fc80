import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { userScope } from '../../core/scope.js'
import { workerUrl } from '../../core/worker-url.js'
import { Drafts, start } from '../contract/notebook.js'
import { RevisionConflict } from '../ports/memory-writes.js'
import { commit as commitStore } from '../sql/memories/commit.js'
import { list } from '../sql/memories/list.js'
import { recognise } from '../sql/memories/read-memories.js'
import { ping } from '../sql/stats.js'
import { reads, writes } from './operations.js'
import { type StartedWorker, type StartWorker, Thread } from './thread.js'

describe('a storage thread', () => {
  let directory = ''
  let writer: Thread
  let reader: Thread
  let started: StartedWorker | undefined
  const logged: string[] = []
  const alice = userScope('alice')
  const drafts = new Drafts()

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'keepsake-thread-'))
    logged.length = 0
    const options = { path: join(directory, 'keepsake.db'), log: (message: string) => logged.push(message) }
    const startWorker: StartWorker = (url, workerData) => {
      started = new Worker(url, { workerData, execArgv: [] })
      return started
    }
    writer = new Thread({
      ...options,
      url: workerUrl(import.meta.url, './writer-worker.js'),
      operations: writes,
      startWorker,
    })
    const url = workerUrl(import.meta.url, './reader-worker.js')
    reader = new Thread({ ...options, url, operations: reads, mostWaiting: 3 })
    await writer.start()
  })
  afterEach(async () => {
    await reader.close()
    await writer.close()
    await rm(directory, { recursive: true })
  })

  function commit(content: string, expectedRevision: number) {
    return writer.call(
      commitStore,
      alice,
      drafts.storeCommit({ expectedRevision, memories: [drafts.memory({ content })] }),
    )
  }

  /** By an uncaught error. Terminating a thread inside native code can crash the whole process, so no test does. */
  async function dies(worker: StartedWorker | undefined): Promise<void> {
    const gone = new Promise((resolve) => worker?.once('exit', resolve))
    // No such message exists.
    worker?.postMessage(null as unknown as 'close')
    await gone
  }

  it('fails calls in flight as unavailable when it dies, logs that, and is replaced for the next call', async () => {
    await commit('kept', 0)
    const underWay = Array.from({ length: 20 }, (_, i) => commit(`lost ${i}`, 1))
    const settled = Promise.allSettled(underWay)
    await dies(started)
    const failed = (await settled).flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    expect(failed.length).toBeGreaterThan(0)
    for (const reason of failed) {
      if (!(reason instanceof RevisionConflict)) expect(reason).toMatchObject({ code: 'unavailable', status: 503 })
    }
    expect(logged.join()).toContain('a storage thread ended')
    const { revision } = await reader.call(recognise, alice, {
      now: start,
      project: null,
      contentKeys: [],
      slots: [],
    })
    expect(await commit('after', revision)).toMatchObject({ revision: revision + 1 })
    expect((await reader.call(list, alice, { now: start, limit: 50 })).total).toBe(revision + 1)
  })

  it('refuses an operation that is not listed', () => {
    const unlisted = async () => 1
    expect(() => reader.call(unlisted)).toThrow('not listed')
  })

  it('refuses calls when too many wait', async () => {
    const calls = Array.from({ length: 5 }, () => reader.call(ping))
    const results = await Promise.allSettled(calls)
    expect(results.map((result) => result.status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ])
    expect(results[4]).toMatchObject({ reason: { code: 'unavailable' } })
    await reader.call(ping)
  })

  it('keeps the class and details of errors across the thread boundary', async () => {
    await expect(commit('x', 7)).rejects.toBeInstanceOf(RevisionConflict)
    await expect(commit('a\0b', 0)).rejects.toMatchObject({
      name: 'ServiceError',
      code: 'validation_error',
      details: [{ path: 'content', message: 'must not contain the NUL character' }],
    })
  })
})
