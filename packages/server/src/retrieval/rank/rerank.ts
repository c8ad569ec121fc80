/**
 * Reads the best candidates with a slower model that tells the chance that a text answers the question, and adds it to what the first
 * stage found, because the model alone does worse. The sum becomes the score: only a model that reads both can tell that "I have a
 * dentist appointment" does not answer "What is my dentist's name?". An answer is read together with its question: "Yes, since May!"
 * says nothing without it.
 */
import { remainingText } from '../../core/outdated.js'
import type { UserScope } from '../../core/scope.js'
import type { Reranker } from '../../models/models.js'
import { beginningOf, denseScript } from '../../models/runtime/beginning-of.js'
import type { HydratedVersion, IndexFeed } from '../../storage/ports/index-feed.js'
import type { AskedQuery } from '../query/asked-query.js'
import type { FormerTime } from '../query/former.js'
import { nearlySays } from '../query/nearly-said.js'
import { holds, lacksCode, type Search, searchIn } from '../query/search-words.js'
import { speakerOf } from '../query/speaker.js'
import { questionBefore, rowsBefore, type Turn } from '../query/turns.js'
import { isRepeated, type Ranked } from './candidate.js'
import { type FusionSettings, relevanceOf } from './fuse.js'

/** How many candidates are reranked if the caller asks for it. */
export const rerankDepth = 30
/** How many more are read, of those that may change one of them. */
const mostChanges = 5
/** In characters. The model was trained on turns of conversations and reads the first 128 tokens, so it sees too little of long texts. */
const wellRead = 250
const hardlyRead = 600

/** A memory that may change another one. */
export interface Change {
  readonly newId: string
  readonly oldId: string
  /** The words that it may change. */
  readonly before: string
}

export interface AlsoRead {
  /** Ids of memories further down that may change one of the first: whether they match is asked too. */
  readonly further?: ReadonlySet<string>
  /** Memories to read once more, each together with what it may change. */
  readonly changes?: readonly Change[]
}

export async function rerank(
  deps: { readonly storage: Pick<IndexFeed, 'hydrate'>; readonly reranker: Reranker },
  scope: UserScope,
  query: Pick<AskedQuery, 'text' | 'asked' | 'moment' | 'includeFlagged' | 'former'>,
  ranked: readonly Ranked[],
  settings: FusionSettings,
  depth = rerankDepth,
  { further: others = new Set(), changes = [] }: AlsoRead = {},
): Promise<readonly Ranked[]> {
  const [head, tail] = [ranked.slice(0, depth), ranked.slice(depth)]
  if (head.length === 0) return []
  const further = tail.filter(({ memory }) => others.has(memory.id)).slice(0, mostChanges)
  const read = [...head, ...further]
  const before = await turnsBefore(deps.storage, scope, query, read)
  const texts = read.map((candidate) =>
    textOf(turnOf(query.former === null ? candidate : asThen(candidate, query.former)), before),
  )
  const pairs = pairsAmong(read, changes)
  const search = searchIn(query.asked)
  const asked = search?.question ?? query.asked
  const all = await deps.reranker.score(asked, [...texts, ...pairs.map(({ text }) => text)])
  const asChanges = chancesOf(pairs, all.slice(read.length))
  const scores = all.slice(0, read.length)
  const withChances = (candidate: Ranked): Ranked => {
    const asChange = asChanges.get(candidate.row)
    return asChange ? { ...candidate, asChange } : candidate
  }
  const again = redistributed(head.map(withChances), scores.slice(0, head.length), query, search, settings)
  const behind = behindReranked(again, tail.map(withChances), settings)
  if (further.length === 0) return [...again, ...behind]
  const scoreOf = new Map(further.map(({ row }, place) => [row, scores[head.length + place] ?? 0]))
  const withScores = behind.map((candidate, place) => readAlone(candidate, tail[place], scoreOf, settings))
  return [...again, ...withScores].sort((a, b) => b.fused - a.fused)
}

interface ReadPair {
  readonly row: number
  readonly oldId: string
  readonly text: string
}

/** Each takes as long as reading one more memory. */
const mostReadAsChange = 5
/** In characters. Together with a question they fit into what the model reads, in a dense script with this share. */
const mostOfNewer = 240
const mostOfOlder = 160
const shareOfDense = 0.3

