/** Ranks the memories that may answer a question, from its vector to the reader. */
import { ServiceError } from '../../core/errors.js'
import { timed } from '../../core/meter.js'
import { remainingText } from '../../core/outdated.js'
import type { UserScope } from '../../core/scope.js'
import { maySupersede } from '../../core/trust.js'
import { isForeign } from '../../language/words/is-foreign.js'
import { type AskedQuery, isDialogue } from '../../retrieval/query/asked-query.js'
import { askedAt, findLeads, type Leads } from '../../retrieval/query/leads.js'
import { isRemark, isStatement } from '../../retrieval/query/remark.js'
import { agendaFirst } from '../../retrieval/rank/agenda-first.js'
import type { Ranked } from '../../retrieval/rank/candidate.js'
import {
  type FusionSettings,
  forNamedSpeaker,
  forOtherLanguages,
  forRemarks,
  forStatements,
  forTalk,
  fuse,
} from '../../retrieval/rank/fuse.js'
import { type Change, isTalk, rerank, rerankDepth } from '../../retrieval/rank/rerank.js'
import { type RetrievalQuery, type Retrieved, retrieve } from '../../retrieval/retrieve.js'
import type { Contested } from '../../storage/ports/memory-reads.js'
import type { Deps } from '../deps.js'
import { between } from './asked-of.js'
import { changesAmong } from './current-first.js'

interface Wanted {
  readonly limit: number
  readonly rerank: boolean
  readonly degraded: Set<string>
}

export interface RankedFor {
  readonly query: RetrievalQuery
  /** How this question's signals were summed. */
  readonly fusion: FusionSettings
  readonly leads: Leads
  readonly retrieved: Retrieved
  readonly ranked: readonly Ranked[]
  /** Which of them change others. */
  readonly changes: readonly Contested[]
}

export async function rankFor(
  deps: Deps,
  scope: UserScope,
  asked: AskedQuery,
  embedding: Promise<Float32Array | null>,
  wanted: Wanted,
): Promise<RankedFor> {
  const { degraded } = wanted
  const isSaid = isRemark(asked.asked)
  // A dialogue is no search, though its last turn may ask nothing.
  const isQuestion = !isSaid && (isDialogue(asked) || !isStatement(asked.asked))
  const before = fusionFor(deps.settings.fusion, asked.asked, isSaid, isQuestion)
  const [vector, leads] = await Promise.all([embedding, findLeads(deps, scope, asked, before.weights)])
  // Always retrieves more candidates than are reranked: reranking starts from the order without it.
  const query = { ...asked, vector, wanted: wanted.limit }
  const retrieved = await timed(deps.meter, 'search', () => retrieve(deps, scope, query, leads, before.weights))
  const inEnglish = !isForeign(asked.asked)
  const weighed = isQuestion && inEnglish && retrieved.namesSpeaker ? forNamedSpeaker(before) : before
  const fused = fuse(retrieved.candidates, weighed, retrieved.namesSpeaker)
  // The reader was trained on questions. The last turn of a dialogue is often none, and a remark never is one.
  const readFirst = isDialogue(asked) ? 0 : firstToRead(deps.settings.readFirst ?? 0, asked.asked)
  const depth = isSaid || degraded.has('rerank') ? 0 : wanted.rerank ? rerankDepth : readFirst
  const fusion = depth > 0 && inEnglish && isTalk(fused.slice(0, depth)) ? forTalk(weighed) : weighed
  const changes = await changesAmong(deps, scope, fused)
  const read = depth > 0 ? await rerankSoftly(deps, scope, asked, fused, { fusion, depth, changes, degraded }) : fused
  const ranked = leads.agenda === null ? read : agendaFirst(read, leads.agenda, askedAt(asked))
  return { query, fusion, leads, retrieved, ranked, changes }
}

function fusionFor(settings: FusionSettings, asked: string, isSaid: boolean, isQuestion: boolean): FusionSettings {
  if (isSaid) return forRemarks(settings)
  if (isForeign(asked)) return forOtherLanguages(settings)
  return isQuestion ? settings : forStatements(settings)
}

/**
 * In other languages than English the answer is more often behind the first few. Reading twice as many there has 59 instead of 57% right first
 * and 78 instead of 73.5% in the first three (`npm run bench:languages -- --second`); in English it changes nothing.
 */
function firstToRead(setting: number, question: string): number {
  return isForeign(question) ? Math.min(rerankDepth, 2 * setting) : setting
}

const ofTalk = 0.7

