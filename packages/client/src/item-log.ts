import type { Keepsake } from './keepsake.js'

/** A conversation as items, one per entry, whose keys are in the order of the entries. */
export class ItemLog {
  readonly #client: Keepsake
  readonly #namespace: string
  #last = 0

  /** @param kind - the first label of the namespace; the second is the id of the conversation. */
  constructor(client: Keepsake, kind: string, id: string) {
    this.#client = client
    this.#namespace = `${kind}.${labelOf(id)}`
  }

  /** One after another, so that a failure leaves no gap. */
  async append(entries: readonly unknown[]): Promise<void> {
    for (const entry of entries) {
      // Entries are read as a whole, so no search needs to find them.
      await this.#client.items.put(this.#namespace, this.#nextKey(), entry, { index: false })
    }
  }

  /** The last `limit` entries, or all; the oldest first. */
  async entries(limit?: number): Promise<unknown[]> {
    const found = await this.#all()
    const from = limit === undefined ? 0 : Math.max(0, found.length - Math.max(0, limit))
    return found.slice(from).map(({ value }) => value)
  }

  /** Removes the last entry. Of two concurrent calls, each gets another one. */
  async pop(): Promise<unknown> {
    for (;;) {
      const last = (await this.#all()).at(-1)
      if (last === undefined) return undefined
      if (await this.#client.items.delete(this.#namespace, last.key)) return last.value
    }
  }

  /** Removes the entry at a position; nothing if there is none. */
  async remove(position: number): Promise<void> {
    const entry = (await this.#all())[position]
    if (entry !== undefined) await this.#client.items.delete(this.#namespace, entry.key)
  }

  async clear(): Promise<void> {
    await this.#client.items.deleteAll({ namespace: this.#namespace })
  }

  #all() {
    return this.#client.items.list({ namespace: this.#namespace, limit: 500 }).toArray()
  }

  /** By time in microseconds; the random part keeps apart what two processes add in the same one. */
  #nextKey(): string {
    this.#last = Math.max(this.#last + 1, Date.now() * 1_000)
    const random = Math.floor(Math.random() * 2 ** 32)
    return `${String(this.#last).padStart(17, '0')}-${random.toString(16).padStart(8, '0')}`
  }
}

/** Any text as one label of a namespace, or as a key: labels have no dots, and no key is called `.` or `..`. */
export function labelOf(id: string): string {
  return encodeURIComponent(id).replaceAll('.', '%2E')
}
