/**
 * Reads the filter of a request: `{"and": [{"project": "work"}, {"metadata.run_id": {"in": [7, 8]}}]}`. Anything that it does not
 * know is a 400 that names it: an ignored condition would return, or delete, too much.
 */
import { invalid, ServiceError } from '../../core/errors.js'
import { type Comparison, comparisons, type Filter, type Scalar, type Test } from '../../core/filter.js'
import type { Json } from '../../core/memory.js'
import { type FieldPath, fieldPath } from './field-path.js'
import { readStrictJson } from './strict-json.js'
import { parseTimestamp } from './timestamp.js'

const limits = { levels: 8, conditions: 64, values: 100, keys: 8, nameCharacters: 256 } as const

type FieldName = 'project' | 'source' | 'entity' | 'created_at' | 'event_time' | 'trust_score'

const operators = ['eq', 'in', 'exists', ...comparisons] as const
type Operator = (typeof operators)[number]

const operatorsOf: Readonly<Record<FieldName, readonly Operator[]>> = {
  project: ['eq', 'in', 'exists'],
  source: ['eq', 'in'],
  entity: ['eq', 'in', 'exists'],
  created_at: ['eq', 'in', ...comparisons],
  event_time: ['exists', ...comparisons],
  trust_score: ['eq', 'in', ...comparisons],
}

const fieldNames = Object.keys(operatorsOf).join(', ')

/** What conditions may look at: fields of memories, and keys of the JSON with this prefix. */
interface Vocabulary {
  readonly prefix: 'metadata.' | 'value.'
  readonly hasFields: boolean
}

const ofMemories: Vocabulary = { prefix: 'metadata.', hasFields: true }
const ofItems: Vocabulary = { prefix: 'value.', hasFields: false }

export function readFilter(value: unknown): Filter {
  return new FilterReader(ofMemories).filter(value, ['filter'], 1)
}

/** A filter of items, with conditions on their value: `{"value.status": "open"}`. */
export function readItemFilter(value: unknown): Filter {
  return new FilterReader(ofItems).filter(value, ['filter'], 1)
}

/** A filter as JSON text, as in a URL. */
export function readFilterText(text: string): Filter {
  let value: Json
  try {
    value = readStrictJson(Buffer.from(text))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw invalid('filter', `must be JSON: ${error.message}`)
  }
  return readFilter(value)
}

class FilterReader {
  #conditions = 0

  constructor(private readonly vocabulary: Vocabulary) {}

