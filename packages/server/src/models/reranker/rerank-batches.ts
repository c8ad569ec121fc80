import type { TokenRow } from '../runtime/encoder-session.js'
import { RowQueue } from '../runtime/row-queue.js'

export interface RerankAsk {
  readonly query: string
  readonly texts: readonly string[]
}

/** `pairsOf`: the query is tokenized once for all its texts. */
export function pairQueue(pairsOf: (query: string) => (text: string) => TokenRow): RowQueue<RerankAsk, TokenRow> {
  return new RowQueue({
    count: ({ texts }) => texts.length,
    rows: ({ query, texts }) => texts.map(pairsOf(query)),
  })
}
