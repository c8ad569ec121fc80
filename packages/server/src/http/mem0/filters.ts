/**
 * Filters of mem0 as filters of the API. A filter names the user, whom a request needs as a scope and not as a condition, so the user may
 * stand only where it holds for every result. Anything unknown is a 400.
 */
import { invalid } from '../../core/errors.js'
import type { Mem0Scopes } from '../schemas/mem0.js'

type Fields = Readonly<Record<string, unknown>>

/** Fields of mem0 that are kept as metadata of the same name. */
export const labels = ['agent_id', 'app_id', 'run_id'] as const

export interface Narrowed {
  readonly userId: string | undefined
  /** As the API takes it; undefined: no condition. */
  readonly filter: Fields | undefined
}

const operators = ['eq', 'in', 'gt', 'gte', 'lt', 'lte'] as const
const mostLevels = 8

/** The scopes beside a filter, and the filter itself. */
export function narrowed(scopes: Mem0Scopes, filters: Fields | undefined, more: readonly Fields[] = []): Narrowed {
  const reader = new Reader()
  const own = labels.flatMap((label) =>
    scopes[label] === undefined ? [] : [reader.label(label, scopes[label], label)],
  )
  const read = filters === undefined ? [] : reader.all(filters, 'filters', 1, true)
  if (scopes.user_id !== undefined) reader.named(scopes.user_id, 'user_id')
  const conditions = [...own, ...read, ...more]
  const [only] = conditions
  return { userId: reader.user, filter: conditions.length > 1 ? { and: conditions } : only }
}

/** Equality with each value of an object of metadata. */
export function metadataConditions(metadata: Fields, path: string): Fields[] {
  return Object.entries(metadata).map(([key, value]) => ({ [metadataField(key)]: scalar(value, `${path}.${key}`) }))
}

class Reader {
  user: string | undefined

  named(userId: unknown, path: string): void {
    const given = isObject(userId) ? (userId.eq ?? soleOf(userId.in)) : userId
    if (typeof given !== 'string' || given === '' || given === '*') throw invalid(path, 'must be the id of one user')
    if (this.user !== undefined && this.user !== given) throw invalid(path, 'must be the only user in the request')
    this.user = given
  }

  /** `holds`: every result must meet these conditions. */
  all(filter: unknown, path: string, level: number, holds: boolean): Fields[] {
    if (!isObject(filter)) throw invalid(path, 'must be an object')
    if (level > mostLevels) throw invalid(path, `is nested more than ${mostLevels} levels deep`)
    return Object.entries(filter).flatMap(([name, value]) => this.#part(name, value, `${path}.${name}`, level, holds))
  }

  #part(name: string, value: unknown, path: string, level: number, holds: boolean): Fields[] {
    if (name === 'AND' || name === 'OR' || name === 'NOT') {
      if (!Array.isArray(value) || value.length === 0) throw invalid(path, 'must be a list of filters')
      // A choice of one holds for every result.
      const isSure = holds && name !== 'NOT' && (name === 'AND' || value.length === 1)
      const parts = value.map((part, index) => this.all(part, `${path}[${index}]`, level + 1, isSure)).map(together)
      const given = parts.filter((part) => part !== undefined)
      if (name === 'AND') return given
      if (given.length === 0) return []
      return [name === 'OR' ? { or: given } : { not: { or: given } }]
    }
    if (name === 'user_id') {
      if (!holds) throw invalid(path, 'must hold for all results: name one user beside the filter')
      this.named(value, path)
      return []
    }
    if (name === 'metadata') {
      if (!isObject(value)) throw invalid(path, 'must be an object')
      return metadataConditions(value, path)
    }
    const label = labels.find((each) => each === name)
    if (label !== undefined) return [this.label(label, value, path)]
    if (name === 'created_at') return [condition('created_at', value, path)]
    throw invalid(
      path,
      `is not a supported filter; use AND, OR, NOT, user_id, ${labels.join(', ')}, created_at or metadata`,
    )
  }

  label(label: (typeof labels)[number], value: unknown, path: string): Fields {
    const field = metadataField(label)
    return value === '*' ? { [field]: { exists: true } } : condition(field, value, path)
  }
}

function condition(field: string, value: unknown, path: string): Fields {
  if (!isObject(value)) return { [field]: scalar(value, path) }
  const parts = Object.entries(value).map(([operator, operand]): Fields => {
    if (operator === 'ne') return { not: { [field]: scalar(operand, path) } }
    if (!operators.some((known) => known === operator)) {
      throw invalid(`${path}.${operator}`, `is not a supported operator; use ${operators.join(', ')} or ne`)
    }
    return { [field]: { [operator]: operand } }
  })
  const whole = together(parts)
  if (whole === undefined) throw invalid(path, 'must have at least one operator')
  return whole
}

function together(parts: readonly Fields[]): Fields | undefined {
  return parts.length > 1 ? { and: parts } : parts[0]
}

/** Dots and backslashes are part of the name: the API would read them as a path. */
function metadataField(key: string): string {
  return `metadata.${key.replace(/[\\.]/g, '\\$&')}`
}

function scalar(value: unknown, path: string): unknown {
  if (typeof value === 'object' && value !== null) throw invalid(path, 'must be a text, a number, true, false or null')
  return value
}

function soleOf(values: unknown): unknown {
  return Array.isArray(values) && values.length === 1 ? values[0] : undefined
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
