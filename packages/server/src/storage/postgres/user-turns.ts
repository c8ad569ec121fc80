/**
 * Writes of one user wait for each other here, before they take a connection. Otherwise they would wait in PostgreSQL for the
 * lock on the user's row, each occupying a connection that others could use.
 */
import { tooManyWaiting } from '../sql/refusals.js'

export class UserTurns {
  readonly #last = new Map<string, Promise<unknown>>()
  #waiting = 0

  constructor(private readonly mostWaiting: number) {}

  async run<T>(userId: string, work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= this.mostWaiting) throw tooManyWaiting()
    this.#waiting += 1
    const before = this.#last.get(userId)
    const turn = before === undefined ? work() : before.then(work)
    // The next turn runs whether or not this one succeeded.
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

  /** Resolves when every waiting turn is over. */
  async drained(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values())
  }
}
