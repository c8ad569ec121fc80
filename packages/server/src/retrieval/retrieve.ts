/**
 * Turns a query into candidates with the score of every signal. The user's index finds them by meaning and by keywords, the store knows
 * which memories are connected to the names in the query, and for the best candidates exact vectors replace the quantized ones of the
 * index.
 */
import type { UserScope } from '../core/scope.js'
import { timeFit, widened } from '../language/dates/time-span.js'
import type { HydratedVersion, IndexFeed } from '../storage/ports/index-feed.js'
import type { SearchHit, SearchQuery } from './index/search.js'
import type { FoundHits, SearchedIn, UserIndexes } from './index/user-indexes.js'
import type { AskedQuery } from './query/asked-query.js'
import type { Leads } from './query/leads.js'
import { indexWordsOf } from './query/search-words.js'
import { isSoonAfter, stepsToQuestion } from './query/turns.js'
import type { Candidate } from './rank/candidate.js'
import { type FusionWeights, fusedScore, keywordScore, ownScore, semanticScore } from './rank/fuse.js'
import { type Evidence, signalsOf } from './rank/signals.js'

export interface RetrievalQuery extends AskedQuery {
  readonly vector: Float32Array | null
  /** How many memories the caller (or a reranker) wants. It sets how many candidates are read. */
  readonly wanted: number
}

export interface Retrieved {
  readonly candidates: readonly Candidate[]
  readonly searchedIn: SearchedIn
  /** Whether the question names somebody who said some of them. */
  readonly namesSpeaker: boolean
  /** The evidence behind the candidates. */
  readonly looked: Looked
}

interface Looked {
  readonly hits: readonly SearchHit[]
  readonly versions: readonly HydratedVersion[]
}

/**
 * Some signals score a memory relative to the other candidates, so the number of candidates affects the order. Up to this many wanted
 * memories, the order is always the same.
 */
const usuallyWanted = 20
const spareCandidates = 20

/** For how many of the best the exact vectors are read. The rest score too low for the error of the index to matter. */
function exactlyComparable({ wanted }: RetrievalQuery): number {
  return Math.max(usuallyWanted, wanted) + 10
}

export async function retrieve(
  deps: { readonly storage: IndexFeed; readonly indexes: UserIndexes },
  scope: UserScope,
  query: RetrievalQuery,
  leads: Leads,
  weights: FusionWeights,
): Promise<Retrieved> {
  if (leads.onlyRows?.length === 0) {
    const { searchedIn } = leads.refreshed
    return { candidates: [], namesSpeaker: false, searchedIn, looked: { hits: [], versions: [] } }
  }
  const { hits, searchedIn } = await search(deps.indexes, scope, query, leads)
  const best = await withAgenda(deps.indexes, scope, query, leads, worthALook(hits, leads, weights, query))
  const versions = await read(deps.storage, scope, best, leads, query)
  const looked = { hits: best, versions }
  return { ...signalsOf(evidenceOf(best, versions, leads, query), query, leads.spans, weights), searchedIn, looked }
}

/**
 * What versions that were not candidates would have scored as candidates: for each of these rows, the candidates with it among them.
 * A row is missing where neither its meaning nor its words can be compared with the query.
 */
export async function retrieveBeside(
  deps: { readonly storage: IndexFeed; readonly indexes: UserIndexes },
  scope: UserScope,
  query: RetrievalQuery,
  leads: Leads,
  weights: FusionWeights,
  { hits, versions }: Looked,
  rows: readonly number[],
): Promise<ReadonlyMap<number, Omit<Retrieved, 'looked' | 'searchedIn'>>> {
  const wanted = { ...wantedBy(query), onlyRows: rows, limit: rows.length }
  const [found, read] = await Promise.all([
    deps.indexes.search(scope, wanted, leads.refreshed),
    deps.storage.hydrate(scope, rows, { vectors: query.vector !== null }),
  ])
  return new Map(
    found.hits.map((hit) => {
      const evidence = evidenceOf([...hits, unranked(hit)], [...versions, ...read], leads, query)
      return [hit.row, signalsOf(evidence, query, leads.spans, weights)]
    }),
  )
}

/** The versions of the best hits: those that were read ahead, and the others from the store. */
async function read(
  storage: IndexFeed,
  scope: UserScope,
  best: readonly SearchHit[],
  { readAhead }: Leads,
  query: RetrievalQuery,
): Promise<HydratedVersion[]> {
  const isMissing = ({ row }: SearchHit) => !readAhead.has(row)
  const missing = best.filter(isMissing)
  const known = [...readAhead.values()]
  if (missing.length === 0) return known
  const exact = best.slice(0, exactlyComparable(query)).filter(isMissing).length
  const others = await storage.hydrate(
    scope,
    missing.map(({ row }) => row),
    { vectors: query.vector === null ? false : exact },
  )
  return [...known, ...others]
}

/** The best of all, and the best from the time that the question mentions, which may differ among years of memories. */
async function search(
  indexes: UserIndexes,
  scope: UserScope,
  query: RetrievalQuery,
  { refreshed, onlyRows, spans }: Leads,
): Promise<Pick<FoundHits, 'hits' | 'searchedIn'>> {
  const wanted: SearchQuery = { ...wantedBy(query), ...(onlyRows ? { onlyRows } : {}) }
  const within = spans?.flatMap(widened) ?? []
  const [all, ofTime] = await Promise.all([
    indexes.search(scope, wanted, refreshed),
    within.length > 0 ? indexes.search(scope, { ...wanted, within }, refreshed) : undefined,
  ])
  if (!ofTime) return all
  const known = new Set(all.hits.map(({ row }) => row))
  // Their ranks count only among hits from that time.
  const more = ofTime.hits.filter(({ row }) => !known.has(row))
  return { hits: [...all.hits, ...more.map(unranked)], searchedIn: all.searchedIn }
}

