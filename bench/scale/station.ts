/**
 * A queue with a number of servers: a thread with its inbox, or a pool of connections. A job holds a server for its
 * whole visit. Urgent jobs come first; among equals the order of arrival decides. As in the service's queues for
 * models, every fourth start takes the job that has waited longest, so none starves.
 */
import type { Processor } from './processor.js'

/** What a job does while it holds the server. It calls `release` once. */
type Visit = (release: () => void, isWaking: boolean) => void

const oldestFirstEvery = 4

export class Station {
  readonly #urgent = new Lane()
  readonly #usual = new Lane()
  #busy = 0
  #arrivals = 0
  #starts = 0

  constructor(readonly servers: number) {
    if (!(servers >= 1)) throw new Error(`a station needs at least one server, not ${servers}`)
  }

  enter(visit: Visit, isUrgent = false): void {
    if (this.#busy < this.servers) {
      this.#start(visit, this.#busy === 0)
      return
    }
    const lane = isUrgent ? this.#urgent : this.#usual
    lane.add({ visit, arrival: this.#arrivals++ })
  }

  /** Runs on the processor while it holds a server. A thread that has slept needs `wakeMs` more. */
  compute(processor: Processor, workMs: number, wakeMs: number, done: () => void, isUrgent = false): void {
    this.enter((release, isWaking) => {
      processor.run(workMs + (isWaking ? wakeMs : 0), () => {
        release()
        done()
      })
    }, isUrgent)
  }

  #start(visit: Visit, isWaking: boolean): void {
    this.#busy += 1
    this.#starts += 1
    visit(() => this.#release(), isWaking)
  }

  #release(): void {
    this.#busy -= 1
    const isOldestNext = this.#starts % oldestFirstEvery === 0 && this.#usual.oldest < this.#urgent.oldest
    const lane = this.#urgent.isEmpty || isOldestNext ? this.#usual : this.#urgent
    const next = lane.take()
    if (next !== undefined) this.#start(next, false)
  }
}

interface Waiting {
  readonly visit: Visit
  readonly arrival: number
}

/** First in, first out. */
class Lane {
  #waiting: Waiting[] = []
  #first = 0

  get isEmpty(): boolean {
    return this.#first === this.#waiting.length
  }

  get oldest(): number {
    return this.#waiting[this.#first]?.arrival ?? Number.POSITIVE_INFINITY
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting)
  }

  take(): Visit | undefined {
    const next = this.#waiting[this.#first]
    if (next === undefined) return undefined
    this.#first += 1
    // Entries that were served are dropped now and then, not one by one.
    if (this.#first > 1024 && 2 * this.#first > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#first)
      this.#first = 0
    }
    return next.visit
  }
}
