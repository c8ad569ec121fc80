import { nameKey } from '../../core/entity.js'
import type { VersionDraft } from '../ports/memory-writes.js'
import { storable } from './storable-text.js'

/** The name and the aliases of a mention, each with its key. */
export function spellingsOf(mention: VersionDraft['entities'][number]): Map<string, string> {
  const spellings = new Map([[storable(mention.name, 'entity name'), mention.key]])
  for (const alias of mention.aliases) {
    const key = nameKey(alias)
    if (key !== '' && !spellings.has(alias)) spellings.set(storable(alias, 'entity alias'), key)
  }
  return spellings
}