/** "Thursdays now" says nothing by itself: it is read with what it changes. Of a long text, the model would see too little. */
function pairsAmong(read: readonly Ranked[], changes: readonly Change[]): ReadPair[] {
  const pairs = changes.flatMap(({ newId, oldId, before }) => {
    const newer = read.find(({ memory }) => memory.id === newId)
    const said = newer ? saidIn(newer.memory) : ''
    if (!newer || before.trim() === '' || readShare(said.length) < 1) return []
    const share = denseScript.test(said) ? shareOfDense : 1
    const [after, old] = [beginningOf(said, mostOfNewer * share), beginningOf(before.trim(), mostOfOlder * share)]
    return [{ row: newer.row, oldId, text: `${after} (before: ${old})` }]
  })
  return pairs.slice(0, mostReadAsChange)
}

/** If a memory changes several parts of another one, the best chance counts. */
function chancesOf(pairs: readonly ReadPair[], scores: readonly number[]): Map<number, ReadonlyMap<string, number>> {
  const chances = new Map<number, Map<string, number>>()
  for (const [place, { row, oldId }] of pairs.entries()) {
    const own = chances.get(row) ?? new Map<string, number>()
    chances.set(row, own.set(oldId, Math.max(own.get(oldId) ?? 0, scores[place] ?? 0)))
  }
  return chances
}

/** A memory from behind the others, with its own score if it was read. */
function readAlone(
  candidate: Ranked,
  before: Ranked | undefined,
  scores: ReadonlyMap<number, number>,
  settings: FusionSettings,
): Ranked {
  const score = scores.get(candidate.row)
  if (score === undefined || !before) return candidate
  const read = readShare(saidIn(candidate.memory).length)
  const fused = read * (before.fused + addedBy(logOdds(score), settings)) + (1 - read) * candidate.fused
  return { ...candidate, rerank: { score, rank: null }, fused, relevance: relevanceOf(fused, settings.scales.rerank) }
}

/** Log odds beyond this say nothing more. */
const mostOdds = 6
const lackingOdds = -4

function logOdds(chance: number): number {
  return Math.min(mostOdds, Math.max(-mostOdds, Math.log(chance / (1 - chance))))
}

/** What the reader's log odds add to the sum. */
function addedBy(
  odds: number,
  { rerankWeight, doubts = 1, mostOdds: most = mostOdds }: Pick<FusionSettings, 'rerankWeight' | 'doubts' | 'mostOdds'>,
): number {
  return rerankWeight * (odds < 0 ? doubts * odds : Math.min(most, odds))
}

/** At least this much, in log odds, a memory that has nearly all words of a question answers it. */
const oddsOfSaid = 3

/** What has every word of a search is hardly ever wrong, and what lacks its number hardly ever right. */
function oddsFor(asked: string, search: Search | null, { memory }: Ranked, score: number): number {
  const odds = logOdds(score)
  const text = saidIn(memory)
  if (search === null) return nearlySays(asked, text) ? Math.max(odds, oddsOfSaid + odds / 3) : odds
  if (lacksCode(search, text)) return Math.min(odds, lackingOdds)
  return holds(search, text) ? Math.max(odds, search.odds + odds / 3) : odds
}

/**
 * Redistributes the memories that the model could read among the places that they had. A memory that it could hardly read keeps its
 * place, because nothing was learned about it: neither its own score nor those of others may move it. Each place keeps its sum.
 */
function redistributed(
  head: readonly Ranked[],
  scores: readonly number[],
  { text, asked }: Pick<AskedQuery, 'text' | 'asked'>,
  search: Search | null,
  settings: FusionSettings,
): Ranked[] {
  const byPlace = [...scores].sort((a, b) => b - a)
  const looked = head.map((candidate, index) => {
    const score = scores[index] ?? 0
    const read = readShare(saidIn(candidate.memory).length)
    // For the part that the model did not read, a memory is assumed to deserve the place that it had.
    const deserved = isRepeated(candidate, text)
      ? settings.rerankWeight * mostOdds
      : read * addedBy(oddsFor(asked, search, candidate, score), settings) +
        (1 - read) * addedBy(logOdds(byPlace[index] ?? score), settings)
    return { candidate, score, readable: read > 0, sum: candidate.fused + deserved }
  })
  const sums = looked.map(({ sum }) => sum).sort((a, b) => b - a)
  const readable = looked.filter((item) => item.readable).sort((a, b) => b.sum - a.sum)
  let next = 0
  return looked
    .map((item) => (item.readable ? (readable[next++] ?? item) : item))
    .map(({ candidate, score, sum }, place) => {
      const fused = sums[place] ?? sum
      const rank = byPlace.indexOf(score) + 1
      return { ...candidate, rerank: { score, rank }, fused, relevance: relevanceOf(fused, settings.scales.rerank) }
    })
}

