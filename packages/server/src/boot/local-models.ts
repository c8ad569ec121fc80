import type { Loadable } from '../models/models.js'
import type { Opened } from './open.js'

/** Name and state of each model that runs in this process, in the order in which requests need them. */
export function localModels({
  embedder,
  tagger,
  judge,
  reranker,
}: Pick<Opened, 'embedder' | 'tagger' | 'judge' | 'reranker'>): readonly (readonly [string, Loadable])[] {
  const models = [
    ['embedder', embedder.loading],
    ['tagger', tagger.loading],
    ['judge', judge.loading],
    ['reranker', reranker.loading],
  ] as const
  return models.flatMap(([name, loading]) => (loading === undefined ? [] : [[name, loading] as const]))
}
