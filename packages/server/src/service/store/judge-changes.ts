/** Asks the judging model how new memories relate to the user's most similar and most recent ones. */
import { contentKey } from '../../core/memory.js'
import { timed } from '../../core/meter.js'
import { type PartRange, remainingText } from '../../core/outdated.js'
import type { UserScope } from '../../core/scope.js'
import { areApart } from '../../facts/dated-series.js'
import { embeddingText } from '../../ingest/embedding-text.js'
import { changeChance, likely, type Opinion, surelyTogether } from '../../ingest/follow-judge.js'
import { isToldApart, outdatedPart } from '../../ingest/outdated-part.js'
import { speakerOf } from '../../ingest/reconcile.js'
import { containsSentences } from '../../language/sentences/whole-sentences.js'
import { isForeign } from '../../language/words/is-foreign.js'
import { countWords } from '../../language/words/word-count.js'
import type { Judgement } from '../../models/judge/judgement.js'
import type { Deps } from '../deps.js'
import {
  type Candidate,
  candidatesOf,
  mayMatter,
  mostForeignWords,
  mostPairs,
  type Surroundings,
  surroundingsOf,
} from './judge-candidates.js'
import { unrelated, withoutUnlikely } from './likely-changes.js'
import type { PreparedMemory } from './prepared-memory.js'

export interface Judged {
  readonly drafts: readonly PreparedMemory[]
  readonly opinions: readonly Opinion[]
}

/** Called without the user's lock. Opinions about a memory that changes in the meantime are void. */
export async function judgeChanges(
  deps: Deps,
  scope: UserScope,
  drafts: readonly PreparedMemory[],
  now: number,
): Promise<Judged> {
  return judgeAmong(deps, drafts, () => surroundingsOf(deps, scope, drafts, now))
}

export async function judgeAmong(
  deps: Pick<Deps, 'judge' | 'embedder' | 'meter' | 'log'>,
  drafts: readonly PreparedMemory[],
  surroundings: () => Promise<Surroundings>,
): Promise<Judged> {
  if (drafts.length === 0) return { drafts, opinions: [] }
  try {
    return await timed(deps.meter, 'judge', async () => {
      const keyOf = knownKeys()
      const candidates = candidatesOf(drafts, await surroundings(), keyOf)
      const judgements = await readBothWays(deps, drafts, candidates)
      return await completed(deps, drafts, candidates, withoutUnlikely(drafts, candidates, judgements), keyOf)
    })
  } catch (error) {
    deps.log.warn({ err: error }, 'the judging model failed: changes are found by rules only')
    deps.meter.degraded('judge')
    return { drafts, opinions: [] }
  }
}

/** The same memory is near several drafts, and its key is needed twice. */
function knownKeys(): (content: string) => string {
  const known = new Map<string, string>()
  return (content) => {
    const key = known.get(content) ?? contentKey(content)
    known.set(content, key)
    return key
  }
}

/**
 * As a continuation, "We moved to York" is taken for a part of the story; as a later text, "No, the 14th" says nothing. So a short text is
 * read both ways, and the reading that sees a change counts.
 */
async function readBothWays(
  deps: Pick<Deps, 'judge'>,
  drafts: readonly PreparedMemory[],
  candidates: readonly Candidate[],
): Promise<readonly Judgement[]> {
  const pairOf = ({ draft, memory }: Candidate, follows: boolean) => ({
    old: memory.content,
    fresh: drafts[draft]?.content ?? '',
    follows,
  })
  const again = candidates
    .filter(({ follows, isNearest }) => follows && isNearest)
    .slice(0, Math.max(0, mostPairs - candidates.length))
  const asked = candidates.filter(({ draft, memory }) => mayMatter(drafts[draft]?.content ?? '', memory.content))
  const askedAgain = again.filter((candidate) => asked.includes(candidate))
  const judgements = await deps.judge.judge([
    ...asked.map((candidate) => pairOf(candidate, candidate.follows)),
    ...askedAgain.map((candidate) => pairOf(candidate, false)),
  ])
  const read = new Map(asked.map((candidate, at) => [candidate, judgements[at]]))
  for (const [place, candidate] of askedAgain.entries()) {
    const [one, two] = [read.get(candidate), judgements[asked.length + place]]
    if (one && two && changeChance(two.chances) > changeChance(one.chances)) read.set(candidate, two)
  }
  return candidates.map((candidate) => read.get(candidate) ?? { chances: unrelated, words: [] })
}

/** Whether `followJudge` may take it for a change at all. */
function mayConcern(fresh: string, old: string): boolean {
  return speakerOf(fresh) === speakerOf(old) && !areApart(fresh, old) && !containsSentences(old, fresh)
}

/** The words that a change concerns. */
function concerned(content: string, parts: readonly PartRange[] | null): string {
  return parts === null ? content : parts.map(({ start, end }) => content.slice(start, end)).join(', ')
}

/** In other languages, the model sees more changes than there are. A full sentence there is embedded alone, because it needs no other text. */
function speaksForItself(content: string): boolean {
  return isForeign(content) && countWords(content) > mostForeignWords
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
  keyOf: (content: string) => string,
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
      contentKey: keyOf(memory.content),
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
    if (!fresh || speaksForItself(fresh.content)) continue
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
