/**
 * A queue with a number of servers: a thread with its inbox, or a pool of connections. A job holds a server for its
 * whole visit and is served in the order of arrival.
 */
import type { Processor } from './processor.js'

/** What a job does while it holds the server. It calls `release` once. */
type Visit = (release: () => void, isWaking: boolean) => void

export class Station {
  readonly #waiting: Visit[] = []
  #first = 0
  #busy = 0

  constructor(readonly servers: number) {
    if (!(servers >= 1)) throw new Error(`a station needs at least one server, not ${servers}`)
  }

  enter(visit: Visit): void {
    if (this.#busy === this.servers) this.#waiting.push(visit)
    else this.#start(visit, this.#busy === 0)
  }

  /** Runs on the processor while it holds a server. A thread that has slept needs `wakeMs` more. */
  compute(processor: Processor, workMs: number, wakeMs: number, done: () => void): void {
    this.enter((release, isWaking) => {
      processor.run(workMs + (isWaking ? wakeMs : 0), () => {
        release()
        done()
      })
    })
  }

  #start(visit: Visit, isWaking: boolean): void {
    this.#busy += 1
    visit(() => this.#release(), isWaking)
  }

  #release(): void {
    this.#busy -= 1
    const next = this.#waiting[this.#first]
    if (next === undefined) return
    this.#first += 1
    if (this.#first > 1024 && 2 * this.#first > this.#waiting.length) {
      this.#waiting.splice(0, this.#first)
      this.#first = 0
    }
    this.#start(next, false)
  }
}
