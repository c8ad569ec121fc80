/** Asks the judging model how new memories relate to the user's most similar and most recent ones. */
import { longestPauseMs } from '../../core/conversation.js'
import { type BareMemory, contentKey } from '../../core/memory.js'
import { timed } from '../../core/meter.js'
import { type PartRange, remainingText } from '../../core/outdated.js'
import { type UserScope, userScope } from '../../core/scope.js'
import { areNumberedApart } from '../../facts/same-words.js'
import { embeddingText } from '../../ingest/embedding-text.js'
import { changeChance, likely, mayRepeat, type Opinion, surelyTogether } from '../../ingest/follow-judge.js'
import { isToldApart, outdatedPart } from '../../ingest/outdated-part.js'
import { speakerOf } from '../../ingest/reconcile.js'
import { containsSentences } from '../../language/sentences/whole-sentences.js'
import { saysThatItChanged, speaksAgainstChange } from '../../language/words/change-words.js'
import type { Judgement } from '../../models/judge/judgement.js'
import type { SearchHit, SearchQuery } from '../../retrieval/index/search.js'
import { isStopWord, tokenize } from '../../retrieval/index/tokenize.js'
import type { Deps } from '../deps.js'
import type { PreparedMemory } from './prepared-memory.js'

/** Nearest memories per draft, by meaning and by words. */
const mostNearest = 3
const mostWorded = 2
/** Turns of one request that are compared with a later one. */
const mostEarlier = 40
/** Of a draft, for the search by words. */
const mostCharacters = 1_000
/** Latest memories of the conversation per draft. */
export const mostRecent = 2
/** Below this, two memories are rarely about the same thing. */
const leastCosine = 0.15
/** From here on, two memories are about the same thing. Below, more has to speak for a change. */
const closeCosine = 0.35
const surelyChanged = 0.9
/** A longer request is judged in part: its most similar pairs. */
const mostPairs = 32

export type JudgedMemory = Pick<BareMemory, 'id' | 'content' | 'createdAt' | 'flagged' | 'outdated'>

export interface Candidate {
  readonly draft: number
  readonly memory: JudgedMemory
  readonly cosine: number
  readonly follows: boolean
}

export interface Judged {
  readonly drafts: readonly PreparedMemory[]
  readonly opinions: readonly Opinion[]
}

/** The memories of the user that the drafts of a request may concern. */
export interface Surroundings {
  /** By meaning and by words. */
  readonly nearest: readonly Candidate[]
  /** The latest ones. */
  readonly recent: readonly JudgedMemory[]
}

/** Called without the user's lock. Opinions about a memory that changes in the meantime are void. */
export async function judgeChanges(
  deps: Deps,
  scope: UserScope,
  drafts: readonly PreparedMemory[],
  now: number,
): Promise<Judged> {
  return judgeAmong(deps, drafts, async () => {
    const [nearest, recent] = await Promise.all([
      Promise.all(drafts.map((draft, index) => nearestTo(deps, scope, draft, index, now))),
      deps.storage.recent(scope, { now, limit: mostRecent }),
    ])
    return { nearest: nearest.flat(), recent }
  })
}

export async function judgeAmong(
  deps: Pick<Deps, 'judge' | 'embedder' | 'meter' | 'log'>,
  drafts: readonly PreparedMemory[],
  surroundings: () => Promise<Surroundings>,
): Promise<Judged> {
  if (drafts.length === 0) return { drafts, opinions: [] }
  try {
    return await timed(deps.meter, 'judge', async () => {
      const candidates = candidatesOf(drafts, await surroundings())
      const judgements = await judgementsOf(deps, drafts, candidates)
      return await completed(deps, drafts, candidates, withoutUnlikely(drafts, candidates, judgements))
    })
  } catch (error) {
    deps.log.warn({ err: error }, 'the judging model failed: changes are found by rules only')
    deps.meter.degraded('judge')
    return { drafts, opinions: [] }
  }
}

/** The model reads only pairs whose judgement may matter. All others count as unrelated. */
async function judgementsOf(
  deps: Pick<Deps, 'judge'>,
  drafts: readonly PreparedMemory[],
  candidates: readonly Candidate[],
): Promise<Judgement[]> {
  const met = new Set<number>()
  const asked = candidates.flatMap((candidate, at) => {
    const isNearest = !met.has(candidate.draft)
    met.add(candidate.draft)
    const fresh = drafts[candidate.draft]?.content ?? ''
    return mayMatter(fresh, candidate, isNearest) ? [{ at, fresh, candidate }] : []
  })
  const pairs = asked.map(({ fresh, candidate: { memory, follows } }) => ({ old: memory.content, fresh, follows }))
  const judged = await deps.judge.judge(pairs)
  const judgements = candidates.map((): Judgement => ({ chances: unrelated, words: [] }))
  for (const [index, { at }] of asked.entries()) {
    const judgement = judged[index]
    if (judgement) judgements[at] = judgement
  }
  return judgements
}

