import type { Clock } from '../../core/clock.js'
import type { Log } from '../../core/log.js'

const useResolutionMs = 60_000
const useDelayMs = 2_000

export interface UseRecorder {
  record(used: { readonly id: string; readonly lastUsedAt: number | null }): void
  flush(): Promise<void>
  close(): Promise<void>
}

export interface UseRecorderOptions {
  readonly write: (uses: readonly { readonly id: string; readonly at: number }[]) => Promise<void>
  readonly clock: Clock
  readonly log: Log
}

/** Records `last_used_at` to the minute, in batches, after a short delay. If a write fails, the next use is recorded instead. */
export function useRecorder({ write: writeUses, clock, log }: UseRecorderOptions): UseRecorder {
  const waiting = new Map<string, number>()
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let closed = false

  async function write(): Promise<void> {
    const batch = [...waiting].map(([id, at]) => ({ id, at }))
    if (batch.length === 0) return
    try {
      await writeUses(batch)
    } catch (error) {
      log.warn({ err: error, keys: batch.length }, 'the last use of some keys could not be written')
    }
    // Only now: a key or grant stays out of the next batch until its row shows this use.
    for (const { id } of batch) waiting.delete(id)
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    running = running.then(write)
    return running
  }

  function schedule(): void {
    if (timer) return
    timer = setTimeout(() => void flush(), useDelayMs)
    timer.unref()
  }

  return {
    record({ id, lastUsedAt }) {
      const at = clock.now()
      if (closed || waiting.has(id) || (lastUsedAt !== null && at - lastUsedAt < useResolutionMs)) return
      waiting.set(id, at)
      schedule()
    },
    flush,
    async close() {
      closed = true
      await flush()
    },
  }
}
