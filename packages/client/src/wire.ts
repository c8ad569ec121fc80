/**
 * Names between the two sides: camelCase for programs, snake_case on the wire. Keys inside `metadata`, `filters` and
 * other open fields belong to somebody else and are left as they are.
 */
import { openFields } from './api-types.generated.js'
import { ValidationError } from './errors.js'
import { camelCase, snakeCase } from './wire-names.js'

/** Undefined means "not given", so that `{ userId: undefined }` never widens a request. */
export function toWire(value: object): Record<string, unknown> {
  // An object stays an object.
  return renamed(value, snakeCase) as Record<string, unknown>
}

export function fromWire(value: object): object {
  return renamed(value, camelCase) as object
}

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename))
  if (!isPlain(value)) return value
  const names = new Set<string>()
  // fromEntries makes own properties, also of a hostile `__proto__`.
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      if (item === undefined) return []
      const name = rename(key)
      if (names.has(name)) throw new ValidationError(`${name} is given twice, in two spellings`)
      names.add(name)
      return [[name, openFields.has(name) ? item : renamed(item, rename)]]
    }),
  )
}

/** Dates and whatever else writes itself are values, not objects to look into. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('toJSON' in value && typeof value.toJSON === 'function')
}

/** `?name=value` of what is given; empty where nothing is. */
export function queryString(fields: object): string {
  const pairs = Object.entries(toWire(fields)).map(
    ([name, value]) => `${name}=${encodeURIComponent(value instanceof Date ? value.toISOString() : String(value))}`,
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** An id as one part of a path. Dots alone would lead to another route. */
export function pathPart(id: string): string {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..') {
    throw new ValidationError('An id must be given', { details: [{ path: 'id', message: 'must be an id' }] })
  }
  return encodeURIComponent(id)
}
