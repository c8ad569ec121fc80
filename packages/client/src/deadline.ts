import type { Clock } from './clock.js'
import { TimeoutError } from './errors.js'

/** What timers of every platform can count to; a longer time-out is none. */
const longestTimerMs = 2_147_483_647

/** The end of one call: its time-out or the caller's signal, whichever comes first, as one signal. */
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

  /** Takes the timer and the listener away, so that nothing keeps a process or a long-lived signal busy. */
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
    this.#controller.abort(new TimeoutError(`No complete answer within ${timeoutMs} ms`))
  }
}
