/** Keeps the best of many rows in a bounded heap with the worst on top, instead of sorting all scanned rows. */
export class BestRows {
  private readonly indexes: Int32Array
  private readonly scores: Float64Array
  private size = 0
  /** The worst score in the heap, once it is full. */
  private bar = -Infinity

  /** Among equal scores the higher row wins, which is the newer version, in whatever order the index was loaded. */
  constructor(
    private readonly limit: number,
    private readonly rows: Float64Array,
  ) {
    this.indexes = new Int32Array(limit)
    this.scores = new Float64Array(limit)
  }

  offer(index: number, score: number): void {
    // Nearly all offers end here.
    if (score < this.bar) return
    if (this.size < this.limit) {
      this.place(this.size, index, score)
      this.size += 1
      this.siftUp(this.size - 1)
      if (this.size === this.limit) this.bar = this.scores[0] ?? 0
    } else if (this.limit > 0 && this.isWorse(this.indexes[0] ?? 0, this.scores[0] ?? 0, index, score)) {
      this.place(0, index, score)
      this.siftDown()
      this.bar = this.scores[0] ?? 0
    }
  }

  /** Best first. */
  sorted(): number[] {
    const places = Array.from({ length: this.size }, (_, place) => place)
    places.sort((a, b) => (this.isPlaceWorse(a, b) ? 1 : -1))
    return places.map((place) => this.indexes[place] ?? 0)
  }

  private isWorse(index: number, score: number, thanIndex: number, thanScore: number): boolean {
    if (score !== thanScore) return score < thanScore
    return (this.rows[index] ?? 0) < (this.rows[thanIndex] ?? 0)
  }

  private isPlaceWorse(a: number, b: number): boolean {
    return this.isWorse(this.indexes[a] ?? 0, this.scores[a] ?? 0, this.indexes[b] ?? 0, this.scores[b] ?? 0)
  }

  private place(place: number, index: number, score: number): void {
    this.indexes[place] = index
    this.scores[place] = score
  }

  private swap(a: number, b: number): void {
    const index = this.indexes[a] ?? 0
    const score = this.scores[a] ?? 0
    this.place(a, this.indexes[b] ?? 0, this.scores[b] ?? 0)
    this.place(b, index, score)
  }

  private siftUp(from: number): void {
    let place = from
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!this.isPlaceWorse(place, parent)) return
      this.swap(place, parent)
      place = parent
    }
  }

  private siftDown(): void {
    let place = 0
    for (;;) {
      let worst = place
      for (const child of [2 * place + 1, 2 * place + 2]) {
        if (child < this.size && this.isPlaceWorse(child, worst)) worst = child
      }
      if (worst === place) return
      this.swap(place, worst)
      place = worst
    }
  }
}
