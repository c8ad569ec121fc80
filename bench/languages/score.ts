/** Compares what the service stored and recalled with the suite. Pure functions; `observe.ts` asks. */
import { nameKey } from '../../packages/server/src/core/entity.js'
import type { Name, Person } from './cases.js'

/** `of` is the number of cases that the count is about. */
export interface Share {
  readonly count: number
  readonly of: number
}

export interface StoredMemory {
  readonly id: string
  readonly content: string
}

export interface FoundEntity {
  readonly name: string
  readonly type: string
  readonly aliases: readonly string[]
}

export interface PersonObserved {
  /** What each note and change left, by its id; null if content protection refused it. */
  readonly stored: ReadonlyMap<string, readonly StoredMemory[] | null>
  /** After the notes, before the changes: changes have no labelled names. */
  readonly entities: readonly FoundEntity[]
  /** Ids of memories that were replaced or have an outdated part. */
  readonly ended: ReadonlySet<string>
  /** Ids of the recalled memories per question, best first. */
  readonly answers: readonly (readonly string[])[]
}

export interface PersonScore {
  readonly first: Share
  readonly inThree: Share
  readonly changed: Share
  readonly replaced: Share
  readonly unchangedText: Share
  /** Labelled names, names found, and names found with the right type. */
  readonly names: NamesCount
  readonly refused: number
  readonly failures: readonly string[]
}

export interface NamesCount {
  readonly wanted: number
  readonly found: number
  readonly right: number
  readonly rightUntyped: number
}

const top = 3

export function scorePerson(person: Person, observed: PersonObserved): PersonScore {
  const idsOf = (note: string) => new Set((observed.stored.get(note) ?? []).map(({ id }) => id))
  const ranks = person.questions.map(({ answer }, index) => rankOf(observed.answers[index] ?? [], idsOf(answer)))
  const changes = person.changes.map(({ id, ends, text }) => {
    const asked = person.questions.findIndex(({ answer }) => answer === id)
    const results = observed.answers[asked] ?? []
    const old = idsOf(ends)
    const replaced = old.size > 0 && [...old].every((one) => observed.ended.has(one))
    return { text, replaced, before: rankOf(results, idsOf(id)) < rankOf(results, old) }
  })
  const texts = [...person.notes, ...person.changes].map(({ id, text }) => ({ id, text }))
  const altered = texts.filter(({ id, text }) => !isUnchanged(text, observed.stored.get(id) ?? []))
  const missed = person.questions.filter((_, index) => ranks[index] !== 1)
  return {
    first: share(ranks, (rank) => rank === 1),
    inThree: share(ranks, (rank) => rank <= top),
    changed: share(changes, ({ replaced, before }) => replaced || before),
    replaced: share(changes, ({ replaced }) => replaced),
    unchangedText: { count: texts.length - altered.length, of: texts.length },
    names: countNames(
      person.notes.flatMap(({ names }) => names),
      observed.entities.filter(({ name }) => name !== person.id),
    ),
    refused: [...observed.stored.values()].filter((memories) => memories === null).length,
    failures: [
      ...missed.map(({ text, answer }) => `not first: ${text} (${answer})`),
      ...changes.filter(({ replaced, before }) => !replaced && !before).map(({ text }) => `old value first: ${text}`),
      ...altered.map(({ id, text }) => `altered: ${text} → ${JSON.stringify(observed.stored.get(id) ?? 'refused')}`),
    ],
  }
}

/** From 1; Infinity if none of them was recalled. */
export function rankOf(results: readonly string[], ids: ReadonlySet<string>): number {
  const index = results.findIndex((id) => ids.has(id))
  return index < 0 ? Number.POSITIVE_INFINITY : index + 1
}

const addition = /\s*[([][^()[\]]*[)\]]/gu

/**
 * Whether the memories say what the text says, in its own words. The service may divide a text, and it may add a date or a
 * name in brackets; everything else must stand in the text, and all letters of the text must be in a memory.
 */
export function isUnchanged(text: string, memories: readonly { readonly content: string }[]): boolean {
  const source = normal(text)
  const pieces = memories.map(({ content }) => {
    const whole = normal(content)
    return source.includes(whole)
      ? whole
      : normal(content.replace(addition, (part) => (text.includes(part) ? part : '')))
  })
  const covered = letters(pieces.join(''))
  return pieces.length > 0 && pieces.every((piece) => source.includes(piece)) && covered >= letters(source)
}

function normal(text: string): string {
  return text.normalize('NFC').replace(/\s+/gu, ' ').trim()
}

function letters(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
}

const typeOf: Readonly<Record<Name['type'], string>> = { person: 'PERSON', organization: 'ORG', place: 'LOCATION' }

/** A name is right in the form of the text or of a dictionary. A name that occurs twice counts once. */
export function countNames(labelled: readonly Name[], entities: readonly FoundEntity[]): NamesCount {
  const wanted = new Map<string, { type: string; keys: Set<string> }>()
  for (const { name, type, base } of labelled) {
    const key = nameKey(base ?? name)
    const keys = wanted.get(key)?.keys ?? new Set([key])
    wanted.set(key, { type: typeOf[type], keys: keys.add(nameKey(name)) })
  }
  const found = entities
    .filter(({ type }) => Object.values(typeOf).includes(type))
    .map(({ name, type, aliases }) => ({ type, keys: [name, ...aliases].map(nameKey) }))
  const matches = [...wanted.values()].map(({ type, keys }) => {
    const same = found.filter((one) => one.keys.some((key) => keys.has(key)))
    return { untyped: same.length > 0, typed: same.some((one) => one.type === type) }
  })
  return {
    wanted: wanted.size,
    found: found.length,
    right: matches.filter(({ typed }) => typed).length,
    rightUntyped: matches.filter(({ untyped }) => untyped).length,
  }
}

export function share<T>(items: readonly T[], has: (item: T) => boolean): Share {
  return { count: items.filter(has).length, of: items.length }
}

export function sumOf(shares: readonly Share[]): Share {
  return {
    count: shares.reduce((sum, { count }) => sum + count, 0),
    of: shares.reduce((sum, { of }) => sum + of, 0),
  }
}

export function sumOfNames(counts: readonly NamesCount[]): NamesCount {
  const sum = (field: keyof NamesCount) => counts.reduce((total, count) => total + count[field], 0)
  return { wanted: sum('wanted'), found: sum('found'), right: sum('right'), rightUntyped: sum('rightUntyped') }
}

/** F1 from 0 to 1, with and without types. */
export function namesF1({ wanted, found, right, rightUntyped }: NamesCount): { typed: number; untyped: number } {
  const of = (count: number) => (wanted + found === 0 ? 0 : (2 * count) / (wanted + found))
  return { typed: of(right), untyped: of(rightUntyped) }
}
