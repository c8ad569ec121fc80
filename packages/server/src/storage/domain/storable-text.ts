import { invalid } from '../../core/errors.js'

const loneSurrogate = /\p{Surrogate}/u

/**
 * Engines cut a text at NUL or reject it, and none can store half of a surrogate pair. Text that would come back changed is
 * rejected.
 */
export function storable(text: string, field: string): string {
  if (text.includes('\0')) throw invalid(field, 'must not contain the NUL character')
  if (loneSurrogate.test(text)) throw invalid(field, 'must not contain a lone surrogate')
  return text
}

/** Text that is not storable would match another one: `alice` followed by a NUL and anything else would match `alice`. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !loneSurrogate.test(text)
}

/** Whether every text and name inside a value is storable. */
export function isStorableJson(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorableJson(inner))
}
