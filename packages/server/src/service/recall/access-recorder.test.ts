import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { type Log, silentLog } from '../../core/log.js'
import type { Access } from '../../storage/ports/memory-writes.js'
import { accessRecorder } from './access-recorder.js'

afterEach(() => vi.useRealTimers())

/** Keeps the written batches. A write can be delayed or made to fail. */
function recordingStore() {
  const batches: (readonly Access[])[] = []
  const store = {
    batches,
    before: async (): Promise<void> => undefined,
    async recordAccess(accesses: readonly Access[]) {
      await store.before()
      batches.push(accesses)
    },
  }
  return store
}

it('writes accesses in one batch after a short delay', async () => {
  vi.useFakeTimers()
  const store = recordingStore()
  const recorder = accessRecorder(store, silentLog)
  recorder.record('ann', ['mem_1', 'mem_2'], 10)
  recorder.record('ann', ['mem_1'], 30)
  recorder.record('bob', ['mem_3'], 20)
  recorder.record('bob', [], 20)
  expect(store.batches).toEqual([])
  await vi.runAllTimersAsync()
  expect(store.batches).toEqual([
    [
      { memoryId: 'mem_1', userId: 'ann', count: 2, at: 30 },
      { memoryId: 'mem_2', userId: 'ann', count: 1, at: 10 },
      { memoryId: 'mem_3', userId: 'bob', count: 1, at: 20 },
    ],
  ])
  expect(vi.getTimerCount()).toBe(0)
})

it('reports accesses that are not on disk yet, even while they are being written', async () => {
  const store = recordingStore()
  const recorder = accessRecorder(store, silentLog)
  let finish = (): void => undefined
  store.before = () => new Promise((resolve) => (finish = resolve))
  recorder.record('ann', ['mem_1'], 10)
  const settling = recorder.settle()
  await Promise.resolve()
  recorder.record('ann', ['mem_1'], 5)
  expect(recorder.pending('mem_1')).toMatchObject({ count: 2, at: 10 })
  expect(recorder.pending('mem_2')).toBeUndefined()
  store.before = async () => undefined
  finish()
  await settling
  expect(recorder.pending('mem_1')).toMatchObject({ count: 1, at: 5 })
  await recorder.settle()
  expect(recorder.pending('mem_1')).toBeUndefined()
})

it('counts every access exactly once, however often it settles', async () => {
  const step = fc.oneof(
    fc.record({ ids: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }) }),
    fc.constant('settle' as const),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step), async (steps) => {
      const store = recordingStore()
      const recorder = accessRecorder(store, silentLog)
      const expected = new Map<string, number>()
      for (const each of steps) {
        if (each === 'settle') void recorder.settle()
        else {
          recorder.record('ann', each.ids, 1)
          for (const id of each.ids) expected.set(id, (expected.get(id) ?? 0) + 1)
        }
      }
      await recorder.close()
      const written = new Map<string, number>()
      for (const { memoryId, count } of store.batches.flat())
        written.set(memoryId, (written.get(memoryId) ?? 0) + count)
      expect(written).toEqual(expected)
    }),
  )
})

it('logs that counts are lost when a write fails, and continues', async () => {
  const warn = vi.fn<Log['warn']>()
  const store = recordingStore()
  const recorder = accessRecorder(store, { ...silentLog, warn })
  store.before = () => Promise.reject(new Error('disk full'))
  recorder.record('ann', ['mem_1'], 10)
  await recorder.settle()
  expect(warn).toHaveBeenCalledOnce()
  expect(recorder.pending('mem_1')).toBeUndefined()
  store.before = async () => undefined
  recorder.record('ann', ['mem_2'], 10)
  await recorder.close()
  expect(store.batches.flat()).toEqual([{ memoryId: 'mem_2', userId: 'ann', count: 1, at: 10 }])
})

it('writes pending accesses on close and accepts none afterwards', async () => {
  const store = recordingStore()
  const recorder = accessRecorder(store, silentLog)
  recorder.record('ann', ['mem_1'], 10)
  await recorder.close()
  recorder.record('ann', ['mem_2'], 20)
  await recorder.close()
  expect(store.batches.flat().map(({ memoryId }) => memoryId)).toEqual(['mem_1'])
})
