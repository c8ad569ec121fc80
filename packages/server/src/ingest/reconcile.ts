import type { EntityMention, Slot } from '../core/entity.js'
import type { PartRange } from '../core/outdated.js'
import { maySupersede } from '../core/trust.js'
import { compareValues } from '../facts/compare-values.js'
import { areDatedApart } from '../facts/dated-series.js'
import { isSlotOf, slotParts, whoSlot } from '../facts/slot.js'
import { nameKind } from '../language/names/speaker-name.js'
import { containsSentences } from '../language/sentences/whole-sentences.js'
import { factStem } from '../language/words/stem.js'
import type { KnownMemory, Recognised } from '../storage/ports/memory-reads.js'
import { saysMoreThan } from './outdated-part.js'

/** Why a memory is replaced or conflicts with another: one fact, in both versions. */
export interface Reason {
  readonly memoryId: string
  /**
   * `contradicted`: both can't be true. `refined`: the new one says the same and more. `judged`: the judging model says so.
   * `advised`: a language model says so.
   */
  readonly rule: 'contradicted' | 'refined' | 'judged' | 'advised'
  readonly slot: string
  readonly oldValue: string
  readonly newValue: string
  /** The words of the old memory that it concerns; null or absent: all of them. */
  readonly parts?: readonly PartRange[] | null
}

/** A part of a known memory that the draft makes outdated. */
export interface EndedPart extends PartRange {
  readonly memoryId: string
  /** Of the text that remains. */
  readonly vector: Float32Array
  /** The slots that remain. */
  readonly slots: readonly Slot[]
}

interface Noted {
  /** Memories that stay although one of their facts is contradicted, because they contain more than that. */
  readonly conflicts: readonly Reason[]
  /** The parts of known memories that it makes outdated; each has its reason among `conflicts`. */
  readonly endings: readonly EndedPart[]
  /** Keys of people whose name is ambiguous: nothing about them is ended on a guess. */
  readonly doubtful: readonly string[]
}

export type Decision =
  | ({ readonly kind: 'add' } & Noted)
  /** The user already has this memory. */
  | { readonly kind: 'noop'; readonly memoryId: string }
  /** The same request already contains it: `index` is that draft's. */
  | { readonly kind: 'noop-same-batch'; readonly index: number }
  /** At least one reason per memory in `supersedes`. */
  | ({ readonly kind: 'update'; readonly supersedes: readonly string[]; readonly reasons: readonly Reason[] } & Noted)

export interface Draft {
  /** The id that it will have. */
  readonly id?: string
  readonly content: string
  readonly contentKey: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly slots: readonly Slot[]
  readonly trustScore: number
  readonly flagged: boolean
}

/**
 * Decides for each draft, in order, what happens to it. Only repetitions are dropped: in case of doubt both memories
 * stay. Two drafts of one batch that contradict each other are both kept (neither has an id yet that the other could
 * name). The later one prevails at recall, because only it ends the exclusive relationships of the earlier one, and the
 * next store that contradicts them supersedes both. A known memory is superseded once, by the first draft that may.
 *
 * Flagged memories are not part of recall, so they must not remove anything else from it: flagged drafts supersede
 * nothing, and a flagged memory is no reason to drop the same words from a trusted caller. A merely doubtful draft
 * supersedes nothing that is trusted more: the contradiction stays open.
 */
