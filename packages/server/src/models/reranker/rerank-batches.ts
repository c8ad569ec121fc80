/**
 * Chooses which pairs are scored next. Requests are served whole and in order of arrival, because each needs all its
 * scores. Within a request, pairs are sorted by length and cut into batches, because padding costs as much as words.
 */
import type { TokenRow } from '../runtime/encoder-session.js'
import type { WorkItem, WorkQueue } from '../runtime/serve-model.js'

export interface RerankAsk {
  readonly query: string
  readonly texts: readonly string[]
}

export interface Pair extends WorkItem, TokenRow {}

/** Includes padding: the activations then fit the processor's cache, and larger batches were slower. */
const maxBatchTokens = 256

export class PairQueue implements WorkQueue<RerankAsk, Pair> {
  private readonly waiting: { readonly requestId: number; readonly ask: RerankAsk }[] = []
  private batches: Pair[][] = []

  constructor(private readonly pairsOf: (query: string) => (text: string) => TokenRow) {}

  get size(): number {
    return this.waiting.length + this.batches.length
  }

  add(requestId: number, ask: RerankAsk): number {
    this.waiting.push({ requestId, ask })
    return ask.texts.length
  }

  next(): Pair[] {
    if (this.batches.length === 0) {
      const request = this.waiting.shift()
      if (request) this.batches = this.batchesOf(request.requestId, request.ask)
    }
    return this.batches.shift() ?? []
  }

  private batchesOf(requestId: number, { query, texts }: RerankAsk): Pair[][] {
    const pairOf = this.pairsOf(query)
    const pairs = texts.map((text, index) => ({ requestId, index, ...pairOf(text) }))
    pairs.sort((a, b) => a.tokens.length - b.tokens.length)
    const batches: Pair[][] = []
    for (const pair of pairs) {
      const last = batches.at(-1)
      // Sorted: this pair is the longest so far.
      if (last && (last.length + 1) * pair.tokens.length <= maxBatchTokens) last.push(pair)
      else batches.push([pair])
    }
    return batches
  }
}
