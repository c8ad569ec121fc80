import { invalid } from '../../core/errors.js'
import type { Condition } from './user-rows.js'

const loneSurrogate = /\p{Surrogate}/u

/** SQLite ends a text at NUL and can't hold half a surrogate pair: refuse what would come back changed. */
export function storable(text: string, field: string): string {
  if (text.includes('\0')) throw invalid(field, 'must not contain the NUL character')
  if (loneSurrogate.test(text)) throw invalid(field, 'must not contain a lone surrogate')
  return text
}

/** What is not would be compared as another text: `alice` for all that begins with `alice` and a NUL. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !loneSurrogate.test(text)
}

const longestPattern = 10_000

/** That the text in `column` has `q` in it, whatever the case. */
export function containing(column: 'v.content' | 's.spelling', q: string): Condition {
  // For plain ASCII SQLite's own comparison does, and spares a call into JavaScript for every row.
  if (/^[\x20-\x7e]*$/.test(q) && q.length < longestPattern) {
    return { sql: `${column} LIKE ? ESCAPE '\\'`, values: [`%${q.replace(/[\\%_]/g, '\\$&')}%`] }
  }
  return { sql: `contains_folded(${column}, ?) = 1`, values: [q.toLowerCase()] }
}