export function reconcile(drafts: readonly Draft[], recognised: Recognised): Decision[] {
  const idsOf = (memories: readonly KnownMemory[]) =>
    new Map(memories.map(({ contentKey, memory }) => [contentKey, memory.id]))
  const known = idsOf(recognised.sameContent)
  const trusted = idsOf(recognised.sameContent.filter(({ memory }) => !memory.flagged))
  const knownId = ({ flagged, contentKey }: Draft) => (flagged ? known : trusted).get(contentKey)
  const firstOf = new Map<string, number>()
  const superseded = new Set<string>()
  // A memory that the batch repeats is still true: no other draft may replace it.
  const repeated = new Set(drafts.flatMap((draft) => knownId(draft) ?? []))
  return drafts.map((draft, index) => {
    const memoryId = knownId(draft)
    if (memoryId !== undefined) return { kind: 'noop', memoryId }
    const { flagged, trustScore } = draft
    const earlier = firstOf.get(draft.contentKey)
    if (earlier !== undefined && (flagged || !drafts[earlier]?.flagged))
      return { kind: 'noop-same-batch', index: earlier }
    firstOf.set(draft.contentKey, index)
    const doubtful = doubtfulNames(draft, recognised.sameSlot)
    if (flagged) return { kind: 'add', conflicts: [], endings: [], doubtful }
    const verdicts = uniqueById(recognised.sameSlot)
      .filter(({ memory }) => !memory.flagged && !superseded.has(memory.id) && !repeated.has(memory.id))
      .map((old) => trustedVerdict(judge(draft, old, doubtful), maySupersede(trustScore, old.memory.trustScore)))
    const reasons = verdicts.flatMap((verdict) => (verdict.gives ? verdict.reasons : []))
    const conflicts = verdicts.flatMap((verdict) => (verdict.gives ? [] : verdict.reasons))
    const supersedes = [...new Set(reasons.map((reason) => reason.memoryId))]
    if (supersedes.length === 0) return { kind: 'add', conflicts, endings: [], doubtful }
    for (const id of supersedes) superseded.add(id)
    return { kind: 'update', supersedes, reasons, conflicts, endings: [], doubtful }
  })
}

function uniqueById(memories: readonly KnownMemory[]): KnownMemory[] {
  return [...new Map(memories.map((known) => [known.memory.id, known])).values()]
}

/** Slots that identify the people named in a draft: looked up together with its own slots. */
export function whoSlots(entities: readonly EntityMention[]): string[] {
  return entities.flatMap(({ type, key }) => (type === 'PERSON' ? [whoSlot(key)] : []))
}

/** A slot that says which of several people with the same name a memory means. */
const telling = (slot: Slot): boolean => isSlotOf('WHO', slot.slot)

/** Names in the draft that are known for more than one person and that the draft does not disambiguate. */
function doubtfulNames(draft: Draft, known: readonly KnownMemory[]): string[] {
  const own = whoOf(draft.slots)
  const others = new Map<string, Set<string>>()
  for (const { slots } of known)
    for (const [name, values] of whoOf(slots)) {
      const all = others.get(name) ?? new Set()
      for (const value of values) all.add(value)
      others.set(name, all)
    }
  return [...others].flatMap(([name, values]) => {
    const mine = own.get(name)
    const unlike = mine === undefined ? values.size > 1 : [...values].some((value) => !mine.has(value))
    return unlike ? [name] : []
  })
}

function whoOf(slots: readonly Slot[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const { slot, value } of slots) {
    if (!isSlotOf('WHO', slot)) continue
    const name = slot.slice(whoSlot('').length)
    found.set(name, (found.get(name) ?? new Set()).add(value))
  }
  return found
}

interface Verdict {
  /** True: the old memory becomes history. */
  readonly gives: boolean
  readonly reasons: readonly Reason[]
}

function trustedVerdict(verdict: Verdict, trusted: boolean): Verdict {
  if (trusted || !verdict.gives) return verdict
  // A mere refinement is not a contradiction.
  return { gives: false, reasons: verdict.reasons.filter(({ rule }) => rule === 'contradicted') }
}

const stays: Verdict = { gives: false, reasons: [] }

function judge(draft: Draft, old: KnownMemory, doubtful: readonly string[]): Verdict {
  const facts = old.slots.filter((slot) => !telling(slot))
  if (facts.length === 0 || old.memory.createdAt > draft.createdAt) return stays
  // A shorter-lived memory must not replace one that would still be valid after it expires.
  if (!outlives(draft.expiresAt, old.memory.expiresAt)) return stays
  if (isAboutAnother(draft, old, facts, doubtful)) return stays
  // A fragment: the old memory says all of this and more.
  if (containsSentences(old.memory.content, draft.content)) return stays
  if (areDatedApart(draft.content, old.memory.content)) return stays
  const told = new Map<string, Slot[]>()
  for (const slot of draft.slots) told.set(slot.slot, [...(told.get(slot.slot) ?? []), slot])
  const comparisons = facts.map((fact) => {
    const fresh = told.get(fact.slot) ?? []
    const found = fresh.map((slot) => ({ slot, comparison: compareValues(fact, slot) }))
    return { fact, found }
  })
  const contradicted = comparisons.flatMap(({ fact, found }) => {
    const against = found.find(({ comparison }) => comparison === 'against')
    const kept = found.some(({ comparison }) => comparison === 'same' || comparison === 'coarser')
    return against && !kept ? [reasonOf(old, 'contradicted', fact, against.slot)] : []
  })
  // The old memory contains a fact that the new one does not mention, so it must stay.
  const covered =
    comparisons.every(({ found }) =>
      found.some(({ comparison }) => comparison === 'same' || comparison === 'against' || comparison === 'finer'),
    ) && !saysMoreThan(old.memory.content, draft.content)
  if (contradicted.length > 0) return { gives: covered, reasons: contradicted }
  if (!covered) return stays
  const finer = comparisons.flatMap(({ fact, found }) => {
    const more = found.find(({ comparison }) => comparison === 'finer')
    return more ? [reasonOf(old, 'refined', fact, more.slot)] : []
  })
  const [first] = comparisons
  if (finer.length > 0 && finer.every(({ slot }) => !isSlotOf('HOLDS', slot))) return { gives: true, reasons: finer }
  if (!first || !saysMore(draft.content, old.memory.content)) return stays
  // The same sentence beside others, such as "Keep it up!", was said again and not refined.
  if (finer.length === 0 && containsSentences(draft.content, old.memory.content)) return stays
  const same = first.found[0]?.slot ?? first.fact
  return { gives: true, reasons: finer.length > 0 ? finer : [reasonOf(old, 'refined', first.fact, same)] }
}

