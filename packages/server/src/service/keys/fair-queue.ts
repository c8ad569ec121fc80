/**
 * Who may hash next. bcrypt keeps a core busy for some 65 ms, and anyone can ask for it, so that few run at once, few
 * wait, and a flood from some addresses waits behind everyone else.
 *
 * - Three lanes, the first served first: `known` (this key was good a while ago), `clean` (an address without failures)
 *   and `suspect` (one with failures). Within a lane addresses take turns, whatever the number that each has waiting.
 * - The lane tells nothing of keys: it depends on who asks and on what that asker proved before.
 * - Suspects are served one at a time with rests in between, so that all of them together have a quarter of a core.
 * - When the queue is full, a newcomer takes the place of the last in the longest line of the worst lane, if it is
 *   better or shorter than that; who loses the place, or finds none, is told to come back.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '../../core/errors.js'

export type Lane = 'known' | 'clean' | 'suspect'

interface Turn {
  readonly lane: Lane
  /** Where the work comes from: lines of different sources take turns. */
  readonly source: string
}

export type FairQueue = <T>(turn: Turn, work: () => Promise<T>) => Promise<T>

export interface FairQueueOptions {
  readonly maxConcurrent: number
  readonly maxQueue: number
  readonly maxSuspects?: number
  /** How long suspects rest after work that took so long. */
  readonly rest?: (workMs: number) => Promise<unknown>
}

interface Waiter {
  start(): void
  refuse(): void
}

const lanes = ['known', 'clean', 'suspect'] as const
/** Three parts rest to one part work: a quarter of a core. */
const restToWork = 3

export function fairQueue(options: FairQueueOptions): FairQueue {
  const { maxConcurrent, maxQueue, maxSuspects = 16 } = options
  const rest = options.rest ?? ((workMs: number) => delay(workMs * restToWork, undefined, { ref: false }))
  const waiting: Record<Lane, Lines> = { known: lines(), clean: lines(), suspect: lines() }
  let running = 0
  let suspectsBusy = false

  const mayStart = (lane: Lane) => running < maxConcurrent && !(lane === 'suspect' && suspectsBusy)

  function occupy(lane: Lane): void {
    running += 1
    if (lane === 'suspect') suspectsBusy = true
  }

  function startNext(): void {
    for (const lane of lanes) {
      while (mayStart(lane)) {
        const next = waiting[lane].next()
        if (next === undefined) break
        occupy(lane)
        next.start()
      }
    }
  }

  function release(lane: Lane, workMs: number): void {
    running -= 1
    if (lane === 'suspect') {
      void rest(workMs).then(() => {
        suspectsBusy = false
        startNext()
      })
    }
    startNext()
  }

  /** False where the newcomer has to go instead. */
  function makeRoom({ lane, source }: Turn): boolean {
    const total = lanes.reduce((sum, each) => sum + waiting[each].size(), 0)
    const isFull = total >= maxQueue
    if (!isFull && !(lane === 'suspect' && waiting.suspect.size() >= maxSuspects)) return true
    const worst = [...lanes].reverse().find((each) => waiting[each].size() > 0)
    if (worst === undefined) return false
    const isBetter = lanes.indexOf(lane) < lanes.indexOf(worst)
    if (!isBetter && (worst !== lane || waiting[lane].longest() <= waiting[lane].of(source) + 1)) return false
    waiting[worst].dropLast()?.refuse()
    return true
  }

  function wait(turn: Turn): Promise<void> {
    if (!makeRoom(turn)) return Promise.reject(new NoTurn())
    return new Promise((resolve, reject) => {
      waiting[turn.lane].add(turn.source, { start: resolve, refuse: () => reject(new NoTurn()) })
    })
  }

  return async (turn, work) => {
    // Whoever is started from the queue has its place already.
    if (mayStart(turn.lane)) occupy(turn.lane)
    else await wait(turn)
    const startedAt = performance.now()
    try {
      return await work()
    } finally {
      release(turn.lane, performance.now() - startedAt)
    }
  }
}

/** There was no turn: not the fault of whoever asked, nor of the store. */
export class NoTurn extends ServiceError {
  constructor() {
    super('unavailable', 'Too many API keys are being checked; try again in a moment', undefined, undefined, 1)
  }
}

interface Lines {
  add(source: string, waiter: Waiter): void
  /** The first of the line whose turn it is; that line goes to the end. */
  next(): Waiter | undefined
  /** The last of the longest line. */
  dropLast(): Waiter | undefined
  longest(): number
  of(source: string): number
  size(): number
}

/** A map keeps its order of insertion, which is the order of turns. */
function lines(): Lines {
  const bySource = new Map<string, Waiter[]>()
  let size = 0

  function longestLine(): [string, Waiter[]] | undefined {
    let longest: [string, Waiter[]] | undefined
    for (const entry of bySource) if (longest === undefined || entry[1].length > longest[1].length) longest = entry
    return longest
  }

  function taken(source: string, line: Waiter[], waiter: Waiter | undefined): Waiter | undefined {
    size -= 1
    bySource.delete(source)
    if (line.length > 0) bySource.set(source, line)
    return waiter
  }

  return {
    add(source, waiter) {
      const line = bySource.get(source)
      if (line) line.push(waiter)
      else bySource.set(source, [waiter])
      size += 1
    },
    next() {
      const [first] = bySource
      return first && taken(first[0], first[1], first[1].shift())
    },
    dropLast() {
      const longest = longestLine()
      return longest && taken(longest[0], longest[1], longest[1].pop())
    },
    longest: () => longestLine()?.[1].length ?? 0,
    of: (source) => bySource.get(source)?.length ?? 0,
    size: () => size,
  }
}
