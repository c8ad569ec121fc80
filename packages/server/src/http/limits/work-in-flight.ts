/**
 * Bounds the requests in progress. Beyond the bound, requests are refused immediately, before any work is spent on them: a request
 * that waits longer than its sender does is wasted work. A request counts until its work has ended, even if its sender has hung up.
 * One key gets at most half of the places, so that its slow requests leave room for others.
 */
import { ServiceError, unavailable } from '../../core/errors.js'
import { type Caller, keyIdOf } from '../access/caller-scope.js'

export class WorkInFlight {
  readonly #mostPerKey: number
  readonly #byKey = new Map<string, number>()
  #count = 0
  #waiting: (() => void)[] = []

  constructor(private readonly most: number) {
    this.#mostPerKey = Math.ceil(most / 2)
  }

  /** @throws ServiceError if there is no room. Call this before a key is checked or a body is read. */
  requireRoom(): void {
    if (this.#count >= this.most) throw this.#full()
  }

  async run<T>(work: () => Promise<T>, caller: Caller = { kind: 'nobody' }): Promise<T> {
    // Other requests may have arrived while the body was read.
    this.requireRoom()
    // Without keys, all users may come from one address.
    const key = keyIdOf(caller) ?? undefined
    this.#countKey(key, 1)
    this.#count += 1
    try {
      return await work()
    } finally {
      this.#countKey(key, -1)
      this.#count -= 1
      if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve()
    }
  }

  /** Resolves once no work is in progress. */
  async ended(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #countKey(key: string | undefined, change: 1 | -1): void {
    if (key === undefined) return
    const count = (this.#byKey.get(key) ?? 0) + change
    if (count > this.#mostPerKey) throw this.#tooMany()
    if (count === 0) this.#byKey.delete(key)
    else this.#byKey.set(key, count)
  }

  #full(): ServiceError {
    return unavailable(`Too many requests are in progress (at most ${this.most}); try again in a moment`)
  }

  #tooMany(): ServiceError {
    const message = `Too many requests of this key are in progress (at most ${this.#mostPerKey}); try again in a moment`
    return new ServiceError('rate_limit_exceeded', message, undefined, undefined, 1)
  }
}
