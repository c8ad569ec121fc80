/** A timer is limited to 2^31 - 1 ms (24.8 days), so longer intervals count down in steps. */
const longestTimerMs = 86_400_000

export interface Schedule {
  close(): Promise<void>
}

/** Runs `work`, which must not reject, once per interval, and never twice at a time. Closing waits for the current run. */
export function schedule(intervalMs: number | undefined, work: () => Promise<void>): Schedule {
  if (intervalMs === undefined) return { close: () => Promise.resolve() }
  let running: Promise<void> = Promise.resolve()
  let leftMs = intervalMs
  let timer: NodeJS.Timeout
  const wait = (): void => {
    const stepMs = Math.min(leftMs, longestTimerMs)
    timer = setTimeout(() => {
      leftMs -= stepMs
      if (leftMs <= 0) {
        leftMs = intervalMs
        running = running.then(work)
      }
      wait()
    }, stepMs)
    timer.unref()
  }
  wait()
  return {
    async close() {
      clearTimeout(timer)
      await running
    },
  }
}
