/**
 * Lines on their way to a file, in order. A write that fails is tried again from the byte where it
 * stopped, so a full disk that is freed leaves no gap; what waits is bounded, and what no longer fits
 * is refused, for the caller to tell of it later.
 */
export interface AppendQueue {
  /** False when too much waits already, or the queue is closed: the line was not taken. */
  push(line: string): boolean
  /**
   * Runs when all lines pushed so far are written, and before those pushed later are. Must not fail; a failed write before it
   * is tried again first.
   */
  between(step: () => Promise<void>): void
  /** Resolves when everything is written, or a last try failed. */
  close(): Promise<void>
}

export interface AppendQueueOptions {
  /** Appends as many of the bytes as it can; how many that were. */
  readonly write: (bytes: Buffer) => Promise<number>
  readonly onError: (error: unknown) => void
  readonly maxWaitingBytes?: number
  readonly retryDelayMs?: number
}

export function appendQueue(options: AppendQueueOptions): AppendQueue {
  const { write, onError, maxWaitingBytes = 16 * 1024 * 1024, retryDelayMs = 1000 } = options
  const waiting: (Buffer | (() => Promise<void>))[] = []
  let waitingBytes = 0
  let draining: Promise<void> | undefined
  let closed = false
  let soon: NodeJS.Immediate | undefined
  let retry: NodeJS.Timeout | undefined

  /** The lines up to the next step, as one. */
  function takeLines(): Buffer {
    const end = waiting.findIndex((each) => typeof each === 'function')
    const lines = waiting.splice(0, end < 0 ? waiting.length : end)
    return Buffer.concat(lines.filter((each) => typeof each !== 'function'))
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const [first] = waiting
      if (typeof first === 'function') {
        waiting.shift()
        await first()
        continue
      }
      const bytes = takeLines()
      try {
        // Lines that come meanwhile stand behind what is left of these.
        waiting.unshift(bytes)
        const written = await write(bytes)
        if (written === 0) throw new Error('the file takes no more bytes')
        waiting[0] = bytes.subarray(written)
        if (written === bytes.length) waiting.shift()
        waitingBytes -= written
      } catch (error) {
        onError(error)
        return
      }
    }
  }

  /** One drain at a time; after a failure nothing is tried before the retry, or each line would report anew. */
  function start(): Promise<void> {
    draining ??= drain().finally(() => {
      draining = undefined
      if (waiting.length === 0 || closed) return
      retry = setTimeout(() => {
        retry = undefined
        void start()
      }, retryDelayMs)
      retry.unref()
    })
    return draining
  }

  /** Writing wakes a thread, which may take the processor from whoever answers: the lines of one turn go out together, after its answers. */
  function startSoon(): void {
    if (retry || draining) return
    soon ??= setImmediate(() => {
      soon = undefined
      void start()
    })
  }

  return {
    push(line) {
      if (closed || waitingBytes >= maxWaitingBytes) return false
      const bytes = Buffer.from(line, 'utf8')
      waiting.push(bytes)
      waitingBytes += bytes.length
      startSoon()
      return true
    },
    between(step) {
      waiting.push(step)
      startSoon()
    },
    async close() {
      closed = true
      clearTimeout(retry)
      clearImmediate(soon)
      if (soon) void start()
      await draining
      if (waiting.length > 0) await start()
    },
  }
}