/** False: neither a change nor a repetition would follow, whatever the model says. See `withoutUnlikely` and `followJudge`. */
function mayMatter(fresh: string, { memory, cosine, follows }: Candidate, isNearest: boolean): boolean {
  const { content: old } = memory
  // A doubtful change that the rules see is kept open unless the model sees it too.
  if (areNumberedApart(fresh, old)) return speaksAgainstChange(fresh)
  if (isNearest || follows || cosine >= closeCosine) return true
  return (saysThatItChanged(fresh) && shareAWord(fresh, old)) || mayRepeat(fresh, memory)
}

function candidatesOf(drafts: readonly PreparedMemory[], { nearest, recent }: Surroundings): Candidate[] {
  const keys = new Set(drafts.map((draft) => draft.contentKey))
  const found = new Map<string, Candidate>()
  const add = (candidate: Candidate) => {
    const { draft, memory, follows } = candidate
    const fresh = drafts[draft]
    if (!fresh || fresh.flagged || memory.flagged || memory.createdAt > fresh.createdAt) return
    const key = `${draft} ${memory.id}`
    const known = found.get(key)
    found.set(key, known ? { ...known, follows: known.follows || follows } : candidate)
  }
  for (const candidate of nearest) if (!keys.has(contentKey(candidate.memory.content))) add(candidate)
  for (const candidate of earlierInRequest(drafts)) add(candidate)
  for (const [draft, { createdAt }] of drafts.entries())
    for (const memory of recent)
      if (createdAt - memory.createdAt <= longestPauseMs && !keys.has(contentKey(memory.content)))
        add({ draft, memory, cosine: leastCosine, follows: true })
  return [...found.values()].sort((a, b) => b.cosine - a.cosine).slice(0, mostPairs)
}

/** Earlier turns of the same request: the most similar ones and the one just before. */
function earlierInRequest(drafts: readonly PreparedMemory[]): Candidate[] {
  return drafts.flatMap((fresh, draft) => {
    const earlier = drafts.slice(Math.max(0, draft - mostEarlier), draft).filter(({ turn }) => turn < fresh.turn)
    const candidates = earlier.map((old) => ({
      draft,
      memory: { ...old, outdated: [] },
      cosine: cosineOf(old.vector, fresh.vector),
      follows: fresh.createdAt - old.createdAt <= longestPauseMs && old.turn === fresh.turn - 1,
    }))
    const nearest = candidates.sort((a, b) => b.cosine - a.cosine).filter(({ cosine }) => cosine >= leastCosine)
    return [...nearest.slice(0, mostWorded), ...candidates.filter(({ follows }) => follows).slice(0, 1)]
  })
}

function cosineOf(one: Float32Array, two: Float32Array): number {
  let sum = 0
  for (const [at, value] of one.entries()) sum += value * (two[at] ?? 0)
  return sum
}

async function nearestTo(
  deps: Deps,
  scope: UserScope,
  { vector, content }: PreparedMemory,
  draft: number,
  now: number,
): Promise<Candidate[]> {
  const { hits } = await deps.indexes.search(scope, queryFor({ vector, content }, now))
  const cosines = nearRows(hits)
  if (cosines.size === 0) return []
  const versions = await deps.storage.hydrate(userScope(scope.userId), [...cosines.keys()], { vectors: false })
  return versions.flatMap(({ row, memory }) =>
    memory.project === (scope.project ?? null)
      ? [{ draft, memory, cosine: cosines.get(row) ?? 0, follows: false }]
      : [],
  )
}

/** Finds the memories that a draft may concern. */
export function queryFor({ vector, content }: Pick<PreparedMemory, 'vector' | 'content'>, now: number): SearchQuery {
  return {
    vector,
    text: content.slice(0, mostCharacters),
    moment: { kind: 'now', now },
    includeHistory: false,
    includeFlagged: false,
    limit: mostNearest,
  }
}

/** The rows that are near enough, with their cosines. */
export function nearRows(hits: readonly SearchHit[]): Map<number, number> {
  return new Map(
    hits
      .filter(({ denseRank, keywordRank }) => (denseRank ?? 9) <= mostNearest || (keywordRank ?? 9) <= mostWorded)
      .map(({ row, cosine }) => [row, cosine ?? 0] as const)
      .filter(([, cosine]) => cosine >= leastCosine),
  )
}

