/** Remembers whether an engine accepts writes: the last refusal, while it is recent. */
import { ServiceError } from '../../core/errors.js'

/** If nobody writes, the cause of a refusal may have been fixed: after this time the refusal no longer counts. */
const freshMs = 60_000
/** On an almost full disk small writes still succeed: a success this soon after a refusal proves nothing. */
const doubtMs = 10_000

export class WriteRefusal {
  #reason: string | null = null
  #at = 0
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Passes the outcome of the write on, and remembers it. */
  async watch<T>(write: Promise<T>): Promise<T> {
    try {
      const result = await write
      if (this.#now() - this.#at >= doubtMs) this.#reason = null
      return result
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'unavailable') {
        this.#reason = error.message
        this.#at = this.#now()
      }
      throw error
    }
  }

  reason(): string | null {
    return this.#reason !== null && this.#now() - this.#at < freshMs ? this.#reason : null
  }
}
