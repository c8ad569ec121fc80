import { hash } from 'node:crypto'
import type { Actor } from '../../core/actor.js'
import type { DecaySubject } from '../../core/decay.js'
import type { Filter } from '../../core/filter.js'
import { type BareMemory, checksumOf, type Json } from '../../core/memory.js'
import { auditedUser, type NobodyScope, type UserScope } from '../../core/scope.js'
import type { SearchedIn } from '../../retrieval/index/user-indexes.js'
import { agendaIn } from '../../retrieval/query/agenda.js'
import { questionsAmidTalk } from '../../retrieval/query/amid-talk.js'
import type { AskedQuery } from '../../retrieval/query/asked-query.js'
import { type FormerTime, formerTime } from '../../retrieval/query/former.js'
import { questionsIn } from '../../retrieval/query/parts.js'
import { plainQuestion } from '../../retrieval/query/plain-question.js'
import { assembleContext } from '../../retrieval/rank/assemble.js'
import type { Ranked, Signal, Signals, Weighed } from '../../retrieval/rank/candidate.js'
import { weigh } from '../../retrieval/rank/weigh.js'
import type { Deps } from '../deps.js'
import { hideSecretsInQuery } from '../secrets/hide-secrets.js'
import { askedOf } from './asked-of.js'
import { currentFirst } from './current-first.js'
import { withCurrentMarks } from './current-marks.js'
import { type Found, merge } from './merge.js'
import { explainNotReturned, type NotReturned } from './not-returned.js'
import { amidTalk, embedQuestions, rankFor, together } from './rank-question.js'

export interface RecallQuery {
  readonly text: string
  readonly limit: number
  readonly threshold: number
  readonly maxTokens: number
  /** How many memories the context may have. Those beyond `limit` are in the context only. */
  readonly mostInContext: number
  readonly hybrid: boolean
  readonly rerank: boolean
  readonly asOf?: number
  readonly filters?: { readonly [key: string]: Json }
  readonly entity?: string
  readonly filter?: Filter
  readonly includeHistory: boolean
  readonly includeFlagged: boolean
  /** Memories to explain if they are not returned. */
  readonly explainMemoryIds?: readonly string[]
}

export interface RecalledMemory {
  readonly memory: BareMemory
  readonly score: number
  readonly parts: Signals & { readonly rerank: Signal | null; readonly decay: Signal; readonly trust: Signal }
}

export interface Recalled {
  readonly memories: readonly RecalledMemory[]
  readonly context: string
  /** Parts that failed and were skipped: `semantic`, `rerank`; `size`: the answer would have been too large. */
  readonly degraded: readonly string[]
  /** Where the search looked: in the indexes in memory, or for one of the users in the storage. */
  readonly searchedIn: SearchedIn
  /** The memories of `explainMemoryIds` that were not returned. */
  readonly notReturned?: readonly UnreturnedMemory[]
}

export interface UnreturnedMemory extends Pick<NotReturned, 'id' | 'reason'> {
  /** The score that it got, or would have got as a candidate, and the resulting rank. */
  readonly scored?: Omit<RecalledMemory, 'memory'> & { readonly rank: number }
}

export async function recall(
  deps: Deps,
  actor: Actor,
  scope: UserScope | NobodyScope,
  given: RecallQuery,
): Promise<Recalled> {
  return recallAcross(deps, actor, [scope], given)
}

/** Searches each scope by itself and merges by score. Scores are comparable, because they do not depend on other memories. */
export async function recallAcross(
  deps: Deps,
  actor: Actor,
  scopes: readonly (UserScope | NobodyScope)[],
  given: RecallQuery,
): Promise<Recalled> {
  const query = { ...given, text: hideSecretsInQuery(deps, given.text) }
  const audit = (outcome: 'success' | 'failed') => {
    const asked = { key_id: actor.keyId, query_hash: hash('sha256', query.text, 'hex') }
    for (const scope of scopes) {
      deps.audit.record(actor, { event: 'memory.recall', user_id: auditedUser(scope), ...asked }, outcome)
    }
  }
  try {
    const reached = scopes.filter((scope) => scope.kind === 'user')
    const recalled = reached.length === 0 ? nothingOf(query) : await recallOf(deps, reached, query)
    audit('success')
    return recalled
  } catch (error) {
    audit('failed')
    throw error
  }
}

