/**
 * The rules of consolidation: which pairs of memories may say the same, which one of a pair is kept, and which memories would not
 * be stored today. In doubt nothing changes.
 */
import { isDeepStrictEqual } from 'node:util'
import { withoutAskedNote } from '../core/asked-note.js'
import { msPerDay } from '../core/clock.js'
import type { Slot } from '../core/entity.js'
import type { Memory } from '../core/memory.js'
import { maySupersede } from '../core/trust.js'
import { isEnglish } from '../language/words/is-english.js'
import { contentWords } from '../language/words/words.js'
import type { KnownPair } from '../storage/ports/contradictions.js'
import type { KnownMemory } from '../storage/ports/memory-reads.js'
import { isFiller, statesNothing } from './chatter.js'
import { hasFiguresAndNamesOf } from './figures-and-names.js'
import { outlives, speakerOf } from './reconcile.js'

/** Chance in both directions from which two memories say the same. */
const surelySame = 0.9
/** Longer texts do not fit into the judging model, which would compare only their beginnings. */
const mostCharacters = 300

/** Whether a consolidation may look at it: nothing flagged, partly outdated, or changed within a day. */
export function isSettled(memory: Memory, now: number): boolean {
  return (
    !memory.flagged &&
    memory.outdated.length === 0 &&
    memory.supersededAt === null &&
    outlives(memory.expiresAt, now + 1) &&
    Math.max(memory.createdAt, memory.updatedAt) <= now - msPerDay
  )
}

/** Before the judging model is asked. */
export function mayRepeat(a: KnownMemory, b: KnownMemory): boolean {
  const [one, other] = [a.memory, b.memory]
  return (
    one.id !== other.id &&
    one.userId === other.userId &&
    one.project === other.project &&
    Math.max(one.content.length, other.content.length) <= mostCharacters &&
    speakerOf(one.content) === speakerOf(other.content) &&
    namesNothingElse(one, other) &&
    namesNothingElse(other, one) &&
    !contradicts(a.slots, b.slots) &&
    !differInOneWord(one.content, other.content) &&
    (!mayBeSwapped(one, other) || shareFact(a.slots, b.slots))
  )
}

/** "I feed the cat in the morning" and "… in the evening": people who say the same again rarely replace just one word. */
function differInOneWord(content: string, other: string): boolean {
  const [mine, theirs] = [content, other].map((text) => text.toLowerCase().match(/[\p{L}\p{N}'’-]+/gu) ?? [])
  return mine?.length === theirs?.length && mine?.filter((word, at) => word !== theirs?.[at]).length === 1
}

/** The judging model takes "Ann manages Bob" and "Bob manages Ann" for the same, so such pairs must share a fact. */
function mayBeSwapped(one: Memory, other: Memory): boolean {
  const [mine, theirs] = [one, other].map(({ content }) => contentWords(content.toLowerCase()).sort().join(' '))
  return mine === theirs || Math.max(capitalised(one).length, capitalised(other).length) > 1
}

function shareFact(slots: readonly Slot[], others: readonly Slot[]): boolean {
  return slots.some(
    ({ slot, value }) =>
      !/^(?:SAYS|WHO)\|/u.test(slot) && others.some((each) => each.slot === slot && each.value === value),
  )
}

function capitalised({ entities }: Memory): string[] {
  return entities.filter((name) => /^\p{Lu}/u.test(name))
}

function namesNothingElse(one: Memory, other: Memory): boolean {
  const known = other.content.toLowerCase()
  const names = capitalised(one).filter((name) => !other.entities.includes(name))
  return hasFiguresAndNamesOf(other.content, one.content) && names.every((name) => known.includes(name.toLowerCase()))
}

function contradicts(slots: readonly Slot[], others: readonly Slot[]): boolean {
  return slots.some(({ slot }) => {
    const [mine, theirs] = [slots, others].map((all) => all.filter((each) => each.slot === slot))
    return theirs?.length && !mine?.some(({ value }) => theirs.some((each) => each.value === value))
  })
}

/** Two memories with the chance, in each direction, that one only repeats the other. */
export interface JudgedPair {
  readonly a: Memory
  readonly b: Memory
  readonly same: readonly [number, number]
}

export interface Repetition {
  readonly retired: Memory
  readonly kept: Memory
}

/** What a consolidation has chosen so far. */
export interface Chosen {
  readonly retired: Set<string>
  readonly kept: Set<string>
}

export function nothingChosen(): Chosen {
  return { retired: new Set(), kept: new Set() }
}

/** The surest pairs first. A memory that is kept for another one is not retired in the same pass. */
export function chooseRepetitions(
  pairs: readonly JudgedPair[],
  known: readonly KnownPair[],
  chosen: Chosen,
): Repetition[] {
  const isKnown = (a: Memory, b: Memory) =>
    known.some(({ oldId, newId }) => (oldId === a.id && newId === b.id) || (oldId === b.id && newId === a.id))
  const wasRetired = ({ id }: Memory) => known.some(({ oldId, retires }) => retires && oldId === id)
  const sure = pairs
    .map((pair) => ({ ...pair, chance: Math.min(...pair.same) }))
    .filter(({ a, b, chance }) => chance >= surelySame && !isKnown(a, b))
    .sort((one, other) => other.chance - one.chance)
  return sure.flatMap(({ a, b }) => {
    const [better, worse] = moreInformative(a, b)
    const [kept, retired] = mayStandFor(better, worse) ? [better, worse] : [worse, better]
    const isFree = !chosen.retired.has(kept.id) && !chosen.retired.has(retired.id) && !chosen.kept.has(retired.id)
    if (!isFree || wasRetired(retired) || !mayStandFor(kept, retired)) return []
    chosen.retired.add(retired.id)
    chosen.kept.add(kept.id)
    return [{ retired, kept }]
  })
}

/** The one with more words that say something; of equals, the newer one. */
function moreInformative(a: Memory, b: Memory): readonly [Memory, Memory] {
  const [mine, theirs] = [a, b].map(({ content }) => new Set(contentWords(content.toLowerCase())).size)
  const isMore = mine === theirs ? a.createdAt >= b.createdAt : (mine ?? 0) > (theirs ?? 0)
  return isMore ? [a, b] : [b, a]
}

/** Lasts as long, is trusted as much, and is found by the same metadata. */
function mayStandFor(kept: Memory, retired: Memory): boolean {
  return (
    outlives(kept.expiresAt, retired.expiresAt) &&
    maySupersede(kept.trustScore, retired.trustScore) &&
    Object.entries(retired.metadata).every(([key, value]) => isDeepStrictEqual(kept.metadata[key], value))
  )
}

/** Slots that any sentence may get, even "lol ok thanks". */
const anything = /^(?:SAYS|WHO|HOLDS)\|/u

/** A memory that the rules would not store today, that names and states nothing, and that no recall has returned. */
export function isOldChatter({ memory, slots }: KnownMemory): boolean {
  const { content } = memory
  if (memory.accessCount > 0 || memory.entities.length > 0 || !isEnglish(content)) return false
  if (slots.some(({ slot }) => !anything.test(slot)) || withoutAskedNote(content) !== content) return false
  const said = content.replace(/^Assistant: /u, '')
  return said === content ? statesNothing(content) : isFiller(said, '')
}
