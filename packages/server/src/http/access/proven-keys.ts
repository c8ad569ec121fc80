const maxKeys = 10_000

/** Digests of recently valid keys. Each key is still verified on every request. */
export class ProvenKeys {
  readonly #digests = new Set<string>()

  has(digest: string): boolean {
    return this.#digests.has(digest)
  }

  add(digest: string): void {
    // Moves it to the end: the least recently used digest is dropped first.
    this.#digests.delete(digest)
    this.#digests.add(digest)
    const [oldest] = this.#digests
    if (this.#digests.size > maxKeys && oldest !== undefined) this.#digests.delete(oldest)
  }

  delete(digest: string): void {
    this.#digests.delete(digest)
  }
}