function reasonOf(old: KnownMemory, rule: Reason['rule'], fact: Slot, fresh: Slot): Reason {
  return { memoryId: old.memory.id, rule, slot: fact.slot, oldValue: fact.value, newValue: fresh.value }
}

/** "My sister Anna" is not "my colleague Anna", and with two Annas it is unknown which one "Anna" means. */
function isAboutAnother(draft: Draft, old: KnownMemory, facts: readonly Slot[], doubtful: readonly string[]): boolean {
  const [own, others] = [whoOf(draft.slots), whoOf(old.slots)]
  const concerned = (name: string) =>
    facts.some(({ slot }) => slotParts(slot).some((part) => part === name || part.startsWith(`${name}'s `)))
  for (const name of new Set([...own.keys(), ...others.keys(), ...doubtful])) {
    if (!concerned(name)) continue
    const [mine, theirs] = [own.get(name), others.get(name)]
    if (mine && theirs ? ![...mine].some((value) => theirs.has(value)) : mine !== undefined || doubtful.includes(name))
      return true
  }
  return false
}

/** By the names that identify people, and by the speaker before a text: "Ann: I moved" says nothing about Ben. */
export function isAboutSomebodyElse(draft: Draft, old: KnownMemory, doubtful: readonly string[]): boolean {
  const facts = old.slots.filter((slot) => !telling(slot))
  const [mine, theirs] = [speakerOf(draft.content), speakerOf(old.memory.content)]
  return isAboutAnother(draft, old, facts, doubtful) || mine !== theirs
}

/** The name before a text; a topic such as "Rack 3: …" is none. */
export function speakerOf(content: string): string {
  const name = /^(\p{Lu}[^:\n]{0,63}): /u.exec(content)?.[1] ?? ''
  return name === '' || (nameKind(name) === null && name !== 'Assistant') ? '' : name.toLowerCase()
}

/** Lasts as long as the other, or longer; null means forever. */
export function outlives(expiresAt: number | null, other: number | null): boolean {
  return expiresAt === null || (other !== null && expiresAt >= other)
}

/** Contains all the words of the other and more. The additional words must not be a negation or a number only. */
function saysMore(content: string, other: string): boolean {
  const [larger, smaller] = [wordsOf(content), wordsOf(other)]
  // "It is still on" adds nothing.
  if (
    ['still', 'again', 'another', 'too'].some((word) => larger.has(word)) ||
    larger.size <= smaller.size ||
    ![...smaller].every((word) => larger.has(word))
  )
    return false
  const negations = (words: ReadonlySet<string>) =>
    ['not', 'no', 'never', 'without'].filter((word) => words.has(word)).length
  return negations(larger) === negations(smaller)
}

const ignored = new Set(['a', 'an', 'the', 'i', 've', 'have', 'am', 'm', 'is', 's', 'been', 'be'])

function wordsOf(content: string): Set<string> {
  const words = content
    .normalize('NFKC')
    .toLowerCase()
    .replace(/n['’]t(?!\p{L})/gu, ' not')
    .match(/[\p{L}\p{N}]+/gu)
  return new Set((words ?? []).filter((word) => !ignored.has(word)).map(factStem))
}
