/**
 * How many requests are worked on at once. Beyond it the rest is told to come back, at once and before anything is spent on it:
 * what waits longer than its sender does is work for nothing. A request counts until its work has ended, also when its sender
 * has hung up.
 */
import { type ServiceError, unavailable } from '../../core/errors.js'

export class WorkInFlight {
  #count = 0

  constructor(private readonly most: number) {}

  /** @throws ServiceError when there is no room. Look before a key is checked or a body is read. */
  requireRoom(): void {
    if (this.#count >= this.most) throw this.#full()
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    // Others may have come while the body was read.
    this.requireRoom()
    this.#count += 1
    try {
      return await work()
    } finally {
      this.#count -= 1
    }
  }

  #full(): ServiceError {
    return unavailable(`Too many requests are being worked on (at most ${this.most}); try again in a moment`)
  }
}
