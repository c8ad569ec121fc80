/**
 * The cores of one machine. All running jobs get the same share, at most one core each, as an operating system's
 * scheduler gives it to threads.
 *
 * `#progress` is the work in milliseconds that every job has received since the start. A job ends when the progress has
 * grown by its work, so a change of the number of jobs moves one event only.
 */
import { Heap } from './heap.js'
import type { Simulation } from './simulation.js'

interface Job {
  readonly endsAt: number
  readonly done: () => void
}

export class Processor {
  readonly #jobs = new Heap<Job>()
  #progress = 0
  #updatedAt = 0
  #busyMs = 0
  #turn = 0

  constructor(
    private readonly simulation: Simulation,
    readonly cores: number,
  ) {
    if (!(cores > 0)) throw new Error(`a machine needs cores, not ${cores}`)
  }

  /** Core milliseconds used so far. */
  get busyMs(): number {
    this.#update()
    return this.#busyMs
  }

  run(workMs: number, done: () => void): void {
    this.#update()
    const endsAt = this.#progress + workMs
    this.#jobs.push(endsAt, { endsAt, done })
    this.#schedule()
  }

  get #rate(): number {
    return this.#jobs.size === 0 ? 0 : Math.min(1, this.cores / this.#jobs.size)
  }

  #update(): void {
    const elapsed = this.simulation.now - this.#updatedAt
    this.#updatedAt = this.simulation.now
    this.#progress += elapsed * this.#rate
    this.#busyMs += elapsed * Math.min(this.cores, this.#jobs.size)
  }

  #schedule(): void {
    if (this.#jobs.size === 0) return
    const turn = ++this.#turn
    const left = Math.max(0, this.#jobs.firstKey - this.#progress)
    this.simulation.after(left / this.#rate, () => {
      // A job that came or went in the meantime has scheduled another event.
      if (turn === this.#turn) this.#finish()
    })
  }

  #finish(): void {
    this.#update()
    const due = this.#jobs.firstKey
    // Rounding must not leave a job unfinished for ever.
    this.#progress = Math.max(this.#progress, due)
    const ended = this.#jobs.pop()
    this.#schedule()
    ended?.done()
  }
}