  filter(value: unknown, path: FieldPath, level: number): Filter {
    if (level > limits.levels) throw problem(path, `is nested more than ${limits.levels} levels deep`)
    const entries = entriesOf(value)
    if (!entries) throw problem(path, 'must be an object')
    if (entries.length === 0) throw problem(path, 'must have at least one condition')
    return allOf(entries.map(([name, inner]) => this.#part(name, inner, [...path, name], level)))
  }

  #part(name: string, value: unknown, path: FieldPath, level: number): Filter {
    if (name === 'and' || name === 'or') {
      const parts = listOf(value, path, 'filters').map((part, index) => this.filter(part, [...path, index], level + 1))
      return { field: name, parts }
    }
    if (name === 'not') return { field: 'not', part: this.filter(value, path, level + 1) }
    const conditions = entriesOf(value)
    if (!conditions) return this.#condition(name, 'eq', value, path, path)
    if (conditions.length === 0) throw problem(path, 'must have at least one operator')
    return allOf(
      conditions.map(([operator, operand]) => this.#condition(name, operator, operand, path, [...path, operator])),
    )
  }

  #condition(name: string, operator: string, operand: unknown, field: FieldPath, at: FieldPath): Filter {
    this.#conditions += 1
    if (this.#conditions > limits.conditions) {
      throw problem(['filter'], `must have at most ${limits.conditions} conditions`)
    }
    const known = (allowed: readonly Operator[]): Operator => {
      const found = allowed.find((each) => each === operator)
      if (!found) throw problem(at, `is not an operator of this field; use ${allowed.join(', ')}`)
      return found
    }
    const { prefix, hasFields } = this.vocabulary
    if (hasFields && isField(name)) return fieldCondition(name, known(operatorsOf[name]), operand, at)
    if (name.startsWith(prefix)) {
      return metadataCondition(keysOf(name.slice(prefix.length), field), known(operators), operand, at)
    }
    throw problem(field, `is not a field; use ${hasFields ? `${fieldNames}, ` : ''}${prefix}<key>, and, or or not`)
  }
}

function metadataCondition(path: readonly string[], operator: Operator, operand: unknown, at: FieldPath): Filter {
  if (operator === 'exists') return existing({ field: 'metadata', path, test: { op: 'exists' } }, operand, at)
  if (operator === 'eq' || operator === 'in') {
    return { field: 'metadata', path, test: among(operator, operand, at, scalar) }
  }
  return { field: 'metadata', path, test: { op: operator, value: ordered(operand, at) } }
}

function fieldCondition(name: FieldName, operator: Operator, operand: unknown, at: FieldPath): Filter {
  if (name === 'event_time' && isComparison(operator)) {
    return { field: 'eventTime', test: { op: operator, value: moment(operand, at) } }
  }
  if (operator === 'exists') {
    if (name === 'entity') return existing({ field: name, test: { op: operator } }, operand, at)
    if (name === 'event_time') return existing({ field: 'eventTime', test: { op: operator } }, operand, at)
    const none: Filter = { field: 'project', test: { op: 'in', values: [null] } }
    return existing({ field: 'not', part: none }, operand, at)
  }
  if (name === 'created_at') return { field: 'createdAt', test: tested(operator, operand, at, moment) }
  if (name === 'trust_score') return { field: 'trustScore', test: tested(operator, operand, at, number) }
  if (name === 'project') return { field: name, test: among(operator, operand, at, textOrNull) }
  return { field: name === 'entity' ? name : 'source', test: among(operator, operand, at, text) }
}

type Read<Value> = (value: unknown, at: FieldPath) => Value

function among<Value>(operator: Operator, operand: unknown, at: FieldPath, read: Read<Value>) {
  const values =
    operator === 'in'
      ? listOf(operand, at, 'values').map((each, index) => read(each, [...at, index]))
      : [read(operand, at)]
  return { op: 'in' as const, values }
}

function tested(operator: Operator, operand: unknown, at: FieldPath, read: Read<number>): Test<number> {
  if (!isComparison(operator)) return among(operator, operand, at, read)
  return { op: operator, value: read(operand, at) }
}

function existing(filter: Filter, operand: unknown, at: FieldPath): Filter {
  if (typeof operand !== 'boolean') throw problem(at, 'must be boolean')
  return operand ? filter : { field: 'not', part: filter }
}

/** Keys are separated by dots. `\.` is a dot in a key, and `\\` a backslash. */
function keysOf(text: string, field: FieldPath): string[] {
  const keys: string[] = []
  let key = ''
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '.') {
      keys.push(key)
      key = ''
    } else if (text[at] === '\\') {
      at += 1
      if (text[at] !== '.' && text[at] !== '\\') throw problem(field, 'has a backslash that precedes neither . nor \\')
      key += text[at]
    } else key += text[at]
  }
  keys.push(key)
  if (keys.length > limits.keys) throw problem(field, `must have at most ${limits.keys} keys`)
  return keys
}

/* ------------------------------------------------------------------ values */

function scalar(value: unknown, at: FieldPath): Scalar {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value
  throw problem(at, 'must be a string, a number, a boolean or null')
}

function ordered(value: unknown, at: FieldPath): string | number {
  if (typeof value === 'string' || typeof value === 'number') return value
  throw problem(at, 'must be a string or a number')
}

function number(value: unknown, at: FieldPath): number {
  if (typeof value === 'number') return value
  throw problem(at, 'must be a number')
}

function text(value: unknown, at: FieldPath): string {
  if (typeof value !== 'string') throw problem(at, 'must be a string')
  if (value.length <= limits.nameCharacters) return value
  throw problem(at, `must have at most ${limits.nameCharacters} characters`)
}

function textOrNull(value: unknown, at: FieldPath): string | null {
  return value === null ? null : text(value, at)
}

function moment(value: unknown, at: FieldPath): number {
  const ms = typeof value === 'string' ? parseTimestamp(value) : undefined
  if (ms === undefined) throw problem(at, 'must be an ISO 8601 date or date-time such as 2026-03-01T09:30:00Z')
  return ms
}

function listOf(value: unknown, at: FieldPath, of: 'filters' | 'values'): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0) throw problem(at, `must be a list of one or more ${of}`)
  if (value.length > limits.values) throw problem(at, `must have at most ${limits.values} items`)
  return value
}

function entriesOf(value: unknown): [string, unknown][] | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined
}

function isField(name: string): name is FieldName {
  return Object.hasOwn(operatorsOf, name)
}

function isComparison(operator: Operator): operator is Comparison {
  return comparisons.some((each) => each === operator)
}

function allOf(parts: readonly Filter[]): Filter {
  const [only] = parts
  return only && parts.length === 1 ? only : { field: 'and', parts }
}

function problem(path: FieldPath, message: string): ServiceError {
  return invalid(fieldPath(path), message)
}
