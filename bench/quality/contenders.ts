/** The embedders in the comparison. The service runs with the last one. */
import { openLocalEmbedder } from '../../packages/server/src/models/embedder/local-embedder.js'
import type { Embedder } from '../../packages/server/src/models/models.js'

export interface Contender {
  /** For the command line. */
  readonly id: string
  readonly name: string
  /**
   * Whether a turn is embedded with the previous turn. Context helps only an embedder that was trained with it: stock
   * MiniLM does better without.
   */
  readonly context: boolean
  open(): Promise<Embedder>
}

export const contenders: readonly [Contender, ...Contender[]] = [
  { id: 'stock', name: 'stock MiniLM', context: false, open: () => openLocalEmbedder({ model: 'stock' }) },
  { id: 'ours', name: 'our embedder', context: true, open: () => openLocalEmbedder() },
]
