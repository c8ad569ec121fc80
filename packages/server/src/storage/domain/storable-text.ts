import { invalid } from '../../core/errors.js'

const loneSurrogate = /\p{Surrogate}/u

/** Engines end a text at NUL or refuse it, and none holds half a surrogate pair: refuse what would come back changed. */
export function storable(text: string, field: string): string {
  if (text.includes('\0')) throw invalid(field, 'must not contain the NUL character')
  if (loneSurrogate.test(text)) throw invalid(field, 'must not contain a lone surrogate')
  return text
}

/** What is not would be compared as another text: `alice` for all that begins with `alice` and a NUL. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !loneSurrogate.test(text)
}