/** Another user's data is invisible, exactly like data that does not exist. */
function nothingOf({ explainMemoryIds }: RecallQuery): Recalled {
  const notReturned = [...new Set(explainMemoryIds)].map((id) => ({ id, reason: 'not_found' as const }))
  return { memories: [], context: '', degraded: [], searchedIn: 'memory', ...(explainMemoryIds ? { notReturned } : {}) }
}

async function recallOf(deps: Deps, scopes: readonly UserScope[], given: RecallQuery): Promise<Recalled> {
  const now = deps.clock.now()
  const degraded = new Set<string>()
  const isDialogue = askedOf(given.text) !== given.text
  // "Anything on in December?" needs all of its words.
  const isWhole = isDialogue || agendaIn(given.text, given.asOf ?? now) !== null
  const query = isWhole ? given : { ...given, text: plainQuestion(given.text) }
  const asked = isDialogue ? askedOf(given.text) : query.text
  const amid = isWhole ? [] : questionsAmidTalk(asked)
  const parts = asked !== query.text ? [] : amid.length > 0 ? amid : questionsIn(asked)
  const isTalk = amid.length > 0
  const embedding = embedQuestions(deps, [query.text, ...parts], asked, query.hybrid, degraded)
  const searches: (Found & { readonly searchedIn: SearchedIn })[] = []
  // One after another: a request takes no more of the service at a time than one over a single scope.
  for (const scope of scopes)
    searches.push(await searchIn(deps, scope, query, { asked, parts, isTalk, embedding, now, degraded }))
  const merged = merge(searches, query, (chosen) => withinSize(deps, chosen, degraded))
  for (const scope of query.asOf === undefined ? scopes : []) {
    const own = merged.chosen.filter(({ memory }) => memory.userId === scope.userId)
    const ids = own.map(({ memory }) => memory.id)
    deps.accesses.record(scope.userId, ids, now)
  }
  return {
    memories: merged.chosen.map(present),
    // Flagged memories may be returned, but are never part of the context.
    context: assembleContext(
      [...merged.chosen, ...merged.further].map(({ memory }) => memory).filter((memory) => !memory.flagged),
      query.maxTokens,
      deps.countTokens,
    ),
    degraded: [...degraded],
    searchedIn: searches.some(({ searchedIn }) => searchedIn === 'storage') ? 'storage' : 'memory',
    ...(merged.notReturned ? { notReturned: merged.notReturned.map(presentUnreturned) } : {}),
  }
}

interface Search {
  /** The words that ask. */
  readonly asked: string
  /** Each question of a query that asks several. */
  readonly parts: readonly string[]
  /** The parts stand amid small talk. */
  readonly isTalk: boolean
  /** The vectors of the query and of its parts. Shared by all scopes; awaited by the first while it reads. */
  readonly embedding: Promise<readonly (Float32Array | null)[]>
  readonly now: number
  readonly degraded: Set<string>
}

async function searchIn(
  deps: Deps,
  scope: UserScope,
  query: RecallQuery,
  { asked, parts, isTalk, embedding, now, degraded }: Search,
): Promise<Found & { readonly searchedIn: SearchedIn }> {
  const { decay } = deps.settings
  const wanted = { limit: query.limit, rerank: query.rerank, degraded }
  const at = query.asOf ?? now
  const ofParts = parts.map((part) => formerTime(part, at))
  const rank = (text: string, words: string, place: number, former: FormerTime | null) => {
    const vector = embedding.then((vectors) => vectors[place] ?? null)
    return rankFor(deps, scope, askedBy(query, text, words, now, former), vector, wanted)
  }
  // Of several questions, all must ask how it was: "Where do I live, and where did I live before?"
  const isMixed = ofParts.includes(null)
  const whole = await rank(query.text, asked, 0, isMixed ? null : formerTime(asked, at))
  const rankings = [whole]
  for (const [place, part] of parts.entries())
    rankings.push(await rank(part, part, place + 1, isMixed ? null : (ofParts[place] ?? null)))
  const { query: embedded, fusion, leads, retrieved } = whole
  const { ranked, changes } = together(isTalk ? [amidTalk(whole), ...rankings.slice(1)] : rankings)
  const weighAll = (candidates: readonly Ranked[]) =>
    weigh(candidates, decay, at, (candidate) => subjectOf(deps, query, candidate))
  const weighed = await currentFirst(deps, embedded, weighAll(ranked), changes)
  const best = choose(deps, weighed, query)
  const chosen = withinSize(deps, best.slice(0, query.limit), degraded)
  const finished = { query: embedded, fusion, threshold: query.threshold, leads, retrieved, ranked, weighed, chosen }
  const notReturned =
    query.explainMemoryIds &&
    (await explainNotReturned(deps, scope, query.explainMemoryIds, { ...finished, weigh: weighAll }))
  const isNowWithHistory = query.includeHistory && query.asOf === undefined
  const shown = isNowWithHistory ? await withCurrentMarks(deps, scope, chosen) : chosen
  const searchedIn = rankings.some((each) => each.retrieved.searchedIn === 'storage') ? 'storage' : 'memory'
  return { chosen: shown, further: best.slice(query.limit), searchedIn, ...(notReturned ? { notReturned } : {}) }
}