/** A question about the calendar has no word of "optician 25 nov", so the dates that it asks for are searched too. */
async function withAgenda(
  indexes: UserIndexes,
  scope: UserScope,
  query: RetrievalQuery,
  { refreshed, onlyRows, agenda }: Leads,
  best: SearchHit[],
): Promise<SearchHit[]> {
  if (agenda === null) return best
  const wanted = { ...wantedBy(query), text: agenda.words, ...(onlyRows ? { onlyRows } : {}) }
  const { hits } = await indexes.search(scope, wanted, refreshed)
  const known = new Set(best.map(({ row }) => row))
  const more = hits.filter(({ row, keywordRank }) => keywordRank !== null && !known.has(row))
  // These are not the words of the question.
  return [...best, ...more.map((hit) => ({ ...unranked(hit), keyword: 0 }))]
}

function wantedBy(query: RetrievalQuery): SearchQuery {
  return {
    vector: query.vector,
    text: query.hybrid || query.vector === null ? indexWordsOf(query.text) : null,
    moment: query.moment,
    includeHistory: query.includeHistory,
    includeFlagged: query.includeFlagged,
    limit: 2 * Math.max(usuallyWanted, query.wanted),
  }
}

function unranked(hit: SearchHit): SearchHit {
  return { ...hit, denseRank: null, keywordRank: null }
}

/**
 * The hits whose text and exact vector are read: some more than wanted, because decay and the signals that need the text change the
 * order. What a memory may gain as an answer to a question counts in full here.
 */
function worthALook(
  hits: readonly SearchHit[],
  { graphByRow, spans }: Leads,
  weights: FusionWeights,
  query: RetrievalQuery,
): SearchHit[] {
  const scored = hits.map((hit) => {
    const { semantic, keyword } = scoresOf(hit)
    return { hit, semantic, keyword, own: ownScore({ semantic, keyword }, weights) }
  })
  const byRow = new Map<number, (typeof scored)[number]>()
  for (const item of scored) byRow.set(item.hit.row, item)
  const replyTo = ({ row, saidAt }: SearchHit): number => {
    let best = 0
    for (const step of stepsToQuestion) {
      const before = byRow.get(row - step)
      if (before && isSoonAfter(before.hit.saidAt, saidAt)) best = Math.max(best, before.own)
    }
    return best
  }
  return scored
    .map(({ hit, semantic, keyword, own }) => {
      if (!query.hybrid) return { hit, guess: own }
      const graph = graphByRow.get(hit.row) ?? 0
      const time = spans && timeFit(spans, hit.saidAt)
      const known = {
        semantic,
        keyword,
        graph,
        time,
        reply: replyTo(hit),
        speaker: null,
        subject: null,
        statement: null,
      }
      return { hit, guess: fusedScore(known, weights, own) }
    })
    .sort((a, b) => b.guess - a.guess)
    .slice(0, 2 * Math.max(usuallyWanted, query.wanted) + spareCandidates)
    .map(({ hit }) => hit)
}

function scoresOf({ cosine, keyword }: SearchHit): { semantic: number | null; keyword: number | null } {
  return {
    semantic: cosine === null ? null : semanticScore(cosine),
    keyword: keyword === null ? null : keywordScore(keyword),
  }
}

function evidenceOf(
  hits: readonly SearchHit[],
  versions: readonly HydratedVersion[],
  { graphByRow }: Leads,
  query: RetrievalQuery,
): Evidence[] {
  const byRow = new Map<number, HydratedVersion>()
  for (const version of versions) byRow.set(version.row, version)
  const bestOfMemory = new Map<string, Evidence>()
  for (const hit of hits) {
    const version = byRow.get(hit.row)
    // Forgotten or purged since the search.
    if (!version) continue
    const { memory } = version
    const found: Evidence = {
      row: hit.row,
      memory,
      semantic: semanticSignal(hit, version, query.vector),
      keyword: hit.keyword === null ? null : { score: keywordScore(hit.keyword), rank: hit.keywordRank },
      graph: graphByRow.get(hit.row) ?? 0,
    }
    // With history, several versions of one memory may be found. The best one represents the memory.
    const known = bestOfMemory.get(memory.id)
    if (!known || (found.semantic?.score ?? 0) > (known.semantic?.score ?? 0)) bestOfMemory.set(memory.id, found)
  }
  return [...bestOfMemory.values()]
}

function semanticSignal(hit: SearchHit, version: HydratedVersion, query: Float32Array | null): Evidence['semantic'] {
  if (query === null) return null
  // A version that another model embedded has no comparable vector until it is re-embedded.
  if (hit.cosine === null) return { score: 0, rank: null }
  const cosine = version.vector === null ? hit.cosine : dot(query, version.vector)
  return { score: semanticScore(cosine), rank: hit.denseRank }
}

/** In four sums: with a single one, each step would wait for the previous one. */
function dot(a: Float32Array, b: Float32Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0]
  for (let index = 0; index < a.length; index += 4) {
    first += (a[index] ?? 0) * (b[index] ?? 0)
    second += (a[index + 1] ?? 0) * (b[index + 1] ?? 0)
    third += (a[index + 2] ?? 0) * (b[index + 2] ?? 0)
    fourth += (a[index + 3] ?? 0) * (b[index + 3] ?? 0)
  }
  return first + second + (third + fourth)
}
