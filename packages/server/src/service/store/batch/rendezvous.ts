/**
 * Several texts are understood at the same time, step by step as if each were alone. Where one asks a model, it waits until every other
 * one asks something too or has ended. Then all that wait for the same model become one call. So a model reads many short texts together.
 */
interface Waiting<Item, Result> {
  readonly items: readonly Item[]
  resolve(results: Result[]): void
  reject(error: unknown): void
}

export class Rendezvous {
  #running = 0
  #waiting = 0
  readonly #calls = new Set<() => void>()

  /** Runs all of them at the same time. Only they may call what `gathered` returns. */
  all<T>(works: readonly (() => Promise<T>)[]): Promise<PromiseSettledResult<T>[]> {
    this.#running += works.length
    return Promise.allSettled(
      works.map(async (work) => {
        try {
          return await work()
        } finally {
          this.#running -= 1
          this.#callIfAllWait()
        }
      }),
    )
  }

  /** `work` returns one result per item, in order. */
  gathered<Item, Result>(
    work: (items: readonly Item[]) => Promise<readonly Result[]>,
  ): (items: readonly Item[]) => Promise<Result[]> {
    let waiting: Waiting<Item, Result>[] = []
    const call = () => {
      const together = waiting
      waiting = []
      void answer(together, work)
    }
    return (items) => {
      if (items.length === 0) return Promise.resolve([])
      return new Promise((resolve, reject) => {
        waiting.push({ items, resolve, reject })
        this.#waiting += 1
        this.#calls.add(call)
        this.#callIfAllWait()
      })
    }
  }

  #callIfAllWait(): void {
    if (this.#waiting === 0 || this.#waiting < this.#running) return
    const calls = [...this.#calls]
    this.#calls.clear()
    this.#waiting = 0
    for (const call of calls) call()
  }
}

async function answer<Item, Result>(
  waiting: readonly Waiting<Item, Result>[],
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<void> {
  try {
    const results = await work(waiting.flatMap(({ items }) => items))
    let start = 0
    for (const { items, resolve } of waiting) {
      resolve(results.slice(start, start + items.length))
      start += items.length
    }
  } catch (error) {
    for (const { reject } of waiting) reject(error)
  }
}
