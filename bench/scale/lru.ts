/** Which users' indexes are in memory: the least recently used leave when the bytes run out, as in the service. */
export class IndexCache {
  /** Insertion order is the order of use. */
  readonly #bytes = new Map<number, number>()
  #total = 0
  #peak = 0

  constructor(readonly limitBytes: number) {}

  get totalBytes(): number {
    return this.#total
  }

  get peakBytes(): number {
    return this.#peak
  }

  get users(): number {
    return this.#bytes.size
  }

  /** Whether the user was there. Afterwards it is, as the most recently used. */
  use(user: number, bytes: number): boolean {
    const before = this.#bytes.get(user)
    if (before !== undefined) this.#bytes.delete(user)
    this.#bytes.set(user, bytes)
    this.#total += bytes - (before ?? 0)
    this.#evict(user)
    this.#peak = Math.max(this.#peak, this.#total)
    return before !== undefined
  }

  /** A user larger than the limit stays alone: it is being searched. */
  #evict(kept: number): void {
    for (const [user, bytes] of this.#bytes) {
      if (this.#total <= this.limitBytes || user === kept) return
      this.#bytes.delete(user)
      this.#total -= bytes
    }
  }
}
