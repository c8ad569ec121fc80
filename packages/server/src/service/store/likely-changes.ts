/**
 * Which changes that the judging model sees are believed. The model reads two texts alone: it takes two unrelated notes about the same project
 * for a change, and in other languages than English it takes almost every note for the one that "we moved" or "I left" is about.
 */
import { areNumberedApart } from '../../facts/same-words.js'
import { changeChance, likely } from '../../ingest/follow-judge.js'
import { clausesOf } from '../../ingest/outdated-part.js'
import { saysThatItChanged } from '../../language/words/change-words.js'
import { foreignness } from '../../language/words/foreign-words.js'
import { isForeign } from '../../language/words/is-foreign.js'
import type { Judgement } from '../../models/judge/judgement.js'
import { isStopWord, tokenize } from '../../retrieval/index/tokenize.js'
import { askedSubject, subjectFit } from '../../retrieval/query/subject.js'
import { type Candidate, closeCosine, mostCharacters, shareAWord } from './judge-candidates.js'
import type { PreparedMemory } from './prepared-memory.js'

/** Chance from which texts that are not close are taken for a change. */
const surelyChanged = 0.9
/** What a word that both texts have adds to their closeness. Chosen on the development cases of `bench/languages`. */
const closerByWord = 0.2
const mostCounted = 2
/** Memories that are about as close as the closest one may be meant too. */
const aboutAsClose = 0.05
/** Shorter words in letters say little by themselves. */
const fewestLetters = 4

export const unrelated: Judgement['chances'] = { same: 0, refines: 0, replaces: 0, ends: 0, adds: 0, unrelated: 1 }

/** Where texts are not close, their words have to speak for a change too. */
export function withoutUnlikely(
  drafts: readonly Pick<PreparedMemory, 'content'>[],
  candidates: readonly Candidate[],
  judgements: readonly Judgement[],
): readonly Judgement[] {
  // Most drafts change nothing, and then their language does not matter.
  const known = new Map<number, boolean>()
  const isForeignDraft = (draft: number) => {
    const foreign = known.get(draft) ?? isForeign((drafts[draft]?.content ?? '').slice(0, mostCharacters))
    known.set(draft, foreign)
    return foreign
  }
  const meant = meantChanges(drafts, candidates, judgements, isForeignDraft)
  const likelyOnes = judgements.map((judgement, at) => {
    const candidate = candidates[at]
    const chance = changeChance(judgement.chances)
    if (!candidate || chance < likely || candidate.follows) return judgement
    const { draft, memory, cosine, isNearest } = candidate
    const fresh = drafts[draft]?.content ?? ''
    const isLikely = isForeignDraft(draft)
      ? meant.has(candidate)
      : cosine >= closeCosine ||
        (!isOfAnother(fresh, memory.content) &&
          (chance >= surelyChanged || (isNearest && (saysThatItChanged(fresh) || shareAWord(fresh, memory.content)))))
    return isLikely ? judgement : { ...judgement, chances: unrelated }
  })
  return withoutRivals(drafts, candidates, likelyOnes)
}

/** By how much, in log odds, the model may be less sure of another change by the same text. */
const mostBehind = 0.5
/** The same for a text of several clauses: each may change something else. */
const mostBehindOfClauses = 3
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
  const textOf = ({ draft }: Candidate) => drafts[draft]?.content ?? ''
  for (const [at, { chances }] of judgements.entries()) {
    const candidate = candidates[at]
    if (!candidate || changeChance(chances) < likely) continue
    // "Printer 3 is in room 7 now" is not about printer 2, however sure the model is.
    if (areNumberedApart(textOf(candidate), candidate.memory.content)) continue
    surest.set(candidate.draft, Math.max(oddsOf(changeChance(chances)), surest.get(candidate.draft) ?? -mostOdds))
  }
  return judgements.map((judgement, at) => {
    const candidate = candidates[at]
    const chance = changeChance(judgement.chances)
    if (!candidate || chance < likely || candidate.follows) return judgement
    const behind = (surest.get(candidate.draft) ?? 0) - oddsOf(chance)
    if (behind <= mostBehind) return judgement
    const isBehind = behind > mostBehindOfClauses || clausesOf(textOf(candidate)).length < 2
    return isBehind ? { ...judgement, chances: withoutChange(judgement.chances) } : judgement
  })
}

function withoutChange(chances: Judgement['chances']): Judgement['chances'] {
  return { ...chances, replaces: 0, ends: 0, unrelated: chances.unrelated + changeChance(chances) }
}

function oddsOf(chance: number): number {
  const odds = Math.log(chance / Math.max(Number.EPSILON, 1 - chance))
  return Math.min(mostOdds, Math.max(-mostOdds, odds))
}

/** "We live in Copenhagen now" does not concern "Aunt Vera lives in Turku". */
function isOfAnother(fresh: string, old: string): boolean {
  const subject = askedSubject(fresh)
  return subject !== null && subjectFit(subject, old) === 0
}

/** A text in another language changes what it is closest to, not everything that the model would believe. */
function meantChanges(
  drafts: readonly Pick<PreparedMemory, 'content'>[],
  candidates: readonly Candidate[],
  judgements: readonly Judgement[],
  isForeignDraft: (draft: number) => boolean,
): ReadonlySet<Candidate> {
  const changes = candidates.flatMap((candidate, at) => {
    const judgement = judgements[at]
    if (!judgement || changeChance(judgement.chances) < likely || !isForeignDraft(candidate.draft)) return []
    const words = wordsInCommon(drafts[candidate.draft]?.content ?? '', candidate.memory.content)
    return [{ candidate, words, closeness: closeness(candidate.cosine, words) }]
  })
  const closest = new Map<number, number>()
  for (const { candidate, closeness } of changes) {
    closest.set(candidate.draft, Math.max(closeness, closest.get(candidate.draft) ?? 0))
  }
  const isMeant = ({ candidate, words, closeness }: (typeof changes)[number]) =>
    (candidate.cosine >= closeCosine || words > 0) && closeness >= (closest.get(candidate.draft) ?? 0) - aboutAsClose
  return new Set(changes.filter(isMeant).map(({ candidate }) => candidate))
}

function closeness(cosine: number, words: number): number {
  return cosine + closerByWord * Math.min(mostCounted, words)
}

const pairOfCharacters = /^[\p{Script=Han}\p{Script=Katakana}ー]{2,}$/u
const withoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

/** How many words of one's own both texts have. The beginning of a word counts once with the word. */
export function wordsInCommon(one: string, two: string): number {
  const known = new Set(tellingTerms(two))
  const common = [...new Set(tellingTerms(one))].filter((term) => known.has(term))
  const isBeginning = (term: string) =>
    term.endsWith('*') && common.some((other) => other !== term && other.startsWith(term.slice(0, -1)))
  return common.filter((term) => !isBeginning(term)).length
}

function tellingTerms(text: string): string[] {
  return tokenize(text.slice(0, mostCharacters)).filter((term) => {
    if (isStopWord(term) || foreignness(term) > 0) return false
    if (withoutSpaces.test(term)) return pairOfCharacters.test(term)
    return term.replace('*', '').length >= fewestLetters || /\d/u.test(term)
  })
}
