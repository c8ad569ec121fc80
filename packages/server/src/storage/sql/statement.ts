import type { Dialect } from './dialect.js'

/**
 * Marks a statement whose text depends on the caller's input. No cache keeps it: callers could fill memory with such statements.
 */
export const ofAnyShape = '/* of any shape */'

/** A statement whose text is built once per engine, not once per call. */
export function statement(text: (dialect: Dialect) => string): (user: { readonly dialect: Dialect }) => string {
  const texts = new Map<Dialect, string>()
  return ({ dialect }) => {
    const known = texts.get(dialect)
    if (known !== undefined) return known
    const made = text(dialect)
    texts.set(dialect, made)
    return made
  }
}