/** Whether `followJudge` may take it for a change at all. */
function mayConcern(fresh: string, old: string): boolean {
  return speakerOf(fresh) === speakerOf(old) && !areNumberedApart(fresh, old) && !containsSentences(old, fresh)
}

/**
 * The model reads two texts alone, and takes two unrelated notes about the same project for a change. Where texts are not close, their
 * words have to speak for it too, unless no other memory of the user is closer.
 */
function withoutUnlikely(
  drafts: readonly PreparedMemory[],
  candidates: readonly Candidate[],
  judgements: readonly Judgement[],
): readonly Judgement[] {
  const met = new Set<number>()
  // The candidates are ordered by how close they are.
  return judgements.map((judgement, at) => {
    const candidate = candidates[at]
    if (!candidate) return judgement
    const { draft, memory, cosine, follows } = candidate
    const isNearest = !met.has(draft)
    met.add(draft)
    const chance = changeChance(judgement.chances)
    if (chance < likely || cosine >= closeCosine || follows) return judgement
    const fresh = drafts[draft]?.content ?? ''
    const [isSaid, isShared] = [saysThatItChanged(fresh), shareAWord(fresh, memory.content)]
    const isLikely = isNearest
      ? chance >= surelyChanged || isSaid || isShared
      : chance >= surelyChanged && isSaid && isShared
    return isLikely ? judgement : { ...judgement, chances: unrelated }
  })
}

const unrelated: Judgement['chances'] = { same: 0, refines: 0, replaces: 0, ends: 0, adds: 0, unrelated: 1 }

function shareAWord(one: string, two: string): boolean {
  const words = new Set(tokenize(one.slice(0, mostCharacters)).filter((word) => !isStopWord(word)))
  return tokenize(two.slice(0, mostCharacters)).some((word) => words.has(word))
}

/** The words that a change concerns. */
function concerned(content: string, parts: readonly PartRange[] | null): string {
  return parts === null ? content : parts.map(({ start, end }) => content.slice(start, end)).join(', ')
}

/**
 * A memory that replaces another is embedded together with it: "pushed to 10" alone does not answer a question about the
 * meeting. The text that remains of a memory is embedded too.
 */
async function completed(
  deps: Pick<Deps, 'embedder'>,
  drafts: readonly PreparedMemory[],
  candidates: readonly Candidate[],
  judgements: readonly Judgement[],
): Promise<Judged> {
  const opinions: Opinion[] = []
  const replaced = new Map<number, string>()
  const toEmbed: { readonly text: string; readonly place: (vector: Float32Array) => void }[] = []
  for (const [at, { draft, memory }] of candidates.entries()) {
    const judgement = judgements[at]
    if (!judgement) continue
    const { chances, words } = judgement
    const chance = changeChance(chances)
    const parts = chance >= likely ? outdatedPart(memory.content, words, memory.outdated) : null
    const opinion = {
      draft,
      memoryId: memory.id,
      contentKey: contentKey(memory.content),
      chances,
      parts,
      remaining: null,
    }
    const index = opinions.push(opinion) - 1
    if (chance < likely || !mayConcern(drafts[draft]?.content ?? '', memory.content)) continue
    if (!replaced.has(draft)) replaced.set(draft, concerned(memory.content, parts))
    // Without the text that remains, the contradiction stays open.
    if (parts === null || chance < surelyTogether || !isToldApart(memory.content, words, parts)) continue
    const rest = remainingText(
      memory.content,
      [...memory.outdated, ...parts].sort((a, b) => a.start - b.start),
    )
    toEmbed.push({
      text: embeddingText(rest, null),
      place: (remaining) => {
        opinions[index] = { ...opinion, remaining }
      },
    })
  }
  const changed = [...drafts]
  for (const [draft, old] of replaced) {
    const fresh = drafts[draft]
    if (!fresh) continue
    toEmbed.push({
      text: embeddingText(fresh.content, old),
      place: (vector) => {
        changed[draft] = { ...fresh, vector }
      },
    })
  }
  if (toEmbed.length === 0) return { drafts, opinions }
  const vectors = await deps.embedder.embed(toEmbed.map(({ text }) => text))
  for (const [index, { place }] of toEmbed.entries()) {
    const vector = vectors[index]
    if (vector) place(vector)
  }
  return { drafts: changed, opinions }
}
