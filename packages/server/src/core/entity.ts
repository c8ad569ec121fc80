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

/** These read the same from both ends, so they are stored once and shown from either. */
export const symmetricTypes: readonly RelationshipType[] = ['SPOUSE_OF', 'SIBLING_OF', 'FRIEND_OF', 'KNOWS']

export function isSymmetric(type: RelationshipType): boolean {
  return symmetricTypes.includes(type)
}

/** Who manages a person is whom that person reports to: stored as `REPORTS_TO`, shown as what it is from either end. */
export function inverseOf(type: RelationshipType): RelationshipType | null {
  if (type === 'MANAGES') return 'REPORTS_TO'
  return type === 'REPORTS_TO' ? 'MANAGES' : null
}

/** An entity as found in a text, before the store knows whether it has met it. */
export interface EntityMention {
  readonly name: string
  readonly type: EntityType
  /** `nameKey(name)`: what makes two mentions the same entity of a user. */
  readonly key: string
  readonly aliases: readonly string[]
}

export interface RelationshipFound {
  /** `key` of the source and target mention in the same memory. */
  readonly sourceKey: string
  readonly targetKey: string
  readonly type: RelationshipType
  readonly properties: Readonly<Record<string, string>>
  /** True ends the source's other relationships of this type: one has one employer at a time. */
  readonly exclusive: boolean
  /** When it began and ended, where the text says so; milliseconds since 1970. Otherwise it begins when it is told. */
  readonly validFrom?: number
  readonly validTo?: number
  /** "No longer works at Acme": ends the one that is known (at `validTo`, else when it is told) and creates none. */
  readonly ends?: true
}

/**
 * A place for one value of one fact ("WORKS_AT|john" → "acme corp"). How two values of a slot go together depends on
 * how the slot begins (see `ingest/fact-values.ts`): most have one value at a time; `HOLDS|…` is `yes` or `no`,
 * with what narrows it down; of `SOME|…` there may be several, unless a text says that one took the other's place;
 * `SAYS|…` is the rest of a memory that no rule reads, so that no memory is superseded while it holds more;
 * `WHO|…` tells which of several people of a name is meant.
 */
export interface Slot {
  readonly slot: string
  readonly value: string
  /** The text says that this is new, or that what was said before is wrong. Not kept. */
  readonly change?: boolean
  /** The text speaks of one among others ("a meeting at 3"): it takes no other's place. Not kept. */
  readonly another?: boolean
  /** It follows from what the text says: it may contradict, and is not kept. */
  readonly implied?: boolean
}

/** Case, accents, punctuation and company suffixes don't make another entity. */
export function nameKey(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(/ (?:inc|incorporated|corp|corporation|ltd|limited|llc|gmbh|co|company|plc)$/u, '')
}
