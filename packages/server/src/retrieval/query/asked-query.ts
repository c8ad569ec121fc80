import type { MatchFilter } from '../../storage/ports/index-feed.js'
import type { SearchQuery } from '../index/search.js'

/** A query as the caller asked it, before it has a vector. */
export interface AskedQuery {
  readonly text: string
  readonly hybrid: boolean
  readonly moment: SearchQuery['moment']
  readonly includeHistory: boolean
  readonly includeFlagged: boolean
  readonly filter: MatchFilter | undefined
}
