/**
 * Lines on their way to a file, in order. A failed write is retried from the byte where it stopped, so a full disk that is
 * freed leaves no gap. The queue is bounded: a line that no longer fits is refused, and the caller reports it later.
 */
export interface AppendQueueOptions {
  /** Appends as many of the bytes as it can and returns their number. */
  readonly write: (bytes: Buffer) => Promise<number>
  readonly onError: (error: unknown) => void
  readonly maxWaitingBytes?: number
  readonly retryDelayMs?: number
}

export class AppendQueue {
  readonly #options: Required<AppendQueueOptions>
  readonly #waiting: (Buffer | (() => Promise<void>))[] = []
  #waitingBytes = 0
  #draining: Promise<void> | undefined
  #soon: NodeJS.Immediate | undefined
  #retry: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: AppendQueueOptions) {
    this.#options = { maxWaitingBytes: 16 * 1024 * 1024, retryDelayMs: 1000, ...options }
  }

  /** False when too much waits already, or the queue is closed: the line was not taken. */
  push(line: string): boolean {
    if (this.#isClosed || this.#waitingBytes >= this.#options.maxWaitingBytes) return false
    const bytes = Buffer.from(line, 'utf8')
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    this.#startSoon()
    return true
  }

  /**
   * Runs the step after all lines pushed so far are written and before those pushed later. The step must not fail. A failed
   * write before it is retried first.
   */
  between(step: () => Promise<void>): void {
    this.#waiting.push(step)
    this.#startSoon()
  }

  /** Resolves when everything is written, or a last attempt failed. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    clearImmediate(this.#soon)
    if (this.#soon) void this.#start()
    await this.#draining
    if (this.#waiting.length > 0) await this.#start()
  }

  /**
   * Writing wakes a thread that may take the processor from the one that answers requests: the lines of one turn of the event
   * loop are written together, after its answers.
   */
  #startSoon(): void {
    if (this.#retry || this.#draining) return
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined
      void this.#start()
    })
  }

  /** One drain at a time. After a failure nothing is written before the retry: otherwise every line would report the failure again. */
  #start(): Promise<void> {
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = undefined
      if (this.#waiting.length === 0 || this.#isClosed) return
      this.#retry = setTimeout(() => {
        this.#retry = undefined
        void this.#start()
      }, this.#options.retryDelayMs)
      this.#retry.unref()
    })
    return this.#draining
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const [first] = this.#waiting
      if (typeof first === 'function') {
        this.#waiting.shift()
        await first()
        continue
      }
      try {
        await this.#writeLines()
      } catch (error) {
        this.#options.onError(error)
        return
      }
    }
  }

  /** The lines up to the next step, in one write; what it does not take stays in front. */
  async #writeLines(): Promise<void> {
    const end = this.#waiting.findIndex((each) => typeof each === 'function')
    const lines = this.#waiting.splice(0, end < 0 ? this.#waiting.length : end)
    const bytes = Buffer.concat(lines.filter((each) => typeof each !== 'function'))
    // Lines pushed during the write go behind the rest of these.
    this.#waiting.unshift(bytes)
    const written = await this.#options.write(bytes)
    if (written === 0) throw new Error('the file takes no more bytes')
    this.#waiting[0] = bytes.subarray(written)
    if (written === bytes.length) this.#waiting.shift()
    this.#waitingBytes -= written
  }
}
