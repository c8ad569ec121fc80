export const entityTypes = ['PERSON', 'ORG', 'LOCATION', 'PRODUCT', 'EVENT', 'CONCEPT'] as const
export type EntityType = (typeof entityTypes)[number]

export const relationshipTypes = [
  'WORKS_AT',
  'STUDIES_AT',
  'LIVES_IN',
  'LOCATED_IN',
  'BORN_IN',
  'MANAGES',
  'REPORTS_TO',
  'FOUNDED',
  'OWNS',
  'CREATED',
  'MEMBER_OF',
  'SPOUSE_OF',
  'PARENT_OF',
  'SIBLING_OF',
  'FRIEND_OF',
  'KNOWS',
  'LIKES',
  'DISLIKES',
  'USES',
  'VISITED',
  'ATTENDED',
  'RELATED_TO',
] as const
export type RelationshipType = (typeof relationshipTypes)[number]

/** These are the same in both directions, so they are stored once and shown from either side. */
export const symmetricTypes: readonly RelationshipType[] = ['SPOUSE_OF', 'SIBLING_OF', 'FRIEND_OF', 'KNOWS']

export function isSymmetric(type: RelationshipType): boolean {
  return symmetricTypes.includes(type)
}

/** `MANAGES` is the inverse of `REPORTS_TO`: stored as `REPORTS_TO`, shown from either side under its own name. */
export function inverseOf(type: RelationshipType): RelationshipType | null {
  if (type === 'MANAGES') return 'REPORTS_TO'
  return type === 'REPORTS_TO' ? 'MANAGES' : null
}

/** An entity found in a text, before it is known whether the store already has it. */
export interface EntityMention {
  readonly name: string
  readonly type: EntityType
  /** `nameKey(name)`: two mentions with the same key are the same entity of a user. */
  readonly key: string
  readonly aliases: readonly string[]
}

export interface RelationshipFound {
  /** `key` of the source and target mention in the same memory. */
  readonly sourceKey: string
  readonly targetKey: string
  readonly type: RelationshipType
  readonly properties: Readonly<Record<string, string>>
  /** True ends the source's other relationships of this type: a person has one employer at a time. */
  readonly exclusive: boolean
  /** When it began and ended, if the text says so, in milliseconds since 1970. By default it begins when it is stored. */
  readonly validFrom?: number
  readonly validTo?: number
  /** "No longer works at Acme": ends the known relationship (at `validTo`, by default when it is stored) and creates none. */
  readonly ends?: true
}

/**
 * A fact and its value ("WORKS_AT|john" → "acme corp"). The prefix decides how two values of a slot compare (see
 * `facts/compare-values.ts`):
 *
 * - Most slots have one value at a time.
 * - `HOLDS|…` is `yes` or `no`, with any qualification.
 * - `SOME|…` may have several values, unless a text says that one replaced another.
 * - `SAYS|…` is the part of a memory that no rule understands. It keeps a memory from being superseded while it says more.
 * - `WHO|…` identifies one of several people with the same name.
 */
export interface Slot {
  readonly slot: string
  readonly value: string
  /** The text says that this is new, or corrects an earlier statement. Not stored. */
  readonly change?: boolean
  /** The text mentions one of several ("a meeting at 3"): it replaces no other. Not stored. */
  readonly another?: boolean
  /** Implied by the text: it may contradict another fact, but is not stored. */
  readonly implied?: boolean
}

/** Names that differ only in case, accents, punctuation or a company suffix have the same key. */
export function nameKey(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(/ (?:inc|incorporated|corp|corporation|ltd|limited|llc|gmbh|co|company|plc)$/u, '')
}