function askedBy(query: RecallQuery, text: string, asked: string, now: number, former: FormerTime | null): AskedQuery {
  return {
    text,
    asked,
    hybrid: query.hybrid,
    moment: query.asOf === undefined ? { kind: 'now', now } : { kind: 'asOf', at: query.asOf },
    includeHistory: query.includeHistory,
    includeFlagged: query.includeFlagged,
    filter: filterOf(query),
    former,
  }
}

function filterOf(query: RecallQuery) {
  if (query.filters === undefined && query.entity === undefined && query.filter === undefined) return undefined
  return {
    ...(query.filter === undefined ? {} : { filter: query.filter }),
    ...(query.filters === undefined ? {} : { metadata: query.filters }),
    ...(query.entity === undefined ? {} : { entity: query.entity }),
  }
}

/** A recall of the past ignores later accesses; a current one includes those that are not on disk yet. */
function subjectOf(deps: Deps, query: RecallQuery, { memory }: Ranked): DecaySubject {
  if (query.asOf !== undefined) return { createdAt: memory.createdAt, accessCount: 0, lastAccessed: null }
  const pending = deps.accesses.pending(memory.id)
  if (!pending) return memory
  return {
    createdAt: memory.createdAt,
    accessCount: memory.accessCount + pending.count,
    lastAccessed: Math.max(memory.lastAccessed ?? 0, pending.at),
  }
}

/** Checks the checksum of the best candidates only: checking all of them would take too long. */
function choose(deps: Deps, weighed: readonly Weighed[], { threshold, limit, mostInContext }: RecallQuery): Weighed[] {
  const most = Math.max(limit, mostInContext)
  const chosen: Weighed[] = []
  for (const candidate of weighed) {
    if (chosen.length === most || candidate.score < threshold) break
    const { id, content, checksum } = candidate.memory
    if (checksumOf(content) === checksum) {
      chosen.push(candidate)
      continue
    }
    deps.meter.checksumMismatch()
    deps.log.error({ memory_id: id }, 'a memory does not match its checksum and was left out')
  }
  return chosen
}

/** Of text and metadata in one answer, about: a list of memories has the same limit per page. */
const mostCharacters = 4_000_000

/** A recall has no next page, so it leaves out the least relevant memories and says so. */
function withinSize(deps: Deps, chosen: readonly Weighed[], degraded: Set<string>): readonly Weighed[] {
  let characters = 0
  const end = chosen.findIndex(({ memory }, place) => {
    characters += memory.content.length + JSON.stringify(memory.metadata).length
    return place > 0 && characters > mostCharacters
  })
  if (end === -1) return chosen
  deps.log.warn({ left_out: chosen.length - end }, 'recall left out memories: the answer would be too large')
  deps.meter.degraded('size')
  degraded.add('size')
  return chosen.slice(0, end)
}

function present(item: Weighed): RecalledMemory {
  const { memory, score, signals, rerank: reranked, decayScore, decayRank, trustRank } = item
  const decay = { score: decayScore, rank: decayRank }
  const trust = { score: memory.trustScore, rank: trustRank }
  const { semantic, keyword, graph, speaker, subject, time, reply, statement } = signals
  const parts = { semantic, keyword, graph, speaker, subject, time, reply, statement, rerank: reranked, decay, trust }
  return { memory, score, parts }
}

function presentUnreturned({ id, reason, scored }: NotReturned): UnreturnedMemory {
  if (!scored) return { id, reason }
  const { score, parts } = present(scored.memory)
  return { id, reason, scored: { score, parts, rank: scored.rank } }
}
