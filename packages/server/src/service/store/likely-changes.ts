/**
 * Which changes that the judging model sees are believed. The model reads two texts alone and cannot know that another memory is the
 * one that "we moved" is about: the nearest and the surest count.
 */
import { areApart } from '../../facts/dated-series.js'
import { changeChance, likely } from '../../ingest/follow-judge.js'
import { replacesSomethingElse } from '../../language/words/change-words.js'
import { isForeign } from '../../language/words/is-foreign.js'
import { mentionsWhatWasSaid } from '../../language/words/leaning-words.js'
import type { Judgement } from '../../models/judge/judgement.js'
import type { Candidate } from './judge-candidates.js'
import type { PreparedMemory } from './prepared-memory.js'

/**
 * What the cosine adds to the log odds of a change, and the cosine from which it speaks for one. Chosen on pairs of the held-out
 * books (`training/books`), where a change is in fact as likely as the sum says.
 */
const oddsOfCosine = 4
const neutralCosine = 0.35

/** In log odds. The model knows fewer changes in other languages, and takes "we moved" for a change of anything short. */
const doubtOfForeign = 1
/** The same where a text names another thing that it replaces. */
const doubtOfOther = 6

export const unrelated: Judgement['chances'] = { same: 0, refines: 0, replaces: 0, ends: 0, adds: 0, unrelated: 1 }

/** The further apart two texts are, the surer the model has to be. */
export function withoutUnlikely(
  drafts: readonly Pick<PreparedMemory, 'content'>[],
  candidates: readonly Candidate[],
  judgements: readonly Judgement[],
): readonly Judgement[] {
  const likelyOnes = judgements.map((judgement, at) => {
    const candidate = candidates[at]
    const chance = changeChance(judgement.chances)
    const fresh = drafts[candidate?.draft ?? -1]?.content ?? ''
    if (!candidate || chance < likely || isMeant(candidate, fresh)) return judgement
    const isElse = replacesSomethingElse(fresh, candidate.memory.content)
    const doubt = (isForeign(fresh) ? doubtOfForeign : 0) + (isElse ? doubtOfOther : 0)
    const odds = oddsOf(chance) + oddsOfCosine * (candidate.cosine - neutralCosine) - doubt
    return odds >= 0 ? judgement : { ...judgement, chances: unrelated }
  })
  return withoutRivals(drafts, candidates, likelyOnes)
}

/** A text leans on another by its first words. */
const firstCharacters = 30

const deniesForeign = /^(?:(?:nein|doch|non|não|nee|нет)(?:[,!.]|$)|不是|不对|いいえ|いや)/iu

/** "No, the 14th": it was said right after the memory and means it. A text that is only short may mean another. */
function isMeant({ follows }: Candidate, fresh: string): boolean {
  return follows && (mentionsWhatWasSaid.test(fresh.slice(0, firstCharacters)) || deniesForeign.test(fresh))
}

/** By how much, in log odds, the model may be less sure of another change by the same text. */
const mostBehind = 0.5
/** More log odds say nothing more. */
const mostOdds = 9

/**
 * A text that changes something changes one memory, or several that the model is about as sure of. It is only near the others: "we
 * upgraded to EKS 1.30" is not about the version of Go.
 */
function withoutRivals(
  drafts: readonly Pick<PreparedMemory, 'content'>[],
  candidates: readonly Candidate[],
  judgements: readonly Judgement[],
): readonly Judgement[] {
  const surest = new Map<number, number>()
  for (const [at, { chances }] of judgements.entries()) {
    const candidate = candidates[at]
    if (!candidate || changeChance(chances) < likely) continue
    // "Printer 3 is in room 7 now" is not about printer 2, however sure the model is.
    if (areApart(drafts[candidate.draft]?.content ?? '', candidate.memory.content)) continue
    surest.set(candidate.draft, Math.max(oddsOf(changeChance(chances)), surest.get(candidate.draft) ?? -mostOdds))
  }
  return judgements.map((judgement, at) => {
    const candidate = candidates[at]
    const chance = changeChance(judgement.chances)
    if (!candidate || chance < likely || isMeant(candidate, drafts[candidate.draft]?.content ?? '')) return judgement
    const behind = (surest.get(candidate.draft) ?? 0) - oddsOf(chance)
    return behind <= mostBehind ? judgement : { ...judgement, chances: withoutChange(judgement.chances) }
  })
}

function withoutChange(chances: Judgement['chances']): Judgement['chances'] {
  return { ...chances, replaces: 0, ends: 0, unrelated: chances.unrelated + changeChance(chances) }
}

function oddsOf(chance: number): number {
  const odds = Math.log(chance / Math.max(Number.EPSILON, 1 - chance))
  return Math.min(mostOdds, Math.max(-mostOdds, odds))
}
