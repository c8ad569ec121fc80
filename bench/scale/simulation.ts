/** The clock of a discrete-event simulation, in milliseconds. */
import { Heap } from './heap.js'

export class Simulation {
  #now = 0
  readonly #events = new Heap<() => void>()

  get now(): number {
    return this.#now
  }

  at(time: number, run: () => void): void {
    if (time < this.#now) throw new Error(`an event at ${time} ms is in the past: it is ${this.#now} ms`)
    this.#events.push(time, run)
  }

  after(delayMs: number, run: () => void): void {
    this.at(this.#now + delayMs, run)
  }

  /** Runs all events up to this time. */
  runUntil(end: number): void {
    while (this.#events.firstKey <= end) {
      this.#now = this.#events.firstKey
      this.#events.pop()?.()
    }
    this.#now = end
  }
}