/** The candidates that were not reranked keep their order behind the others, as if they had the lowest score. */
export function behindReranked(again: readonly Ranked[], tail: readonly Ranked[], settings: FusionSettings): Ranked[] {
  const lowest = again.reduce((least, candidate) => Math.min(least, candidate.fused), Infinity)
  const least = again.reduce((score, { rerank }) => Math.min(score, rerank?.score ?? score), 1)
  return tail.map((candidate) => {
    // Nobody has read it, so nothing speaks for it.
    const fused = Math.min(lowest, candidate.fused + addedBy(Math.min(0, logOdds(least)), settings))
    return { ...candidate, fused, relevance: relevanceOf(fused, settings.scales.rerank) }
  })
}

/**
 * Whether most of the memories to read are turns of conversations, or too long to be read well. The reader learned short notes of one
 * person best.
 */
export function isTalk(head: readonly Ranked[]): boolean {
  const turns = head.filter(({ memory }) => speakerOf(memory.content) !== null).length
  const read = head.reduce((sum, { memory }) => sum + readShare(saidIn(memory).length), 0)
  return 2 * turns > head.length || 2 * read < head.length
}

function readShare(length: number): number {
  return Math.min(1, Math.max(0, (hardlyRead - length) / (hardlyRead - wellRead)))
}

/** The candidates and the turns before them, by row. */
async function turnsBefore(
  storage: Pick<IndexFeed, 'hydrate'>,
  scope: UserScope,
  query: Pick<AskedQuery, 'moment' | 'includeFlagged'>,
  head: readonly Ranked[],
): Promise<ReadonlyMap<number, Turn>> {
  const turns = new Map(head.map((candidate) => [candidate.row, turnOf(candidate)]))
  const missing = new Set(head.flatMap(({ row }) => rowsBefore(row)).filter((row) => !turns.has(row)))
  const versions = await storage.hydrate(scope, [...missing], { vectors: false })
  for (const version of versions) if (isThere(version, query)) turns.set(version.row, turnOf(version))
  return turns
}

/** An expired, replaced or flagged memory must not affect another one either. */
function isThere(
  { memory }: HydratedVersion,
  { moment, includeFlagged }: Pick<AskedQuery, 'moment' | 'includeFlagged'>,
) {
  const at = moment.kind === 'now' ? moment.now : moment.at
  return (
    (includeFlagged || !memory.flagged) &&
    (memory.expiresAt === null || memory.expiresAt > at) &&
    (memory.supersededAt === null || memory.supersededAt > at)
  )
}

function turnOf({ row, memory }: Pick<Ranked, 'row' | 'memory'>): Turn {
  return { row, speaker: speakerOf(memory.content), content: saidIn(memory), saidAt: memory.createdAt }
}

/** Without the marks of what was outdated later. */
function asThen({ row, memory }: Ranked, { until }: FormerTime): Pick<Ranked, 'row' | 'memory'> {
  return {
    row,
    memory: { ...memory, outdated: memory.outdated.filter(({ since }) => until !== null && since <= until) },
  }
}

/** Words that no longer hold must not make a memory relevant. */
function saidIn({ content, outdated }: Pick<Ranked['memory'], 'content' | 'outdated'>): string {
  return remainingText(content, outdated)
}

/** Reading more of a question would cost time and add little. */
const longestQuestion = 240

function textOf(turn: Turn, before: ReadonlyMap<number, Turn>): string {
  const question = questionBefore(turn, before)
  return question === null ? turn.content : `${turn.content} (after ${beginningOf(question.content, longestQuestion)})`
}
