/** The pairs of a new and a known memory that the judging model reads: those that may concern each other. */
import { longestPauseMs } from '../../core/conversation.js'
import type { BareMemory } from '../../core/memory.js'
import { type UserScope, userScope } from '../../core/scope.js'
import { areApart } from '../../facts/dated-series.js'
import { speakerOf } from '../../ingest/reconcile.js'
import { saysThatItChanged, speaksAgainstChange } from '../../language/words/change-words.js'
import { isForeign } from '../../language/words/is-foreign.js'
import { mentionsWhatWasSaid } from '../../language/words/leaning-words.js'
import { countWords } from '../../language/words/word-count.js'
import { contentWords } from '../../language/words/words.js'
import type { SearchHit, SearchQuery } from '../../retrieval/index/search.js'
import type { Deps } from '../deps.js'
import type { PreparedMemory } from './prepared-memory.js'

/**
 * Nearest memories per draft, by meaning and by words. In the held-out books (`training/books`), the memory that a note changes is among
 * the six nearest for 95% of the English changes and 88% of the others; among three for 84% and 68%.
 */
const mostNearest = 6
const mostWorded = 2
/** The nearest memories that are read with a text which seems to change nothing, to find repetitions. */
const mostRepeated = 3
/** From this chance of changing something on, a text is read with all its nearest memories. One change in twenty of the held-out books has less. */
const seemsToChange = 0.35
/** Turns of one request that are compared with a later one. */
const mostEarlier = 40
/** Of a text, for the search by words. */
const mostCharacters = 1_000
/** Latest memories of the conversation per draft. */
export const mostRecent = 2
/** Below this, two memories are rarely about the same thing. */
const leastCosine = 0.1
/**
 * From these cosines on, depending on how many words they share (none, one, more), two memories may say the same. Of 980 hand-written
 * repetitions, 96% are as close; of the neighbours in the books, 43 per 100 notes (a cosine of 0.29 alone: 95%, 87).
 */
const closeCosines = [0.42, 0.27, 0.15] as const
/** The same in other languages, whose words are not compared. */
const closeForeign = 0.29
/** A longer request is judged in part: its most similar pairs. */
export const mostPairs = 32

export type JudgedMemory = Pick<BareMemory, 'id' | 'content' | 'createdAt' | 'flagged' | 'outdated'>

export interface Candidate {
  readonly draft: number
  readonly memory: JudgedMemory
  readonly cosine: number
  /** The draft was said right after it and leans on what was said before. */
  readonly follows: boolean
  /** No other memory is closer to the draft. */
  readonly isNearest: boolean
}

export type Found = Omit<Candidate, 'isNearest'>

/** The memories of the user that the drafts of a request may concern. */
export interface Surroundings {
  /** By meaning and by words. */
  readonly nearest: readonly Found[]
  /** The latest ones. */
  readonly recent: readonly JudgedMemory[]
}

const mostLeaningWords = 6
/** The same in other languages, whose words for "it" and "instead" are not known here. */
export const mostForeignWords = 8
/** A text leans on another by its first words: further on, "it" means something in the text itself. */
const firstCharacters = 30

export async function surroundingsOf(
  deps: Deps,
  scope: UserScope,
  drafts: readonly PreparedMemory[],
  now: number,
): Promise<Surroundings> {
  const [nearest, recent] = await Promise.all([
    Promise.all(drafts.map((draft, index) => nearestTo(deps, scope, draft, index, now))),
    deps.storage.recent(scope, { now, limit: mostRecent }),
  ])
  return { nearest: nearest.flat(), recent }
}

