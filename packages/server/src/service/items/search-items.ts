import { hash } from 'node:crypto'
import type { Actor } from '../../core/actor.js'
import { ServiceError } from '../../core/errors.js'
import type { Item } from '../../core/item.js'
import { timed } from '../../core/meter.js'
import { auditedUser, type NobodyScope, type UserScope, userScope } from '../../core/scope.js'
import type { SearchHit } from '../../retrieval/index/search.js'
import { type FusionSettings, keywordScore, ownScore, relevanceOf, semanticScore } from '../../retrieval/rank/fuse.js'
import type { ItemChoice } from '../../storage/ports/item-store.js'
import type { Deps } from '../deps.js'
import { hideSecretsInQuery } from '../secrets/hide-secrets.js'

export interface ItemQuery extends Omit<ItemChoice, 'now'> {
  /** Absent: the latest changes first. */
  readonly text?: string | undefined
  readonly threshold: number
  readonly limit: number
  readonly offset: number
}

export interface FoundItems {
  readonly items: readonly { readonly item: Item; readonly score: number | null }[]
  /** Parts that failed and were skipped: `semantic`. */
  readonly degraded: readonly string[]
}

const nothing: FoundItems = { items: [], degraded: [] }

export async function searchItems(
  deps: Deps,
  actor: Actor,
  scope: UserScope | NobodyScope,
  given: ItemQuery,
): Promise<FoundItems> {
  const text = given.text === undefined ? undefined : hideSecretsInQuery(deps, given.text)
  const audit = (outcome: 'success' | 'failed') => {
    const queryHash = text === undefined ? null : hash('sha256', text, 'hex')
    const line = { user_id: auditedUser(scope), key_id: actor.keyId, query_hash: queryHash }
    deps.audit.record(actor, { event: 'item.search', ...line }, outcome)
  }
  try {
    const found = scope.kind === 'nobody' ? nothing : await find(deps, scope, { ...given, text })
    audit('success')
    return found
  } catch (error) {
    audit('failed')
    throw error
  }
}

async function find(deps: Deps, scope: UserScope, query: ItemQuery): Promise<FoundItems> {
  const { text, threshold, limit, offset, ...chosen } = query
  const now = deps.clock.now()
  const choice: ItemChoice = { ...chosen, now }
  if (text === undefined) {
    const items = await deps.storage.items.newest(scope, { ...choice, limit, offset })
    return { items: items.map((item) => ({ item, score: null })), degraded: [] }
  }
  const isNarrowed = choice.below !== undefined || choice.filter !== undefined
  const degraded = new Set<string>()
  const [vector, onlyRows] = await Promise.all([
    embedQuery(deps, text, degraded),
    isNarrowed ? deps.storage.items.matching(scope, choice) : undefined,
  ])
  if (onlyRows?.length === 0) return { items: [], degraded: [...degraded] }
  // No project has an empty name: such rows are outside every project.
  const { hits } = await timed(deps.meter, 'search', () =>
    deps.itemIndexes.search(userScope(scope.userId, scope.project ?? ''), {
      ...{ vector, text, includeHistory: false, includeFlagged: choice.includeFlagged },
      moment: { kind: 'now', now },
      limit: 2 * Math.max(20, offset + limit),
      ...(onlyRows ? { onlyRows } : {}),
    }),
  )
  const best = ranked(hits, deps.settings.fusion)
    .filter(({ score }) => score >= threshold)
    .slice(offset, offset + limit)
  const read = await deps.storage.items.hydrate(
    scope,
    best.map(({ row }) => row),
  )
  const scores = new Map(best.map(({ row, score }) => [row, score]))
  return { items: read.map(({ row, item }) => ({ item, score: scores.get(row) ?? 0 })), degraded: [...degraded] }
}

/** By meaning and words alone: an item is no statement of somebody at some time. */
function ranked(hits: readonly SearchHit[], { weights, scales }: FusionSettings) {
  return hits
    .map(({ row, cosine, keyword }) => {
      const semantic = cosine === null ? null : semanticScore(cosine)
      const words = keyword === null ? null : keywordScore(keyword)
      const scale = words === null ? scales.semantic : semantic === null ? scales.keyword : scales.hybrid
      return { row, score: relevanceOf(ownScore({ semantic, keyword: words }, weights), scale) }
    })
    .sort((a, b) => b.score - a.score || b.row - a.row)
}

/** Without the embedder, the search continues with words and reports it. */
async function embedQuery(deps: Deps, text: string, degraded: Set<string>): Promise<Float32Array | null> {
  try {
    const [vector] = await timed(deps.meter, 'embed', () => deps.embedder.embed([text]))
    return vector ?? null
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    deps.log.warn({ err: error }, 'a search for items continues without the embedder')
    deps.meter.degraded('semantic')
    degraded.add('semantic')
    return null
  }
}
