export interface Scored {
  readonly key: number
  readonly score: number
}

/** Keeps the `size` lowest scores of a stream: whenever it holds twice as many, it sorts them and drops the upper half. */
export class Lowest<Item extends Scored> {
  #kept: Item[] = []

  constructor(private readonly size: number) {}

  add(scored: Item): void {
    this.#kept.push(scored)
    if (this.#kept.length >= 2 * this.size + 1_000) this.#kept = this.sorted()
  }

  /** Equal scores keep the order in which they were stored. */
  sorted(): Item[] {
    return this.#kept.sort((a, b) => a.score - b.score || a.key - b.key).slice(0, this.size)
  }
}
