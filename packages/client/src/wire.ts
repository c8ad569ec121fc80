/**
 * Converts field names between camelCase in the client and snake_case on the wire. Keys inside `metadata`, `filters` and
 * other open fields are user data and stay unchanged.
 */
import { openFields } from './api-types.generated.js'
import { ValidationError } from './errors.js'
import { camelCase, snakeCase } from './wire-names.js'

/** Undefined means "not given", so that `{ userId: undefined }` never widens a request. */
export function toWire(value: object): Record<string, unknown> {
  // Renaming an object gives an object.
  return renamed(value, snakeCase) as Record<string, unknown>
}

export function fromWire(value: object): object {
  return renamed(value, camelCase) as object
}

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename))
  if (!isPlain(value)) return value
  const names = new Set<string>()
  // fromEntries creates own properties, even for a hostile `__proto__`.
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      if (item === undefined) return []
      const name = rename(key)
      if (names.has(name)) throw new ValidationError(`${name} is given twice, in different spellings`)
      names.add(name)
      return [[name, openFields.has(name) ? item : renamed(item, rename)]]
    }),
  )
}

/** Dates and other objects with `toJSON` are values and are not traversed. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('toJSON' in value && typeof value.toJSON === 'function')
}

/** `?name=value` for the given fields; empty if there are none. */
export function queryString(fields: object): string {
  const pairs = Object.entries(toWire(fields)).map(
    ([name, value]) => `${name}=${encodeURIComponent(parameterText(value))}`,
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** A filter is sent as JSON. */
function parameterText(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return isPlain(value) && !Array.isArray(value) ? JSON.stringify(value) : String(value)
}

/** An id as one segment of a path. `.` and `..` would lead to another route. */
export function pathPart(id: string): string {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..') {
    throw new ValidationError('An id is required', { details: [{ path: 'id', message: 'must be an id' }] })
  }
  return encodeURIComponent(id)
}
