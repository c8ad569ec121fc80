/**
 * Decides who may hash next. bcrypt keeps a core busy for about 65 ms and anyone can trigger it. Therefore few run at once, few
 * wait, and a flood from some addresses waits behind everyone else.
 *
 * - There are three lanes, served in this order: `known` (this key was valid a while ago), `clean` (an address without
 *   failures) and `suspect` (an address with failures). Within a lane addresses take turns, however many requests each has waiting.
 * - The lane reveals nothing about keys: it depends on who asks and on what that caller proved before.
 * - Suspects are served one at a time with rests in between, so that together they get a quarter of a core.
 * - When the queue is full, a newcomer replaces the last in the longest line of the worst lane, if its own lane is better or its
 *   own line shorter. Whoever loses the place, or finds none, is asked to retry.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '../../core/errors.js'

export type Lane = 'known' | 'clean' | 'suspect'

interface Turn {
  readonly lane: Lane
  /** Where the work comes from: lines of different sources take turns. */
  readonly source: string
}

export interface FairQueueOptions {
  readonly maxConcurrent: number
  readonly maxQueue: number
  readonly maxSuspects?: number
  /** How long suspects rest after work that took `workMs`. */
  readonly rest?: (workMs: number) => Promise<unknown>
}

interface Waiter {
  start(): void
  refuse(): void
}

const lanes = ['known', 'clean', 'suspect'] as const
/** Three parts rest to one part work: a quarter of a core. */
const restToWork = 3

export class FairQueue {
  readonly #options: Required<FairQueueOptions>
  readonly #waiting: Readonly<Record<Lane, Lines>> = { known: new Lines(), clean: new Lines(), suspect: new Lines() }
  #running = 0
  #suspectsBusy = false

  constructor(options: FairQueueOptions) {
    const rest = (workMs: number) => delay(workMs * restToWork, undefined, { ref: false })
    this.#options = { maxSuspects: 16, rest, ...options }
  }

  /** @throws NoTurn where there is no place in the queue. */
  async run<T>({ lane, source }: Turn, work: () => Promise<T>): Promise<T> {
    // Work that starts from the queue already holds its place.
    if (this.#mayStart(lane)) this.#occupy(lane)
    else await this.#wait({ lane, source })
    const startedAt = performance.now()
    try {
      return await work()
    } finally {
      this.#release(lane, performance.now() - startedAt)
    }
  }

  #mayStart(lane: Lane): boolean {
    return this.#running < this.#options.maxConcurrent && !(lane === 'suspect' && this.#suspectsBusy)
  }

  #occupy(lane: Lane): void {
    this.#running += 1
    if (lane === 'suspect') this.#suspectsBusy = true
  }

  #release(lane: Lane, workMs: number): void {
    this.#running -= 1
    if (lane === 'suspect') void this.#restSuspects(workMs)
    this.#startNext()
  }

  async #restSuspects(workMs: number): Promise<void> {
    await this.#options.rest(workMs)
    this.#suspectsBusy = false
    this.#startNext()
  }

  #startNext(): void {
    for (const lane of lanes) {
      while (this.#mayStart(lane)) {
        const next = this.#waiting[lane].next()
        if (next === undefined) break
        this.#occupy(lane)
        next.start()
      }
    }
  }

  #wait(turn: Turn): Promise<void> {
    if (!this.#makeRoom(turn)) return Promise.reject(new NoTurn())
    return new Promise((resolve, reject) => {
      this.#waiting[turn.lane].add(turn.source, { start: resolve, refuse: () => reject(new NoTurn()) })
    })
  }

  /** False: the newcomer has to leave. */
  #makeRoom({ lane, source }: Turn): boolean {
    const waiting = this.#waiting
    const total = lanes.reduce((sum, each) => sum + waiting[each].size, 0)
    const isFull = total >= this.#options.maxQueue
    if (!isFull && !(lane === 'suspect' && waiting.suspect.size >= this.#options.maxSuspects)) return true
    const worst = [...lanes].reverse().find((each) => waiting[each].size > 0)
    if (worst === undefined) return false
    const isBetter = lanes.indexOf(lane) < lanes.indexOf(worst)
    if (!isBetter && (worst !== lane || waiting[lane].longest() <= waiting[lane].of(source) + 1)) return false
    waiting[worst].dropLast()?.refuse()
    return true
  }
}

/** There was no place in the queue: neither the caller's fault nor the store's. */
export class NoTurn extends ServiceError {
  constructor() {
    super('unavailable', 'Too many API keys are being checked; try again in a moment', undefined, undefined, 1)
  }
}

/** The waiting lines of one lane, one per source. A map keeps its order of insertion, which is the order of turns. */
class Lines {
  readonly #bySource = new Map<string, Waiter[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  of(source: string): number {
    return this.#bySource.get(source)?.length ?? 0
  }

  longest(): number {
    return this.#longestLine()?.[1].length ?? 0
  }

  add(source: string, waiter: Waiter): void {
    const line = this.#bySource.get(source)
    if (line) line.push(waiter)
    else this.#bySource.set(source, [waiter])
    this.#size += 1
  }

  /** The first of the line whose turn it is; that line moves to the end. */
  next(): Waiter | undefined {
    const [first] = this.#bySource
    return first && this.#taken(first[0], first[1], first[1].shift())
  }

  /** The last of the longest line. */
  dropLast(): Waiter | undefined {
    const longest = this.#longestLine()
    return longest && this.#taken(longest[0], longest[1], longest[1].pop())
  }

  #longestLine(): [string, Waiter[]] | undefined {
    let longest: [string, Waiter[]] | undefined
    for (const entry of this.#bySource) if (!longest || entry[1].length > longest[1].length) longest = entry
    return longest
  }

  #taken(source: string, line: Waiter[], waiter: Waiter | undefined): Waiter | undefined {
    this.#size -= 1
    this.#bySource.delete(source)
    if (line.length > 0) this.#bySource.set(source, line)
    return waiter
  }
}
