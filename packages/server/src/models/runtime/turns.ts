/** Limits the number of concurrent calls; others wait in order of arrival. */
export class Turns {
  private running = 0
  private readonly waiting: (() => void)[] = []

  constructor(private readonly mostAtOnce: number) {}

  get waitingCount(): number {
    return this.waiting.length
  }

  /** Rejects with the signal's reason if it aborts before the turn has come. */
  async take<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (this.running >= this.mostAtOnce) await this.wait(signal)
    else this.running += 1
    try {
      return await work()
    } finally {
      // The slot goes straight to the next in line, so that no other call can take it.
      const next = this.waiting.shift()
      if (next) next()
      else this.running -= 1
    }
  }

  private wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const leave = () => {
        this.waiting.splice(this.waiting.indexOf(start), 1)
        reject(signal?.reason)
      }
      const start = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.waiting.push(start)
    })
  }
}
