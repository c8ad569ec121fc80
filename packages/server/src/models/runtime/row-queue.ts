/**
 * Chooses which rows a model reads next. Requests are served whole and in order of arrival, because each needs all its
 * results. Within a request, rows are sorted by length and cut into batches, because padding costs as much as words.
 */
import type { TokenRow } from './encoder-session.js'
import type { WorkItem, WorkQueue } from './serve-model.js'

/** Includes padding: the activations then fit the processor's cache, and larger batches were slower. */
const maxBatchTokens = 256

export interface RowsOf<Ask, Row extends TokenRow> {
  count(ask: Ask): number
  /** Called when the request's turn comes. */
  rows(ask: Ask): readonly Row[]
}

export class RowQueue<Ask, Row extends TokenRow> implements WorkQueue<Ask, Row & WorkItem> {
  private readonly waiting: { readonly requestId: number; readonly ask: Ask }[] = []
  private batches: (Row & WorkItem)[][] = []

  constructor(private readonly of: RowsOf<Ask, Row>) {}

  get size(): number {
    return this.waiting.length + this.batches.length
  }

  add(requestId: number, ask: Ask): number {
    this.waiting.push({ requestId, ask })
    return this.of.count(ask)
  }

  next(): (Row & WorkItem)[] {
    if (this.batches.length === 0) {
      const request = this.waiting.shift()
      if (request) this.batches = this.batchesOf(request.requestId, request.ask)
    }
    return this.batches.shift() ?? []
  }

  private batchesOf(requestId: number, ask: Ask): (Row & WorkItem)[][] {
    const rows = this.of.rows(ask).map((row, index) => ({ requestId, index, ...row }))
    rows.sort((a, b) => a.tokens.length - b.tokens.length)
    const batches: (Row & WorkItem)[][] = []
    for (const row of rows) {
      const last = batches.at(-1)
      // Sorted: this row is the longest so far.
      if (last && (last.length + 1) * row.tokens.length <= maxBatchTokens) last.push(row)
      else batches.push([row])
    }
    return batches
  }
}
