/**
 * Keeps a worker's JavaScript heap near what it needs. What the native modules hand out lives until a full collection, and V8
 * does one only after a heap has grown by a dozen megabytes: at a few requests a second that takes it a quarter of an hour, and
 * with half a dozen threads looks like a leak. These heaps need less than ten megabytes: a collection takes 10 to 20 ms, and at
 * most a few are due in a minute.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const lookMs = 30_000
const leastGrowthBytes = 2 * 2 ** 20
/** Above it a collection takes long enough to be felt, and V8 knows best when. */
const mostBytes = 32 * 2 ** 20

export interface Heap {
  /** Without what is too young to have been looked at: that goes by itself within seconds. */
  usedBytes(): number
  collect(): void
}

/** To be called once by a worker. */
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

/** Each call collects if there is enough to gain since the last time. */
export function lookAt(heap: Heap): () => void {
  let needed = 0
  return () => {
    const used = heap.usedBytes()
    // V8 may have collected by itself.
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

/** V8 gives it to contexts that are made while the flag is set. Undefined where another thread cleared it meanwhile. */
export function collector(): (() => void) | undefined {
  setFlagsFromString('--expose-gc')
  const found: unknown = runInNewContext('globalThis.gc')
  setFlagsFromString('--no-expose-gc')
  // V8's own function: without arguments it collects all.
  return typeof found === 'function' ? () => void found() : undefined
}
