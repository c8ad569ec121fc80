/**
 * The decisions of the rules, completed by the judging model. A fact ends where two witnesses agree: the model, and either
 * the rules or the words of the new text. Otherwise both memories stay and an open contradiction is recorded. A new memory that only repeats a known one in other
 * words is not stored again.
 */
import type { Slot } from '../core/entity.js'
import type { PartRange } from '../core/outdated.js'
import { remainingText } from '../core/outdated.js'
import { maySupersede } from '../core/trust.js'
import { areApart } from '../facts/dated-series.js'
import { isException } from '../facts/one-occasion.js'
import { mayBeRepetition } from '../facts/same-words.js'
import { isSlotOf } from '../facts/slot.js'
import { personNouns } from '../language/people/person-nouns.js'
import { containsSentences } from '../language/sentences/whole-sentences.js'
import { saysThatItChanged, sharesWord, speaksAgainstChange } from '../language/words/change-words.js'
import { isForeign } from '../language/words/is-foreign.js'
import { leansOnOther } from '../language/words/leaning-words.js'
import { namesAnother } from '../language/words/names-another.js'
import { contentWords } from '../language/words/words.js'
import type { Judgement } from '../models/judge/judgement.js'
import type { KnownMemory, Recognised } from '../storage/ports/memory-reads.js'
import { hasFiguresAndNamesOf } from './figures-and-names.js'
import { partStating, saysMoreThan } from './outdated-part.js'
import { type Decision, type Draft, type EndedPart, isAboutSomebodyElse, outlives, type Reason } from './reconcile.js'

/** What the model says about one draft and one known memory. */
export interface Opinion {
  /** Index of the draft. */
  readonly draft: number
  readonly memoryId: string
  /** Key of the content that was judged: an opinion about a memory that has changed since is void. */
  readonly contentKey: string
  readonly chances: Judgement['chances']
  /** The outdated ranges if the fact ends; null: all of it. */
  readonly parts: readonly PartRange[] | null
  /** The vector of the text that remains without `parts`. */
  readonly remaining: Float32Array | null
}

/**
 * Chance of a change from which a fact ends if the new text also says that something changed. In the held-out books
 * (`training/books`), 1 of 93 pairs that the model is so sure of is no change; of those from 0.95 on, 46 of 500.
 */
const surely = 0.993
/** The same where the new text is a correction. */
const surelyCorrected = 0.9
/** The same where the rules also see a contradiction. */
export const surelyTogether = 0.5
/** From here on, a contradiction is recorded as open. */
export const likely = 0.35
/** The same where words speak against a change: "too", "maybe", "role play". */
const likelyInDoubt = 0.6
/** Chance from which a draft says again what a known memory says, so that one of the two is enough. */
const again = 0.9
/** Chance from which the draft is the one that is not needed: a change must not be taken for a repetition. */
const surelySame = 0.95
/** Share of the old memory's words that say something, which a text that takes its place must have at least. */
const leastWords = 0.6

/** "Actually my dentist is Dr. Berglund." */
const correction = /^(?:actually|correction|scratch that|typo|oops)(?![\p{L}])/iu

