/**
 * From a query to candidates with every signal's score: the user's index finds them by meaning and by
 * words, the store tells who is connected to the names in the query, and the exact vectors of the best
 * replace the index's quantized ones.
 */
import { nameKey } from '../core/entity.js'
import { checksumOf } from '../core/memory.js'
import type { UserScope } from '../core/scope.js'
import type { HydratedVersion, IndexFeed, MatchFilter } from '../storage/storage.js'
import type { Candidate, Signal } from './candidate.js'
import { defaultWeights, type FusionWeights, keywordScore, relevanceOf, semanticScore } from './fuse.js'
import type { SearchHit, SearchQuery, UserIndexes } from './user-index.js'

export interface RetrievalQuery {
  readonly text: string
  readonly vector: Float32Array | null
  readonly hybrid: boolean
  readonly moment: SearchQuery['moment']
  readonly includeHistory: boolean
  readonly includeFlagged: boolean
  readonly filter: MatchFilter | undefined
  /** How many memories the caller (or a reranker) wants: sets how many candidates get a second look. */
  readonly wanted: number
  /** The most that decay takes from a relevance, as a factor: 1 when it takes nothing. */
  readonly lowestDecayFactor: number
}

export interface Retrieved {
  readonly candidates: readonly Candidate[]
  /** Ids of memories whose checksum does not fit their content: left out. */
  readonly corrupt: readonly string[]
}

/** What the store knows of a query before anything is searched. */
export interface Leads {
  /** Rows that the caller's filters leave; undefined where there is no filter. */
  readonly onlyRows: readonly number[] | undefined
  /** How much it tells, in 0..1, that a row is about an entity that the query names, or about a neighbour of one. */
  readonly graphByRow: ReadonlyMap<number, number>
}

const connectedLimit = 200
/** Up to so many rows about the entities of a query each counts in full. */
const tellingRows = 10
/** An int8 vector's cosine is off by less than this. */
const quantizationError = 0.01

/** Needs no vector, so it runs while the query is embedded. */
export async function findLeads(
  storage: IndexFeed,
  scope: UserScope,
  query: Pick<RetrievalQuery, 'text' | 'hybrid' | 'filter'>,
): Promise<Leads> {
  const [onlyRows, graphByRow] = await Promise.all([
    query.filter ? storage.matching(scope, query.filter) : undefined,
    query.hybrid ? connectedRows(storage, scope, query.text) : new Map<number, number>(),
  ])
  return { onlyRows, graphByRow }
}

export async function retrieve(
  deps: { readonly storage: IndexFeed; readonly indexes: UserIndexes },
  scope: UserScope,
  query: RetrievalQuery,
  { onlyRows, graphByRow }: Leads,
  weights: FusionWeights = defaultWeights,
): Promise<Retrieved> {
  if (onlyRows?.length === 0) return { candidates: [], corrupt: [] }
  const { hits } = await deps.indexes.search(scope, {
    vector: query.vector,
    text: query.hybrid || query.vector === null ? query.text : null,
    moment: query.moment,
    includeHistory: query.includeHistory,
    includeFlagged: query.includeFlagged,
    ...(onlyRows ? { onlyRows } : {}),
    limit: Math.max(40, query.wanted * 2),
  })
  const best = mayStillWin(hits, graphByRow, weights, query)
  const versions = await deps.storage.hydrate(
    scope,
    best.map((hit) => hit.row),
    { vectors: query.vector !== null },
  )
  return candidatesOf(best, versions, graphByRow, query)
}

/** Those among the best `wanted`, and those that decay may still lift among them. */
function mayStillWin(
  hits: readonly SearchHit[],
  graphByRow: ReadonlyMap<number, number>,
  weights: FusionWeights,
  query: RetrievalQuery,
): SearchHit[] {
  const guessed = hits
    .map((hit) => ({ hit, guess: guessOf(hit, graphByRow, weights) }))
    .sort((a, b) => b.guess - a.guess)
  const last = guessed[query.wanted - 1]?.guess ?? 0
  const floor = (last - quantizationError) * query.lowestDecayFactor - quantizationError
  return guessed.filter(({ guess }, place) => place < query.wanted || guess >= floor).map(({ hit }) => hit)
}

function guessOf(hit: SearchHit, graphByRow: ReadonlyMap<number, number>, weights: FusionWeights): number {
  const semantic = hit.cosine === null ? null : semanticScore(hit.cosine)
  const keyword = hit.keyword === null ? null : keywordScore(hit.keyword)
  return relevanceOf({ semantic, keyword, graph: graphByRow.get(hit.row) ?? 0 }, weights)
}

/** Names are runs of up to four words; which of them are entities, the store knows. */
async function connectedRows(storage: IndexFeed, scope: UserScope, text: string): Promise<Map<number, number>> {
  const words = nameKey(text.slice(0, 1000)).split(' ').filter(Boolean).slice(0, 64)
  const keys = new Set<string>()
  for (let start = 0; start < words.length; start++) {
    for (let length = 1; length <= 4 && start + length <= words.length; length++) {
      keys.add(nameKey(words.slice(start, start + length).join(' ')))
    }
  }
  keys.delete('')
  if (keys.size === 0) return new Map()
  const connected = await storage.connected(scope, [...keys], connectedLimit)
  // A name that is everywhere, such as a speaker's, tells nothing: it would lift whatever mentions it.
  const specificity = Math.min(1, tellingRows / connected.length)
  return new Map(connected.map(({ row, hops }) => [row, (hops === 0 ? 1 : 0.5) * specificity]))
}

function candidatesOf(
  hits: readonly SearchHit[],
  versions: readonly HydratedVersion[],
  graphByRow: ReadonlyMap<number, number>,
  query: RetrievalQuery,
): Retrieved {
  const byRow = new Map(versions.map((version) => [version.row, version]))
  const nearest = Math.max(0, ...graphByRow.values())
  const corrupt: string[] = []
  const bestOfMemory = new Map<string, Candidate>()
  for (const hit of hits) {
    const version = byRow.get(hit.row)
    // Gone since the search: forgotten or purged a moment ago.
    if (!version) continue
    const { memory } = version
    if (checksumOf(memory.content) !== memory.checksum) {
      corrupt.push(memory.id)
      continue
    }
    const graph = graphByRow.get(hit.row) ?? 0
    const candidate: Candidate = {
      row: hit.row,
      memory,
      semantic: semanticSignal(hit, version, query.vector),
      keyword: hit.keyword === null ? null : { score: keywordScore(hit.keyword), rank: hit.keywordRank },
      graph: query.hybrid ? { score: graph, rank: graph === 0 ? null : graph === nearest ? 1 : 2 } : null,
    }
    // With history several versions of one memory may be found: the one that fits best speaks for it.
    const known = bestOfMemory.get(memory.id)
    if (!known || (candidate.semantic?.score ?? 0) > (known.semantic?.score ?? 0))
      bestOfMemory.set(memory.id, candidate)
  }
  return { candidates: [...bestOfMemory.values()], corrupt }
}

function semanticSignal(hit: SearchHit, version: HydratedVersion, query: Float32Array | null): Signal | null {
  if (query === null) return null
  // A version of another model has no comparable vector until it is embedded anew.
  if (hit.cosine === null || version.vector === null) return { score: 0, rank: null }
  return { score: semanticScore(dot(query, version.vector)), rank: hit.denseRank }
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0)
  return sum
}