export function candidatesOf(
  drafts: readonly PreparedMemory[],
  { nearest, recent }: Surroundings,
  keyOf: (content: string) => string,
): Candidate[] {
  const keys = new Set(drafts.map((draft) => draft.contentKey))
  const found = new Map<string, Found>()
  const add = (candidate: Found) => {
    const { draft, memory, follows } = candidate
    const fresh = drafts[draft]
    if (!fresh || fresh.flagged || memory.flagged || memory.createdAt > fresh.createdAt) return
    const key = `${draft} ${memory.id}`
    const known = found.get(key)
    found.set(key, known ? { ...known, follows: known.follows || follows } : candidate)
  }
  for (const candidate of nearest) if (!keys.has(keyOf(candidate.memory.content))) add(candidate)
  for (const candidate of earlierInRequest(drafts)) add(candidate)
  for (const [draft, { createdAt }] of drafts.entries())
    for (const memory of recent)
      if (createdAt - memory.createdAt <= longestPauseMs && !keys.has(keyOf(memory.content)))
        add({ draft, memory, cosine: leastCosine, follows: true })
  const promised = promising(drafts, [...found.values()])
  const isFirst = ({ follows, isNearest }: Candidate) => follows || isNearest
  return [...promised.filter(isFirst), ...promised.filter((candidate) => !isFirst(candidate))].slice(0, mostPairs)
}

/** Reading a pair costs more than everything else about it, so texts that are not close have to give a reason. */
function promising(drafts: readonly PreparedMemory[], found: readonly Found[]): Candidate[] {
  const met = new Map<number, number>()
  return [...found]
    .sort((a, b) => b.cosine - a.cosine)
    .flatMap((candidate): Candidate[] => {
      const fresh = drafts[candidate.draft]
      if (!fresh) return []
      const follows = candidate.follows && leansOnTheLast(fresh.content)
      // It is not read, so it has no rank.
      if (!mayMatter(fresh.content, candidate.memory.content)) return [{ ...candidate, follows, isNearest: false }]
      const rank = met.get(candidate.draft) ?? 0
      met.set(candidate.draft, rank + 1)
      const isNearest = rank === 0
      const isClose = rank < mostRepeated && mayRepeat(fresh.content, candidate)
      // The latest memories have no cosine of their own.
      const isRead = follows || isClose || (rank < mostReadWith(fresh) && candidate.cosine > leastCosine)
      return isRead ? [{ ...candidate, follows, isNearest }] : []
    })
}

function mayRepeat(fresh: string, { memory, cosine }: Found): boolean {
  if (isForeign(fresh)) return cosine >= closeForeign
  const [unlike, , alike] = closeCosines
  if (cosine < alike || cosine >= unlike) return cosine >= unlike
  const known = beginningsOf(memory.content)
  const shared = [...beginningsOf(fresh)].filter((word) => known.has(word)).length
  return cosine >= (closeCosines[Math.min(shared, closeCosines.length - 1)] ?? unlike)
}

/** The first letters of the words that say something. */
function beginningsOf(text: string): Set<string> {
  const words = contentWords(text.slice(0, mostCharacters).toLowerCase())
  return new Set(words.filter((word) => word.length > 3 || /\d/u.test(word)).map((word) => word.slice(0, 5)))
}

/** How many of the nearest memories are read with a text, however far they are. */
function mostReadWith({ changes, content }: PreparedMemory): number {
  // What the rules take for a change, though its words speak against one, is left to the model.
  if (speaksAgainstChange(content)) return mostNearest + mostWorded
  if (changes === null) return saysThatItChanged(content) ? mostRepeated : 1
  return changes >= seemsToChange ? mostNearest + mostWorded : 0
}

/** False: whatever the model says, `followJudge` would neither see a change nor a repetition. */
export function mayMatter(fresh: string, old: string): boolean {
  if (speakerOf(fresh) !== speakerOf(old)) return false
  // A doubtful change that the rules see is kept open unless the model sees it too.
  return !areApart(fresh, old) || speaksAgainstChange(fresh)
}

/** "No, the 14th", "she moved out": understood only with what was said before. */
function leansOnTheLast(text: string): boolean {
  const start = text.slice(0, mostCharacters)
  return (
    mentionsWhatWasSaid.test(start.slice(0, firstCharacters)) ||
    countWords(start) <= (isForeign(start) ? mostForeignWords : mostLeaningWords)
  )
}

/** Earlier turns of the same request: the most similar ones and the one just before. */
function earlierInRequest(drafts: readonly PreparedMemory[]): Found[] {
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
): Promise<Found[]> {
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
