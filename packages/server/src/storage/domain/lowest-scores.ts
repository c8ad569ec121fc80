export interface Scored {
  readonly key: number
  readonly score: number
}

/** The `size` lowest of a stream: sorts and drops the rest whenever twice as many have come in. */
export class Lowest<Item extends Scored> {
  #kept: Item[] = []

  constructor(private readonly size: number) {}

  add(scored: Item): void {
    this.#kept.push(scored)
    if (this.#kept.length >= 2 * this.size + 1_000) this.#kept = this.sorted()
  }

  /** Equal scores in the order of storing. */
  sorted(): Item[] {
    return this.#kept.sort((a, b) => a.score - b.score || a.key - b.key).slice(0, this.size)
  }
}
