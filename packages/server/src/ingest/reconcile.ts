import type { Slot } from '../core/entity.js'
import type { KnownMemory, Recognised } from '../storage/storage.js'

export type Decision =
  | { readonly kind: 'add' }
  /** The user already has it. */
  | { readonly kind: 'noop'; readonly memoryId: string }
  /** The same request said it already: `index` is that draft's. */
  | { readonly kind: 'noop-same-batch'; readonly index: number }
  | { readonly kind: 'update'; readonly supersedes: readonly string[] }

export interface Draft {
  readonly content: string
  readonly contentKey: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly slots: readonly Slot[]
}

/**
 * Decides for each draft, in order, what becomes of it. Nothing is ever dropped but exact repetition:
 * where in doubt both memories stay. Two drafts of one batch that contradict each other are both kept
 * (neither has an id yet that the other could name); the later one has the later say at recall, because
 * only it ends the exclusive relationships of the earlier, and the next store that contradicts them
 * supersedes both. A known memory is superseded once, by the first draft that may.
 *
 * What content protection flagged is out of recall, so it must not push anything else out: flagged drafts
 * supersede nothing, and a flagged memory is no reason to drop the same words from a trusted caller.
 */
export function reconcile(drafts: readonly Draft[], recognised: Recognised, flagged: boolean): Decision[] {
  const known = new Map(
    recognised.sameContent
      .filter(({ memory }) => flagged || !memory.flagged)
      .map((memory) => [memory.contentKey, memory.memory.id]),
  )
  const firstOf = new Map<string, number>()
  const superseded = new Set<string>()
  // What the batch repeats is still true: no other draft of it may replace it.
  const repeated = new Set(drafts.flatMap(({ contentKey }) => known.get(contentKey) ?? []))
  return drafts.map((draft, index) => {
    const memoryId = known.get(draft.contentKey)
    if (memoryId !== undefined) return { kind: 'noop', memoryId }
    const earlier = firstOf.get(draft.contentKey)
    if (earlier !== undefined) return { kind: 'noop-same-batch', index: earlier }
    firstOf.set(draft.contentKey, index)
    if (flagged) return { kind: 'add' }
    const supersedes = recognised.sameSlot
      .filter(({ memory }) => !superseded.has(memory.id) && !repeated.has(memory.id))
      .filter((old) => replaces(draft, old))
      .map(({ memory }) => memory.id)
    if (supersedes.length === 0) return { kind: 'add' }
    const unique = [...new Set(supersedes)]
    for (const id of unique) superseded.add(id)
    return { kind: 'update', supersedes: unique }
  })
}

function replaces(draft: Draft, old: KnownMemory): boolean {
  if (old.slots.length === 0 || old.memory.createdAt > draft.createdAt) return false
  // What lives shorter must not push out what would still hold when it is gone.
  if (!outlives(draft.expiresAt, old.memory.expiresAt)) return false
  const values = new Map<string, Set<string>>()
  for (const { slot, value } of draft.slots) values.set(slot, (values.get(slot) ?? new Set()).add(value))
  // The old memory holds a fact that the new one is silent about: it must stay.
  if (!old.slots.every(({ slot }) => values.has(slot))) return false
  const contradicted = old.slots.some(({ slot, value }) => !values.get(slot)?.has(value))
  return contradicted || isProperSuperset(wordsOf(draft.content), wordsOf(old.memory.content))
}

/** Lasts as long as the other, or longer; null is for ever. */
export function outlives(expiresAt: number | null, other: number | null): boolean {
  return expiresAt === null || (other !== null && expiresAt >= other)
}

function isProperSuperset(larger: ReadonlySet<string>, smaller: ReadonlySet<string>): boolean {
  return larger.size > smaller.size && [...smaller].every((word) => larger.has(word))
}

function wordsOf(content: string): Set<string> {
  return new Set(
    content
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [],
  )
}
