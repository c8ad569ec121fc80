/** Reads the list page by page, as far as rows are needed. */
import type { ListMemoriesAnswer, Memory } from '@keepsake/client'
import { signal } from '@preact/signals'

export interface Rows {
  /** The first rows, newest first. */
  readonly memories: readonly Memory[]
  /** Number of all rows, including those that are not read yet. */
  readonly total: number
}

export interface PageWanted {
  readonly cursor: string | undefined
  readonly limit: number
  readonly signal: AbortSignal
}

type ReadPage = (wanted: PageWanted) => Promise<ListMemoriesAnswer>

/** The first page is small, so that it is there at once. */
const firstPage = 100
const laterPage = 500

export class RowReader {
  /** Undefined until the first page is read. */
  readonly rows = signal<Rows | undefined>(undefined)
  readonly problem = signal<unknown>(undefined)
  readonly isReading = signal(false)
  readonly #readPage: ReadPage
  readonly #ended = new AbortController()
  /** Undefined before the first page, null after the last one. */
  #cursor: string | undefined | null
  #wanted = firstPage
  #isOutdated = false

  constructor(readPage: ReadPage) {
    this.#readPage = readPage
  }

  /** Reads on until this many rows are there. */
  need(count: number): void {
    this.#wanted = Math.max(firstPage, count)
    void this.#read()
  }

  /** Reads everything again up to the needed row. The rows of before stay until then. */
  reload(): void {
    this.#isOutdated = true
    void this.#read()
  }

  stop(): void {
    this.#ended.abort()
  }

  async #read(): Promise<void> {
    if (this.isReading.value || this.#ended.signal.aborted) return
    this.isReading.value = true
    try {
      while (this.#isOutdated || this.#isShort(this.rows.value)) await this.#step()
      this.problem.value = undefined
    } catch (error) {
      if (!this.#ended.signal.aborted) this.problem.value = error
      this.#isOutdated = false
    } finally {
      this.isReading.value = false
    }
  }

  #isShort(rows: Rows | undefined): boolean {
    return this.#cursor !== null && (rows?.memories.length ?? 0) < this.#wanted
  }

  async #step(): Promise<void> {
    if (!this.#isOutdated) {
      this.rows.value = await this.#next(this.rows.value)
      return
    }
    this.#isOutdated = false
    this.#cursor = undefined
    let fresh: Rows | undefined
    do fresh = await this.#next(fresh)
    while (this.#isShort(fresh))
    this.rows.value = fresh
  }

  async #next(before: Rows | undefined): Promise<Rows> {
    const limit = before === undefined ? firstPage : laterPage
    const page = await this.#readPage({ cursor: this.#cursor ?? undefined, limit, signal: this.#ended.signal })
    this.#cursor = page.nextCursor
    return { memories: [...(before?.memories ?? []), ...page.memories], total: page.total }
  }
}
