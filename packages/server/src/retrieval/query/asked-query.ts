import type { MatchFilter } from '../../storage/ports/index-feed.js'
import type { SearchQuery } from '../index/search.js'
import type { FormerTime } from './former.js'

/** A query as the caller asked it, before it has a vector. */
export interface AskedQuery {
  readonly text: string
  /** The words that ask: the text, or the last turn of a text that is a dialogue. */
  readonly asked: string
  readonly hybrid: boolean
  readonly moment: SearchQuery['moment']
  readonly includeHistory: boolean
  readonly includeFlagged: boolean
  readonly filter: MatchFilter | undefined
  /** Set if it asks how something was before. */
  readonly former: FormerTime | null
}

export function isDialogue({ text, asked }: Pick<AskedQuery, 'text' | 'asked'>): boolean {
  return asked !== text
}
