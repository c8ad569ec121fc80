/** A relationship that a text states, in its stored form. */
import { isSymmetric, type RelationshipFound, type RelationshipType } from '../../core/entity.js'

export interface Link {
  readonly source: number
  readonly target: number
  readonly type: RelationshipType
}

/** Chooses one direction for relationships that can be stated in two. */
export function stored({ source, target, type }: Link, arePersons: boolean): Link {
  if (isSymmetric(type) && source > target) return { source: target, target: source, type }
  if (type === 'MANAGES' && arePersons) return { source: target, target: source, type: 'REPORTS_TO' }
  return { source, target, type }
}

export interface Range {
  readonly startsAt: number
  readonly endsAt: number | null
  /** A relationship that has ended excludes nothing. */
  readonly exclusive: boolean
  /** The text states both start and end, so it may describe another period than the known one. */
  readonly isWhole: boolean
}

/** It begins at `toldAt`, when it is stated, unless the text says otherwise. */
export function rangeOf(found: RelationshipFound, toldAt: number): Range {
  const endsAt = found.validTo ?? null
  return {
    startsAt: Math.min(found.validFrom ?? toldAt, endsAt ?? Number.POSITIVE_INFINITY),
    endsAt,
    exclusive: found.exclusive && endsAt === null,
    isWhole: found.validFrom !== undefined && endsAt !== null,
  }
}

/** One version's statement about one relationship. */
export interface NewTelling {
  readonly properties: Readonly<Record<string, string>>
  readonly exclusive: boolean
  readonly startsAt: number | null
  readonly endsAt: number | null
}

/** A version may state the same relationship twice; the last statement wins. */
export function combined(first: NewTelling | undefined, second: NewTelling): NewTelling {
  if (!first) return second
  return {
    properties: { ...first.properties, ...second.properties },
    exclusive: first.exclusive || second.exclusive,
    startsAt: second.startsAt ?? first.startsAt,
    endsAt: second.endsAt ?? first.endsAt,
  }
}
