/** Remembers whether an engine takes writes: what a caller was told last, while it is fresh. */
import { ServiceError } from '../core/errors.js'

/** A full disk that nobody writes to may have been mended since: then nobody knows. */
const freshMs = 60_000
/** On a disk that is all but full small writes still find room: that one succeeds tells nothing yet. */
const doubtMs = 10_000

export class WriteRefusal {
  #reason: string | null = null
  #at = 0
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Passes the write's outcome on, and notes it. */
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