/** What fits the talk around a question counts for less than what fits the question. */
export function amidTalk(whole: RankedFor): RankedFor {
  return {
    ...whole,
    ranked: whole.ranked.map((candidate) => ({ ...candidate, relevance: ofTalk * candidate.relevance })),
  }
}

/** The memories for all questions, each with the score of the question that it answers best. */
export function together(questions: readonly RankedFor[]): Pick<RankedFor, 'ranked' | 'changes'> {
  const [only] = questions
  if (only && questions.length === 1) return only
  const best = new Map<string, Ranked>()
  for (const candidate of questions.flatMap(({ ranked }) => ranked)) {
    const known = best.get(candidate.memory.id)
    const better = !known || candidate.relevance > known.relevance ? candidate : known
    const asChange = bestChances(candidate, known)
    best.set(candidate.memory.id, asChange ? { ...better, asChange } : better)
  }
  const changes = new Map(
    questions.flatMap(({ changes: some }) => some.map((change) => [JSON.stringify(change), change])),
  )
  return { ranked: [...best.values()].sort((a, b) => b.relevance - a.relevance), changes: [...changes.values()] }
}

/** A change that answers one of the questions answers. */
function bestChances(...candidates: readonly (Ranked | undefined)[]): ReadonlyMap<string, number> | undefined {
  const chances = new Map<string, number>()
  for (const [id, chance] of candidates.flatMap((candidate) => [...(candidate?.asChange ?? [])]))
    chances.set(id, Math.max(chances.get(id) ?? 0, chance))
  return chances.size === 0 ? undefined : chances
}

/** Without vectors, a hybrid recall continues with keywords and reports it; a purely semantic one fails. */
export async function embedQuestions(
  deps: Deps,
  questions: readonly string[],
  asked: string,
  hybrid: boolean,
  degraded: Set<string>,
): Promise<readonly (Float32Array | null)[]> {
  try {
    const [text] = questions
    const texts = asked === text ? questions : [...questions, asked]
    const vectors = await timed(deps.meter, 'embed', () => deps.embedder.embed(texts))
    const [whole, ofAsked] = [vectors[0], vectors[questions.length]]
    return whole && ofAsked ? [between(whole, ofAsked)] : vectors
  } catch (error) {
    if (!hybrid || !(error instanceof ServiceError)) throw error
    deps.log.warn({ err: error }, 'recall continues without the embedder')
    deps.meter.degraded('semantic')
    degraded.add('semantic')
    return []
  }
}

/** The changes to read: at least one of the two memories is among the first, and both were found. */
function changesToRead(
  ranked: readonly Ranked[],
  first: ReadonlySet<string>,
  changes: readonly Contested[],
): readonly Change[] {
  const found = new Map(ranked.map(({ memory }) => [memory.id, memory]))
  return changes.flatMap(({ newId, oldId, part }) => {
    const [newer, older] = [found.get(newId), found.get(oldId)]
    if (!newer || !older || !(first.has(oldId) || first.has(newId))) return []
    if (!maySupersede(newer.trustScore, older.trustScore)) return []
    const { content, outdated } = older
    const before = part ? content.slice(part.start, part.end) : remainingText(content, outdated)
    return [{ newId, oldId, before }]
  })
}

interface Reading {
  readonly fusion: FusionSettings
  readonly depth: number
  readonly changes: readonly Contested[]
  readonly degraded: Set<string>
}

async function rerankSoftly(
  deps: Deps,
  scope: UserScope,
  query: AskedQuery,
  ranked: readonly Ranked[],
  { fusion, depth, changes, degraded }: Reading,
): Promise<readonly Ranked[]> {
  const first = new Set(ranked.slice(0, depth).map(({ memory }) => memory.id))
  const isFormer = query.former !== null
  const others = new Set(
    changes.flatMap(({ oldId, newId }) => [
      ...(first.has(oldId) ? [newId] : []),
      ...(isFormer && first.has(newId) ? [oldId] : []),
    ]),
  )
  // In other languages, more memories are linked by mistake, and the reader is less sure of what answers (ADR 43).
  const readsChanges = !isFormer && !isForeign(query.asked)
  const also = { further: others, changes: readsChanges ? changesToRead(ranked, first, changes) : [] }
  try {
    return await timed(deps.meter, 'rerank', () => rerank(deps, scope, query, ranked, fusion, depth, also))
  } catch (error) {
    deps.log.warn({ err: error }, 'recall continues without the reranker')
    deps.meter.degraded('rerank')
    degraded.add('rerank')
    return ranked
  }
}
