/** A binary heap: the entry with the smallest key comes first; equal keys leave in the order in which they came. */
export class Heap<T> {
  readonly #entries: { readonly key: number; readonly order: number; readonly value: T }[] = []
  #order = 0

  get size(): number {
    return this.#entries.length
  }

  get firstKey(): number {
    return this.#entries[0]?.key ?? Number.POSITIVE_INFINITY
  }

  push(key: number, value: T): void {
    if (Number.isNaN(key)) throw new Error('a key of the heap is not a number')
    const entries = this.#entries
    const entry = { key, order: this.#order++, value }
    let index = entries.length
    entries.push(entry)
    while (index > 0) {
      const above = (index - 1) >> 1
      const parent = entries[above]
      if (parent === undefined || !isBefore(entry, parent)) break
      entries[index] = parent
      index = above
    }
    entries[index] = entry
  }

  pop(): T | undefined {
    const entries = this.#entries
    const first = entries[0]
    const last = entries.pop()
    if (first === undefined || last === undefined) return undefined
    if (entries.length > 0) this.#sink(last)
    return first.value
  }

  #sink(entry: { readonly key: number; readonly order: number; readonly value: T }): void {
    const entries = this.#entries
    let index = 0
    for (;;) {
      let below = 2 * index + 1
      let child = entries[below]
      if (child === undefined) break
      const right = entries[below + 1]
      if (right !== undefined && isBefore(right, child)) {
        below += 1
        child = right
      }
      if (!isBefore(child, entry)) break
      entries[index] = child
      index = below
    }
    entries[index] = entry
  }
}

interface Ordered {
  readonly key: number
  readonly order: number
}

function isBefore(a: Ordered, b: Ordered): boolean {
  return a.key < b.key || (a.key === b.key && a.order < b.order)
}
