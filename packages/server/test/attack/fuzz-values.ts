/**
 * Values that match a schema of the OpenAPI document, as fast-check arbitraries. Texts may contain placeholders, which are
 * replaced when the request is sent: `@mem:3` is an id from an earlier response, `@user` the caller, `@mark` a word that occurs in
 * no other request.
 */
import fc from 'fast-check'
import { asNode, resolved } from '../support/openapi-check.js'
import { type Field, objectFields, type Schema } from './operation-fields.js'

export const idPlaceholder = (kind: string) => fc.nat({ max: 30 }).map((index) => `@${kind}:${index}`)

const sentence = fc.oneof(
  fc.constantFrom(
    'The @mark stands in room 7.',
    'I live in Oslo. I work at Globex as a designer.',
    'I live in Rome.',
    'Maria works at Acme Corp and lives in Lisbon.',
    'Maria works at Globex.',
    'Melanie met @mark. Mel loves hiking.',
    'My favourite colour is blue; @mark says it was red in 2019.',
    '- one\n- two\n\n```js\nlet a = 1\n```\nhttps://example.org/?a=b',
    '私は東京に住んでいます。 @mark',
    '👩‍👩‍👧‍👦 Zażółć gęślą jaźń مرحبا',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map((text) => `@mark ${text}`),
  fc.lorem({ maxCount: 12 }),
)
const label = fc.oneof(
  fc.constantFrom('home', 'work', 'Work', '__proto__', "a'b", 'ａ', '%'),
  fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => `x${text}`),
)

const byFormat: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'memory-text': sentence,
  'message-text': fc.oneof({ weight: 9, arbitrary: sentence }, { weight: 1, arbitrary: fc.constant(' ') }),
  'query-text': fc.oneof(fc.constantFrom('Where does Maria work?', 'room @mark', '?'), sentence),
  label,
  identifier: label,
  ttl: fc.constantFrom('1h', '24h', '7d', '2w', '3m', '1y', '100y', 'permanent'),
  timestamp: fc.constantFrom(
    '2026-03-01',
    '2026-03-01T09:30:00Z',
    '2026-03-01T09:30:00.123+05:30',
    '1970-01-01',
    '0001-01-01',
  ),
  days: fc.constantFrom('0', '7', '1,2,3', '7,30,90,365', '36500'),
  cursor: idPlaceholder('cursor'),
  'event-id': fc.constantFrom('0', '1', '1-0', '2-1', '999999999999999-999999999'),
}

/** Fields that mean the same in every schema. */
const byName: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  user_id: fc.oneof({ weight: 6, arbitrary: fc.constant('@user') }, { weight: 1, arbitrary: label }),
  entity: fc.oneof(idPlaceholder('ent'), fc.constantFrom('Maria', 'Oslo', 'Mel')),
  into: idPlaceholder('ent'),
  // With few digits, as in a URL.
  half_life_days: fc.constantFrom(0.001, 0.5, 30, 1_000_000),
  access_boost_weight: fc.constantFrom(0, 0.2, 1_000_000),
  url: fc.constantFrom('https://receiver.example.com/@mark', 'http://127.0.0.1:9/', 'https://[::1]:8443/a?b=c'),
  secret: fc.constantFrom('sixteen-characters-or-more', '~!{}[]()<>"\'`$%&-------'),
  q: fc.oneof(
    fc.constantFrom('maria', '%', '_', 'İ', 'ß'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
  ),
  metadata: fc.dictionary(label, fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' }), { maxKeys: 4 }),
}

const filterCondition = fc.oneof(
  fc.record({ 'metadata.a': fc.constantFrom('home', 1, null, true) }),
  fc.record({ 'metadata.a\\.b.c': fc.record({ in: fc.constant([1, 'x', null]) }) }),
  fc.record({ created_at: fc.record({ gte: fc.constant('2026-03-01'), lt: fc.constant('2026-04-01T00:00:00Z') }) }),
  fc.record({ trust_score: fc.record({ lte: fc.double({ min: 0, max: 1, noNaN: true }) }) }),
  fc.record({ entity: fc.constantFrom('Maria', 'Oslo'), project: fc.constantFrom('home', null) }),
  fc.record({ source: fc.record({ in: fc.constant(['api', 'mcp']) }), 'metadata.x': fc.constant({ exists: false }) }),
)
const filter = fc.oneof(
  filterCondition,
  fc.record({ not: filterCondition }),
  fc.record({ or: fc.array(filterCondition, { minLength: 1, maxLength: 3 }) }),
)

export function fieldValue({ name, schema }: Field): fc.Arbitrary<unknown> {
  if (name === 'filter') return schema.type === 'string' ? filter.map((value) => JSON.stringify(value)) : filter
  if (name === 'memory_ids' || name === 'explain_memory_ids') {
    const ids = fc.array(idPlaceholder('mem'), { minLength: 1, maxLength: 3 })
    return schema.type === 'array' ? ids : ids.map((list) => list.join(','))
  }
  return byName[name] ?? schemaValue(schema)
}

export function fieldsValue(fields: readonly Field[]): fc.Arbitrary<Record<string, unknown>> {
  const values = Object.fromEntries(fields.map((field) => [field.name, fieldValue(field)]))
  return fc.record(values, { requiredKeys: fields.filter(({ required }) => required).map(({ name }) => name) })
}

function schemaValue(given: unknown): fc.Arbitrary<unknown> {
  const schema = resolved(given) ?? {}
  const plain = plainValue(schema)
  return schema.nullable === true ? fc.option(plain, { freq: 4 }) : plain
}

function plainValue(schema: Schema): fc.Arbitrary<unknown> {
  const { type, enum: allowed, anyOf, minItems, maxItems } = schema
  if (Array.isArray(allowed)) return fc.constantFrom(...allowed)
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map(schemaValue))
  if (type === 'string') return textValue(schema)
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer')
    return fc.oneof(fc.integer(bounds(schema, 20)), fc.integer(bounds(schema, Number.MAX_SAFE_INTEGER)))
  if (type === 'number') return fc.double({ ...bounds(schema, 1e9), noNaN: true, noDefaultInfinity: true })
  if (type === 'array') {
    const least = numberOr(minItems, 0)
    return fc.array(schemaValue(schema.items), {
      minLength: least,
      maxLength: Math.min(numberOr(maxItems, 3), least + 2),
    })
  }
  if (type === 'object') return objectValue(schema)
  return fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' })
}

function textValue({ format, minLength, maxLength }: Schema): fc.Arbitrary<string> {
  const known = typeof format === 'string' ? byFormat[format] : undefined
  if (known) return known
  const least = numberOr(minLength, 0)
  return fc.string({
    unit: 'grapheme',
    minLength: least,
    maxLength: Math.max(least, Math.min(numberOr(maxLength, 20), 20)),
  })
}

function objectValue(schema: Schema): fc.Arbitrary<unknown> {
  const named = fieldsValue(objectFields(schema))
  const { additionalProperties: more } = schema
  if (typeof more !== 'object' || more === null) return named
  return fc
    .tuple(fc.dictionary(label, schemaValue(asNode(more)), { maxKeys: 4 }), named)
    .map(([extra, own]) => ({ ...extra, ...own }))
}

function bounds({ minimum, maximum }: Schema, most: number): { min: number; max: number } {
  const min = numberOr(minimum, 0)
  return { min, max: Math.max(min, Math.min(numberOr(maximum, most), most)) }
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback
}
