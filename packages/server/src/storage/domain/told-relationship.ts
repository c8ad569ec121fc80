/** A relationship as a text tells it, in the form that is stored. */
import { isSymmetric, type RelationshipFound, type RelationshipType } from '../../core/entity.js'

export interface Link {
  readonly source: number
  readonly target: number
  readonly type: RelationshipType
}

/** One direction for what can be said in two. */
export function stored({ source, target, type }: Link, arePersons: boolean): Link {
  if (isSymmetric(type) && source > target) return { source: target, target: source, type }
  if (type === 'MANAGES' && arePersons) return { source: target, target: source, type: 'REPORTS_TO' }
  return { source, target, type }
}

export interface Range {
  readonly startsAt: number
  readonly endsAt: number | null
  /** What has ended excludes nothing. */
  readonly exclusive: boolean
  /** The text says both when it began and when it ended, so it may be another stretch of time than the one that is known. */
  readonly isWhole: boolean
}

/** `toldAt`: it begins when it is told, unless the text says otherwise. */
export function rangeOf(found: RelationshipFound, toldAt: number): Range {
  const endsAt = found.validTo ?? null
  return {
    startsAt: Math.min(found.validFrom ?? toldAt, endsAt ?? Number.POSITIVE_INFINITY),
    endsAt,
    exclusive: found.exclusive && endsAt === null,
    isWhole: found.validFrom !== undefined && endsAt !== null,
  }
}

/** What one version says about one relationship. */
export interface NewTelling {
  readonly properties: Readonly<Record<string, string>>
  readonly exclusive: boolean
  readonly startsAt: number | null
  readonly endsAt: number | null
}

/** A version may say the same twice; what it says last counts. */
export function combined(first: NewTelling | undefined, second: NewTelling): NewTelling {
  if (!first) return second
  return {
    properties: { ...first.properties, ...second.properties },
    exclusive: first.exclusive || second.exclusive,
    startsAt: second.startsAt ?? first.startsAt,
    endsAt: second.endsAt ?? first.endsAt,
  }
}