/** "They come on Monday, right?" asks for it instead of saying it. */
const asksBack = /(?<![\p{L}])(?:right|correct|true|yeah|(?:is|are|do|does)n['’]t (?:it|he|she|they|we))\s?\?/iu

export const changeChance = ({ replaces, ends }: Opinion['chances']): number => replaces + ends

export function followJudge(
  decisions: readonly Decision[],
  drafts: readonly Draft[],
  opinions: readonly Opinion[],
  recognised: Recognised,
): Decision[] {
  if (opinions.length === 0) return [...decisions]
  const known = new Map([...recognised.sameContent, ...recognised.sameSlot].map((item) => [item.memory.id, item]))
  // A memory that the batch repeats is still true, and each memory is replaced once.
  const settled = new Set(
    decisions.flatMap((decision) => {
      if (decision.kind === 'noop') return [decision.memoryId]
      return decision.kind === 'update' ? decision.supersedes : []
    }),
  )
  const ofRequest = new Set(drafts.flatMap(({ id }) => (id === undefined ? [] : [id])))
  return decisions.map((decision, index) => {
    const draft = drafts[index]
    if (!draft || draft.flagged || (decision.kind !== 'add' && decision.kind !== 'update')) return decision
    const about = opinions.flatMap((opinion) => {
      const old = opinion.draft === index ? known.get(opinion.memoryId) : undefined
      const isVoid =
        !old ||
        old.contentKey !== opinion.contentKey ||
        old.memory.flagged ||
        (settled.has(old.memory.id) && !replaces(decision, old.memory.id))
      return isVoid || isAboutSomebodyElse(draft, old, decision.doubtful) ? [] : [{ opinion, old }]
    })
    // A draft of the same request is not stored yet, so it cannot be repeated.
    const said = about.filter(
      ({ opinion, old }) => !ofRequest.has(old.memory.id) && saysAgain(draft, old, opinion, decision),
    )
    const same = said.find(({ opinion, old }) => decision.kind === 'add' && saysNoMore(draft, old, opinion))
    if (same) return { kind: 'noop', memoryId: same.old.memory.id }
    let result = withoutDoubtful(decision, about, draft)
    for (const { old } of said) {
      if (replaces(result, old.memory.id) || !saysAll(draft, old)) continue
      if (!maySupersede(draft.trustScore, old.memory.trustScore) || !outlives(draft.expiresAt, old.memory.expiresAt))
        continue
      result = withRefined(result, old)
      settled.add(old.memory.id)
    }
    for (const { opinion, old } of about) {
      if (!isChange(draft, old, opinion) || replaces(result, old.memory.id)) continue
      const trusted =
        (opinion.parts !== null || (coversAll(draft, old) && sharesWord(draft.content, old.memory.content))) &&
        maySupersede(draft.trustScore, old.memory.trustScore) &&
        outlives(draft.expiresAt, old.memory.expiresAt)
      result = withChange(result, old, opinion, {
        trusted,
        isSaid: saysThatItChanged(draft.content) && !isOfAnother(draft.content, old.memory.content),
        isDoubted: isDoubtful(draft.content, old.memory.content),
        isCorrected: correction.test(draft.content),
      })
      if (replaces(result, old.memory.id)) settled.add(old.memory.id)
    }
    return result
  })
}

/** "My manager moved to Geneva" does not say where the user works. */
function isOfAnother(fresh: string, old: string): boolean {
  const [, noun = ''] = /^(?:my|our)\s+(\p{L}+)/iu.exec(fresh) ?? []
  return personNouns.has(noun.toLowerCase()) && !old.toLowerCase().includes(noun.toLowerCase())
}

function replaces(decision: Decision, memoryId: string): boolean {
  return decision.kind === 'update' && decision.supersedes.includes(memoryId)
}

type Fresh = Extract<Decision, { kind: 'add' | 'update' }>

function isChange(draft: Draft, old: KnownMemory, { chances }: Opinion): boolean {
  return (
    changeChance(chances) >= (speaksAgainstChange(draft.content) ? likelyInDoubt : likely) &&
    old.memory.createdAt <= draft.createdAt &&
    !areApart(draft.content, old.memory.content) &&
    !containsSentences(old.memory.content, draft.content)
  )
}

/** Words speak against a change of what the old text says. */
function isDoubtful(fresh: string, old: string): boolean {
  return speaksAgainstChange(fresh) || namesAnother(fresh, old) || isException(fresh, old)
}

/** A replacement that only the rules see, and that the model and the words speak against, stays an open contradiction. */
function withoutDoubtful(
  decision: Fresh,
  about: readonly { readonly opinion: Opinion; readonly old: KnownMemory }[],
  { content }: Draft,
): Fresh {
  if (decision.kind !== 'update' || !speaksAgainstChange(content)) return decision
  const doubted = new Set(
    about.flatMap(({ opinion, old }) => (changeChance(opinion.chances) < likely ? [old.memory.id] : [])),
  )
  const supersedes = decision.supersedes.filter((id) => !doubted.has(id))
  const isDoubted = ({ memoryId }: Reason) => doubted.has(memoryId)
  const reasons = decision.reasons.filter((reason) => !isDoubted(reason))
  const conflicts = [...decision.conflicts, ...decision.reasons.filter(isDoubted)]
  const { endings, doubtful } = decision
  if (supersedes.length === 0) return { kind: 'add', conflicts, endings, doubtful }
  return { ...decision, supersedes, reasons, conflicts }
}

function withChange(
  decision: Fresh,
  old: KnownMemory,
  opinion: Opinion,
  { trusted, isSaid, isDoubted, isCorrected }: Record<'trusted' | 'isSaid' | 'isDoubted' | 'isCorrected', boolean>,
): Fresh {
  const { id } = old.memory
  const chance = changeChance(opinion.chances)
  const seen = decision.conflicts.find(({ memoryId }) => memoryId === id)
  const { replaces: other, ends: over } = opinion.chances
  const isSure = Math.max(other, over) >= (isCorrected ? surelyCorrected : surely)
  const ends = trusted && !isDoubted && (seen ? chance >= surelyTogether : isSaid && isSure)
  const reason: Reason = {
    ...(seen ?? { memoryId: id, rule: 'judged', slot: '', oldValue: '', newValue: '' }),
    parts: opinion.parts ?? (seen ? partStating(old.memory.content, seen.oldValue, old.memory.outdated) : null),
  }
  const conflicts = decision.conflicts.filter(({ memoryId }) => memoryId !== id)
  if (!ends) return { ...decision, conflicts: [...conflicts, reason] }
  const before = decision.kind === 'update' ? decision : { supersedes: [], reasons: [] }
  const { parts, remaining } = opinion
  if (parts === null)
    return {
      ...decision,
      kind: 'update',
      conflicts,
      supersedes: [...before.supersedes, id],
      reasons: [...before.reasons, reason],
    }
  if (remaining === null) return { ...decision, conflicts: [...conflicts, reason] }
  const slots = keptSlots(old, parts)
  const endings: EndedPart[] = parts.map((part) => ({ ...part, memoryId: id, vector: remaining, slots }))
  return { ...decision, conflicts: [...conflicts, reason], endings: [...decision.endings, ...endings] }
}

/** The old memory has no fact and no words that the new one does not mention: it may be replaced as a whole. */
function coversAll(draft: Draft, old: KnownMemory): boolean {
  if (saysMoreThan(old.memory.content, draft.content)) return false
  const told = new Set(draft.slots.map(({ slot }) => slot))
  return old.slots.every(({ slot }) => isSlotOf('SAYS', slot) || isSlotOf('HOLDS', slot) || told.has(slot))
}

/** A slot goes with the words of its value, unless the text that remains has them too. */
function keptSlots(old: KnownMemory, parts: readonly PartRange[]): Slot[] {
  const { content, outdated } = old.memory
  const rest = remainingText(
    content,
    [...outdated, ...parts].sort((a, b) => a.start - b.start),
  ).toLowerCase()
  const gone = parts.map(({ start, end }) => content.slice(start, end).toLowerCase()).join(' ')
  return old.slots.filter(({ value }) => {
    const words = value.match(/[\p{L}\p{N}]+/gu) ?? []
    const isIn = (text: string) => words.length > 0 && words.every((word) => text.includes(word))
    return isIn(rest) || !isIn(gone)
  })
}

/** Says what the old memory says, and perhaps more. */
function saysAgain(draft: Draft, old: KnownMemory, { chances }: Opinion, decision: Fresh): boolean {
  return (
    chances.same + chances.refines >= again &&
    // The rules below know only English words, and the model alone may take a change for a repetition.
    !isForeign(draft.content) &&
    !areApart(draft.content, old.memory.content) &&
    mayBeRepetition(draft.content, old.memory.content) &&
    !leansOnOther.test(draft.content) &&
    !decision.conflicts.some(({ memoryId }) => memoryId === old.memory.id) &&
    old.memory.outdated.length === 0
  )
}

/** Nothing is lost without the draft: no change, no number, no name, and few words. */
function saysNoMore(draft: Draft, old: KnownMemory, { chances }: Opinion): boolean {
  return (
    chances.same >= surelySame &&
    !saysThatItChanged(draft.content) &&
    outlives(old.memory.expiresAt, draft.expiresAt) &&
    hasFiguresAndNamesOf(old.memory.content, draft.content) &&
    wordCount(draft.content) <= wordCount(old.memory.content)
  )
}

/** Nothing is lost without the old memory. */
function saysAll(draft: Draft, old: KnownMemory): boolean {
  return (
    !asksBack.test(draft.content) &&
    old.memory.createdAt <= draft.createdAt &&
    hasFiguresAndNamesOf(draft.content, old.memory.content) &&
    wordCount(draft.content) >= leastWords * wordCount(old.memory.content)
  )
}

function wordCount(text: string): number {
  return contentWords(text.toLowerCase()).length
}

function withRefined(decision: Fresh, old: KnownMemory): Fresh {
  const { id } = old.memory
  const before = decision.kind === 'update' ? decision : { supersedes: [], reasons: [] }
  const reason: Reason = { memoryId: id, rule: 'refined', slot: '', oldValue: '', newValue: '' }
  return {
    ...decision,
    kind: 'update',
    supersedes: [...before.supersedes, id],
    reasons: [...before.reasons, reason],
  }
}
