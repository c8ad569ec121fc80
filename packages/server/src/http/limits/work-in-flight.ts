/**
 * Bounds the requests in progress. Beyond the bound, requests are refused immediately, before any work is spent on them: a request
 * that waits longer than its sender does is wasted work. A request counts until its work has ended, even if its sender has hung up.
 */
import { type ServiceError, unavailable } from '../../core/errors.js'

export class WorkInFlight {
  #count = 0
  #waiting: (() => void)[] = []

  constructor(private readonly most: number) {}

  /** @throws ServiceError if there is no room. Call this before a key is checked or a body is read. */
  requireRoom(): void {
    if (this.#count >= this.most) throw this.#full()
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    // Other requests may have arrived while the body was read.
    this.requireRoom()
    this.#count += 1
    try {
      return await work()
    } finally {
      this.#count -= 1
      if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve()
    }
  }

  /** Resolves once no work is in progress. */
  async ended(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #full(): ServiceError {
    return unavailable(`Too many requests are in progress (at most ${this.most}); try again in a moment`)
  }
}
