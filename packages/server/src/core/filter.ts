/** A condition on memories, as a tree. `http/body/read-filter.ts` reads it from JSON; `storage/sql/filter.ts` turns it into SQL. */

export type Scalar = string | number | boolean | null

export const comparisons = ['gt', 'gte', 'lt', 'lte'] as const
export type Comparison = (typeof comparisons)[number]

/** A value equals one of these, or compares with this one. Values of different types are neither equal nor comparable. */
export type Test<Value, Ordered extends Value = Value> =
  | { readonly op: 'in'; readonly values: readonly Value[] }
  | { readonly op: Comparison; readonly value: Ordered }

export type Filter =
  | { readonly field: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly field: 'not'; readonly part: Filter }
  | MetadataCondition
  /** Null: no project. */
  | { readonly field: 'project'; readonly test: { readonly op: 'in'; readonly values: readonly (string | null)[] } }
  | { readonly field: 'source'; readonly test: { readonly op: 'in'; readonly values: readonly string[] } }
  /** Mentions an entity with one of these ids or names, or any entity. */
  | { readonly field: 'entity'; readonly test: { readonly op: 'in'; readonly values: readonly string[] } | Exists }
  /** One moment of the period that the text is about compares so. A text without a date is about the time when it was said. */
  | { readonly field: 'eventTime'; readonly test: { readonly op: Comparison; readonly value: number } | Exists }
  /** Text is compared by code point, which is the order of its bytes in UTF-8. */
  | { readonly field: 'createdAt' | 'trustScore'; readonly test: Test<number> }

/**
 * The value at a path of keys. A condition on a list holds if it holds for one of the list's elements; `exists` also holds for a
 * list, an object or null.
 */
export interface MetadataCondition {
  readonly field: 'metadata'
  readonly path: readonly string[]
  readonly test: Test<Scalar, string | number> | Exists
}

interface Exists {
  readonly op: 'exists'
}
