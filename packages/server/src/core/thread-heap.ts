/**
 * Keeps a worker's JavaScript heap close to the size it needs. Objects of native modules live until a full garbage collection, which
 * V8 runs only after a heap has grown by a dozen megabytes. At a few requests per second that takes a quarter of an hour, and
 * with half a dozen threads it looks like a leak. These heaps need less than ten megabytes: a collection takes 10 to 20 ms, and
 * at most a few are needed per minute.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const lookMs = 30_000
const leastGrowthBytes = 2 * 2 ** 20
/** Above this a collection takes noticeably long, and V8 knows best when to run it. */
const mostBytes = 32 * 2 ** 20

export interface Heap {
  /** Without the young generation, which V8 collects within seconds. */
  usedBytes(): number
  collect(): void
}

/** Call once per worker. */
export function keepHeapSmall(): void {
  let collect: (() => void) | undefined
  const look = lookAt({
    usedBytes: settledBytes,
    collect() {
      collect ??= collector()
      collect?.()
    },
  })
  setInterval(look, lookMs).unref()
}

/** Each call collects if the heap has grown enough since the last time. */
export function lookAt(heap: Heap): () => void {
  let needed = 0
  return () => {
    const used = heap.usedBytes()
    // V8 may have collected in the meantime.
    needed = Math.min(needed, used)
    if (used > mostBytes || used - needed < leastGrowthBytes) return
    heap.collect()
    needed = heap.usedBytes()
  }
}

export function settledBytes(): number {
  return getHeapSpaceStatistics()
    .filter((space) => !space.space_name.startsWith('new_'))
    .reduce((sum, space) => sum + space.space_used_size, 0)
}

/** V8 exposes it to contexts created while the flag is set. Undefined where another thread has cleared the flag. */
export function collector(): (() => void) | undefined {
  setFlagsFromString('--expose-gc')
  const found: unknown = runInNewContext('globalThis.gc')
  setFlagsFromString('--no-expose-gc')
  // V8's own function: without arguments it runs a full collection.
  return typeof found === 'function' ? () => void found() : undefined
}
