/**
 * Users take turns with their long texts, so that one of them cannot keep the models and the threads busy for everyone. A text waits
 * for each of its turns; a turn is a slice of its work, less than a second long. The next turn goes to the user who has had the
 * fewest characters since others began to wait, whatever the number of texts that each user has sent.
 */
import { ServiceError, unavailable } from '../../core/errors.js'

export interface FairLaneOptions {
  /** Turns at once, over all users. */
  readonly turnsAtOnce: number
  readonly turnsPerUser: number
  /** Characters of accepted texts that are not finished. Beyond this, a user gets a 429. One text is always accepted. */
  readonly charactersPerUser: number
  /** The same over all users. Beyond this, everyone gets a 503. */
  readonly charactersInAll: number
}

export interface Turns {
  /** Runs `work` when it is this text's turn. `characters`: the size of the slice. */
  turn<Result>(characters: number, work: () => Promise<Result>): Promise<Result>
}

/** The place of one text in the lane. */
export interface Place extends Turns {
  /** Call this once, when the text is finished or has failed. */
  leave(): void
}

interface Line {
  texts: number
  characters: number
  running: number
  /** Compared between users: the smallest is next. */
  served: number
  waiting: WaitingTurn[]
}

interface WaitingTurn {
  readonly characters: number
  /** The text has had no turn yet, and may be refused. */
  readonly isRefusable: boolean
  start(): void
  refuse(error: Error): void
}

/** For `Retry-After`: what one core understands per second, models included, on a busy machine. */
const charactersPerSecond = 5_000

export class FairLane {
  readonly #lines = new Map<string, Line>()
  #characters = 0
  #running = 0
  #isClosed = false
  /** What the user whose turn came last had been served before it. Newcomers start there, not at zero. */
  #served = 0

  constructor(private readonly options: FairLaneOptions) {}

  /** Number of texts that are not finished, for metrics. */
  get texts(): number {
    return [...this.#lines.values()].reduce((sum, { texts }) => sum + texts, 0)
  }

  /** @throws ServiceError if too much of this user, or of everyone, is unfinished. */
  enter(user: string, characters: number): Place {
    if (this.#isClosed) throw shuttingDown()
    this.#requireRoom(user, characters)
    return this.#placeFor(user, characters, true)
  }

  /** For texts that were accepted before, such as those that a crash left behind. */
  enterAlways(user: string, characters: number): Place {
    return this.#placeFor(user, characters, false)
  }

  /** Refuses texts that have had no turn yet. The others are finished. */
  close(): void {
    this.#isClosed = true
    for (const line of this.#lines.values()) {
      const refused = line.waiting.filter(({ isRefusable }) => isRefusable)
      line.waiting = line.waiting.filter(({ isRefusable }) => !isRefusable)
      for (const { refuse } of refused) refuse(shuttingDown())
    }
  }

  #placeFor(user: string, characters: number, mayRefuse: boolean): Place {
    const line = this.#lines.get(user) ?? { texts: 0, characters: 0, running: 0, served: this.#served, waiting: [] }
    this.#lines.set(user, line)
    line.texts += 1
    line.characters += characters
    this.#characters += characters
    let isRefusable = mayRefuse
    return {
      turn: (slice, work) =>
        this.#turn(line, { characters: slice, isRefusable }, () => {
          isRefusable = false
          return work()
        }),
      leave: () => {
        line.texts -= 1
        line.characters -= characters
        this.#characters -= characters
        if (line.texts === 0) this.#lines.delete(user)
      },
    }
  }

  #requireRoom(user: string, characters: number): void {
    const { charactersPerUser, charactersInAll } = this.options
    const own = this.#lines.get(user)?.characters ?? 0
    if (own > 0 && own + characters > charactersPerUser) {
      const message = `Too much text of this user is being stored (at most ${charactersPerUser} characters at once)`
      throw new ServiceError('rate_limit_exceeded', message, undefined, undefined, secondsFor(own))
    }
    if (this.#characters > 0 && this.#characters + characters > charactersInAll)
      throw unavailable('Too many long texts are being stored; try again later', secondsFor(this.#characters))
  }

  async #turn<Result>(
    line: Line,
    asked: Pick<WaitingTurn, 'characters' | 'isRefusable'>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    await new Promise<void>((resolve, reject) => {
      // A user who sent nothing for a while gets no credit for it.
      if (line.running === 0 && line.waiting.length === 0) line.served = Math.max(line.served, this.#served)
      line.waiting.push({ ...asked, start: resolve, refuse: reject })
      this.#startNext()
    })
    try {
      return await work()
    } finally {
      line.running -= 1
      this.#running -= 1
      this.#startNext()
    }
  }

  #startNext(): void {
    while (this.#running < this.options.turnsAtOnce) {
      const line = this.#next()
      const turn = line?.waiting.shift()
      if (!line || !turn) return
      this.#served = Math.max(this.#served, line.served)
      line.served += turn.characters
      line.running += 1
      this.#running += 1
      turn.start()
    }
  }

  #next(): Line | undefined {
    let next: Line | undefined
    for (const line of this.#lines.values()) {
      if (line.waiting.length === 0 || line.running >= this.options.turnsPerUser) continue
      if (!next || line.served < next.served) next = line
    }
    return next
  }
}

function shuttingDown(): ServiceError {
  return unavailable('The service is shutting down')
}

function secondsFor(characters: number): number {
  return Math.max(1, Math.ceil(characters / charactersPerSecond))
}
