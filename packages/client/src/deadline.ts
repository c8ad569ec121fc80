import type { Clock } from './clock.js'
import { TimeoutError } from './errors.js'

/** The longest delay that timers support on every platform. A longer timeout never fires. */
const longestTimerMs = 2_147_483_647

/** Combines the timeout of a call and the caller's signal into one signal. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #done = new AbortController()
  readonly #clock: Clock
  readonly #endsAt: number

  constructor(clock: Clock, timeoutMs: number, outer: AbortSignal | undefined) {
    this.#clock = clock
    this.#endsAt = clock.now() + timeoutMs
    if (outer !== undefined) this.#follow(outer)
    if (timeoutMs <= longestTimerMs) void this.#expireAfter(timeoutMs)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  leftMs(): number {
    return this.#endsAt - this.#clock.now()
  }

  /** Removes the timer and the listener, so that nothing keeps the process alive or leaks on a long-lived signal. */
  clear(): void {
    this.#done.abort()
  }

  #follow(outer: AbortSignal): void {
    if (outer.aborted) this.#controller.abort(outer.reason)
    outer.addEventListener('abort', () => this.#controller.abort(outer.reason), { signal: this.#done.signal })
  }

  async #expireAfter(timeoutMs: number): Promise<void> {
    await this.#clock.sleep(timeoutMs, this.#done.signal)
    if (this.#done.signal.aborted) return
    this.#controller.abort(new TimeoutError(`No complete response within ${timeoutMs} ms`))
  }
}
