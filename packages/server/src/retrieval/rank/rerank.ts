/**
 * A second, slower look at the best candidates, blended with the first stage: alone a reranker does worse. An answer is
 * read together with the question that it answers: "Yes, since May!" says nothing without it.
 */
import type { UserScope } from '../../core/scope.js'
import type { Reranker } from '../../models/models.js'
import { beginningOf } from '../../models/word-pieces.js'
import type { HydratedVersion, IndexFeed } from '../../storage/ports/storage.js'
import type { AskedQuery } from '../query/asked-query.js'
import { speakerOf } from '../query/speaker.js'
import { questionBefore, rowsBefore, type Turn } from '../query/turns.js'
import type { Ranked } from './candidate.js'
import { type FusionSettings, relevanceOf } from './fuse.js'

/** How many candidates are looked at again. */
export const rerankDepth = 30
/** In characters. The model learned from turns of a dialogue and reads the first 128 tokens: of long texts it knows too little. */
const wellRead = 250
const hardlyRead = 600

export async function rerank(
  deps: { readonly storage: Pick<IndexFeed, 'hydrate'>; readonly reranker: Reranker },
  scope: UserScope,
  query: Pick<AskedQuery, 'text' | 'moment' | 'includeFlagged'>,
  ranked: readonly Ranked[],
  settings: FusionSettings,
): Promise<readonly Ranked[]> {
  const head = ranked.slice(0, rerankDepth)
  if (head.length === 0) return []
  const before = await turnsBefore(deps.storage, scope, query, head)
  const texts = head.map((candidate) => textOf(turnOf(candidate), before))
  const scores = await deps.reranker.score(query.text, texts)
  const again = dealtAnew(head, scores, settings)
  return [...again, ...behindReranked(again, ranked.slice(rerankDepth), settings)]
}

/** A score of little says no, and how little it is says nothing: among low scores a difference moves less than among high ones. */
const sureness = 1.5

/**
 * What it could read is dealt anew among the places that such memories had. What it could hardly read keeps its place, since
 * nothing was learned of it: neither its own score nor others' may lift or sink it. A sum belongs to its place.
 */
function dealtAnew(
  head: readonly Ranked[],
  scores: readonly number[],
  { rerankShare, scales }: Pick<FusionSettings, 'rerankShare' | 'scales'>,
): Ranked[] {
  const byPlace = [...scores].sort((a, b) => b - a)
  const looked = head.map((candidate, index) => {
    const score = scores[index] ?? 0
    const read = readShare(candidate.memory.content.length)
    const blend = (power: number) => {
      // What it could read in part is taken to deserve, for the rest, the place that it had.
      const deserved = read * score ** power + (1 - read) * (byPlace[index] ?? score) ** power
      return (1 - rerankShare) * candidate.fused + rerankShare * deserved
    }
    return { candidate, score, readable: read > 0, sum: blend(1), claim: blend(sureness) }
  })
  const sums = looked.map(({ sum }) => sum).sort((a, b) => b - a)
  const readable = looked.filter((item) => item.readable).sort((a, b) => b.claim - a.claim)
  let next = 0
  return looked
    .map((item) => (item.readable ? (readable[next++] ?? item) : item))
    .map(({ candidate, score, sum }, place) => {
      const fused = sums[place] ?? sum
      const rank = byPlace.indexOf(score) + 1
      return { ...candidate, rerank: { score, rank }, fused, relevance: relevanceOf(fused, scales.rerank) }
    })
}

/** What was not looked at twice keeps its order behind what was: as if it had got the least of the scores. */
export function behindReranked(
  again: readonly Ranked[],
  tail: readonly Ranked[],
  { rerankShare, scales }: Pick<FusionSettings, 'rerankShare' | 'scales'>,
): Ranked[] {
  const lowest = again.reduce((least, candidate) => Math.min(least, candidate.fused), Infinity)
  const least = again.reduce((score, { rerank }) => Math.min(score, rerank?.score ?? score), 1)
  return tail.map((candidate) => {
    const fused = Math.min(lowest, (1 - rerankShare) * candidate.fused + rerankShare * least)
    return { ...candidate, fused, relevance: relevanceOf(fused, scales.rerank) }
  })
}

function readShare(length: number): number {
  return Math.min(1, Math.max(0, (hardlyRead - length) / (hardlyRead - wellRead)))
}

/** The candidates and what stands before them, by row. */
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

/** What has expired, was replaced or is flagged must not speak for another memory either. */
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
  return { row, speaker: speakerOf(memory.content), content: memory.content, saidAt: memory.createdAt }
}

/** More of a question would cost time and tell little. */
const longestQuestion = 240

function textOf(turn: Turn, before: ReadonlyMap<number, Turn>): string {
  const question = questionBefore(turn, before)
  return question === null ? turn.content : `${turn.content} (after ${beginningOf(question.content, longestQuestion)})`
}
