/**
 * Writes of one user wait for each other here, before they take a connection: PostgreSQL would let them wait for the lock of
 * the user's row, each with a connection that others could use.
 */
import { unavailable } from '../../core/errors.js'

export class UserTurns {
  readonly #last = new Map<string, Promise<unknown>>()
  #waiting = 0

  constructor(private readonly mostWaiting: number) {}

  async run<T>(userId: string, work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= this.mostWaiting) throw unavailable('Storage has too many calls waiting')
    this.#waiting += 1
    const before = this.#last.get(userId)
    const turn = before === undefined ? work() : before.then(work)
    // Whether it succeeded is nothing to whoever comes next.
    const over = turn.then(
      () => undefined,
      () => undefined,
    )
    this.#last.set(userId, over)
    try {
      return await turn
    } finally {
      this.#waiting -= 1
      if (this.#last.get(userId) === over) this.#last.delete(userId)
    }
  }

  /** When all that wait now have had their turn. */
  async drained(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values())
  }
}
