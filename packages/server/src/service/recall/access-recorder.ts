/**
 * Counts accesses without delaying a recall: they are collected in memory and written in one batch shortly afterwards. Until they
 * are on disk, `pending` returns the counts to add, so a second recall sees the first. A crash loses at most the most recent
 * counts, never a memory.
 */
import type { Log } from '../../core/log.js'
import type { Access, MemoryWrites } from '../../storage/ports/memory-writes.js'

export interface AccessRecorder {
  record(userId: string, memoryIds: readonly string[], at: number): void
  pending(memoryId: string): { readonly count: number; readonly at: number } | undefined
  /** Resolves when everything recorded so far is on disk (or lost after an error). */
  settle(): Promise<void>
  close(): Promise<void>
}

const delayMs = 200
/** Counts per memory, so repeated accesses do not add entries. */
type Waiting = Map<string, { userId: string; count: number; at: number }>

export function accessRecorder(storage: Pick<MemoryWrites, 'recordAccess'>, log: Log): AccessRecorder {
  let waiting: Waiting = new Map()
  let writing: Waiting = new Map()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let closed = false

  async function write(): Promise<void> {
    if (timer) clearTimeout(timer)
    timer = undefined
    if (waiting.size === 0) return
    writing = waiting
    waiting = new Map()
    const batch: Access[] = [...writing].map(([memoryId, access]) => ({ memoryId, ...access }))
    try {
      await storage.recordAccess(batch)
    } catch (error) {
      log.warn({ err: error, accesses: batch.length }, 'access counts could not be written and are lost')
    } finally {
      writing = new Map()
    }
  }

  function flush(): Promise<void> {
    running = running.then(write)
    return running
  }

  return {
    record(userId, memoryIds, at) {
      if (closed) return
      for (const memoryId of memoryIds) {
        const known = waiting.get(memoryId)
        if (known) {
          known.count += 1
          known.at = Math.max(known.at, at)
        } else waiting.set(memoryId, { userId, count: 1, at })
      }
      if (waiting.size > 0 && !timer) {
        timer = setTimeout(() => void flush(), delayMs)
        timer.unref()
      }
    },
    pending(memoryId) {
      const first = waiting.get(memoryId)
      const second = writing.get(memoryId)
      if (!first) return second
      if (!second) return first
      return { count: first.count + second.count, at: Math.max(first.at, second.at) }
    },
    async settle() {
      if (waiting.size > 0 || writing.size > 0) await flush()
    },
    async close() {
      closed = true
      await flush()
    },
  }
}
