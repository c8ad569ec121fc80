/**
 * Schemas for `tools/list`, without what a model does not need: it reads the list at the start of every conversation. The API checks
 * arguments by the full schemas.
 */
import type { Fields, ObjectSchema } from './operations.js'

/** Keywords that neither a model nor a client needs. */
const unneeded = new Set(['example', 'propertyNames', 'maxLength', 'minLength'])
/** A client checks results by their types, and must accept fields that a later release adds. docs/api.md describes them. */
const unneededInResults = new Set([...unneeded, 'additionalProperties', 'minimum', 'maximum', 'default', 'description'])

export function shortInput(schema: ObjectSchema): ObjectSchema {
  const { properties, ...rest } = schema
  return { ...rest, properties: mapped(properties, (each) => shorter(each, unneeded)) }
}

/** `without` are fields that the tool never asks for. */
export function shortResult(schema: Fields, without: ReadonlySet<string>): Fields {
  return shorter(schema, unneededInResults, without)
}

function shorter(schema: Fields, dropped: ReadonlySet<string>, without: ReadonlySet<string> = new Set()): Fields {
  const short = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(short)
    return typeof each === 'object' && each !== null ? shorter(each as Fields, dropped, without) : each
  }
  const kept = Object.entries(schema).filter(([keyword, value]) => !dropped.has(keyword) && !isEmpty(value))
  const own = kept.map(([keyword, value]) => {
    if (keyword === 'required' && Array.isArray(value)) return [keyword, value.filter((name) => !without.has(name))]
    if (keyword !== 'properties') return [keyword, short(value)]
    const fields = Object.entries(value as Fields).filter(([name]) => !without.has(name))
    return [keyword, Object.fromEntries(fields.map(([name, field]) => [name, short(field)]))]
  })
  return nullable(Object.fromEntries(own))
}

/** `{ type: [x, 'null'] }` says the same as two alternatives. */
function nullable(schema: Fields): Fields {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [one, other] = anyOf as readonly Fields[]
  if (one === undefined || typeof one.type !== 'string' || other?.type !== 'null') return schema
  return { ...rest, ...one, type: [one.type, 'null'] }
}

/** `{}` as a schema allows anything, as its absence does. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
}

function mapped(fields: Readonly<Record<string, Fields>>, change: (field: Fields) => Fields): Record<string, Fields> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field)]))
}
