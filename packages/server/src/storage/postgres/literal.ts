import type { Value } from '../sql/session.js'

/**
 * A value as text inside a statement. A text is written in the form that no setting of the server changes, with an escape in place of
 * each quote and backslash, so nothing in it can end it.
 */
export function literalOf(value: Value): string {
  if (value === null) return 'NULL'
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (typeof value === 'number') return numeral(value)
  if (value instanceof Uint8Array) throw new TypeError('bytes are sent as a parameter')
  if (value.length === 0) return `'{}'`
  const isOfNumbers = typeof value[0] === 'number'
  return isOfNumbers
    ? `'{${value.map(numeral).join(',')}}'`
    : `ARRAY[${value.map((each) => quoted(String(each))).join(',')}]`
}

function quoted(text: string): string {
  if (text.includes('\0')) throw new TypeError('a text must not contain the NUL character')
  return `E'${text.replaceAll('\\', '\\u005C').replaceAll("'", '\\u0027')}'`
}

function numeral(value: string | number): string {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new TypeError('a number must be finite')
  return String(value)
}
