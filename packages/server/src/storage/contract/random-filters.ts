/** Random memories and random filters that often match them. The values are those at which engines differ. */
import fc from 'fast-check'
import { comparisons, type Filter, type Scalar } from '../../core/filter.js'
import type { Json, Metadata } from '../../core/memory.js'
import { type Fact, start } from './notebook.js'

const numbers = [
  0,
  1,
  -1,
  10,
  9,
  0.1,
  0.30000000000000004,
  0.3,
  1e21,
  1e-7,
  -1e21,
  2 ** 31,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 53 + 2,
  -(2 ** 53),
  2 ** 60,
  2 ** 62,
  2 ** 62 + 1024,
  2 ** 63,
  2 ** 64,
  1.7976931348623157e308,
  5e-324,
  1.5,
  123456789.12345679,
]
const texts = [
  '',
  ' ',
  'a',
  'A',
  'b',
  'B',
  'ab',
  'a b',
  'ä',
  'a\u0308',
  'ß',
  'z',
  '1',
  '10',
  '9',
  '1.0',
  '0',
  'true',
  'null',
  '[]',
  '{}',
  '"',
  '\\',
  "'",
  '%',
  '_',
  '?',
  '$',
  '\u0001',
  '\u007f',
  '\u2028',
  '\uffff',
  '\ue000',
  '😀',
  '𝒳',
  '日本',
  'İ',
  'ı',
  'i',
  '-0',
  '1e21',
  '@user',
  '2026-01-01',
  '2026-01-01T00:00:00Z',
  '2026-06-30',
]
const keys = [
  'a',
  'b',
  'c',
  'A',
  'a.b',
  '',
  ' ',
  '"',
  '\\',
  '$',
  '$.a',
  '[0]',
  '0',
  '1',
  '#',
  'ü',
  'u\u0308',
  '😀',
  "'",
  '?',
  '@user',
  '\u0001',
  'type',
  'toString',
]
const projects = [null, 'p', 'P', 'q', "it's", 'ü', '😀']
const sources = ['api', 'API', 'mcp', '', "a'b", '日本']
const people = ['Ann', 'Melanie', 'Zoë', 'O’Brien'] as const
const moments = [start, start + 1, start - 1, start + 86_400_000, 0, -1, -62_135_596_800_000, 253_402_300_799_999]
const scores = [0, 1, 0.5, 0.30000000000000004, 0.1, 0.7]

/** Mostly from the list, so that filters match; otherwise any. */
const number = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...numbers) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0) },
  { weight: 1, arbitrary: fc.maxSafeInteger() },
)
const text = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...texts) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }).filter((value) => !value.includes('\0')) },
)
const key = fc.constantFrom(...keys.slice(0, 6), ...keys)
const scalar: fc.Arbitrary<Scalar> = fc.oneof(
  { weight: 4, arbitrary: number },
  { weight: 4, arbitrary: text },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constant(null) },
)

const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 6, arbitrary: scalar },
    { weight: 2, arbitrary: fc.array(tie('json'), { maxLength: 4 }) },
    { weight: 3, arbitrary: fc.dictionary(key, tie('json'), { maxKeys: 4 }) },
  ),
}))

const metadata = fc.dictionary(key, json, { maxKeys: 6 }) as fc.Arbitrary<Metadata>

export interface RandomFact extends Fact {
  readonly source: string
}

export const randomFact: fc.Arbitrary<RandomFact> = fc.record({
  content: fc.constant(''),
  metadata,
  project: fc.constantFrom(...projects),
  source: fc.constantFrom(...sources),
  createdAt: fc.constantFrom(...moments),
  trustScore: fc.constantFrom(...scores),
  event: fc.option(
    fc
      .tuple(fc.constantFrom(...moments), fc.constantFrom(1, 2, 86_400_000))
      .map(([from, length]) => ({ from, to: from + length })),
    { nil: null },
  ),
  entities: fc.subarray([...people], { maxLength: 2 }).map((names) => names.map((name) => [name, 'PERSON'] as const)),
})

const oneOf = <Value>(value: fc.Arbitrary<Value>) =>
  fc.array(value, { minLength: 1, maxLength: 4 }).map((values) => ({ op: 'in' as const, values }))
const compares = <Value>(value: fc.Arbitrary<Value>) => fc.record({ op: fc.constantFrom(...comparisons), value })
const test = <Value>(value: fc.Arbitrary<Value>) => fc.oneof(oneOf(value), compares(value))
const exists = fc.constant({ op: 'exists' as const })

/** Entities are named by their id, a name, or nothing that exists. */
export function randomFilter(entityIds: readonly string[]): fc.Arbitrary<Filter> {
  const entity = fc.constantFrom(...people, 'ANN', 'zoe', 'O’BRIEN', 'nobody', '', ...entityIds)
  const condition: fc.Arbitrary<Filter> = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        field: fc.constant('metadata' as const),
        path: fc.array(key, { minLength: 1, maxLength: 4, size: 'small' }),
        test: fc.oneof(oneOf(scalar), compares(fc.oneof(number, text)), exists),
      }),
    },
    { weight: 1, arbitrary: conditionOn('project', oneOf(fc.constantFrom(...projects, 'none'))) },
    { weight: 1, arbitrary: conditionOn('source', oneOf(fc.constantFrom(...sources, 'none'))) },
    { weight: 1, arbitrary: conditionOn('createdAt', test(fc.constantFrom(...moments))) },
    { weight: 1, arbitrary: conditionOn('trustScore', test(fc.constantFrom(...scores))) },
    { weight: 1, arbitrary: conditionOn('eventTime', fc.oneof(compares(fc.constantFrom(...moments)), exists)) },
    { weight: 1, arbitrary: conditionOn('entity', fc.oneof(oneOf(entity), exists)) },
  )
  return fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      { weight: 4, arbitrary: condition },
      {
        weight: 2,
        arbitrary: fc.record({
          field: fc.constantFrom('and' as const, 'or' as const),
          parts: fc.array(tie('filter'), { minLength: 1, maxLength: 4 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ field: fc.constant('not' as const), part: tie('filter') }) },
    ),
  })).filter
}

function conditionOn<const Field extends string, Tested>(field: Field, tested: fc.Arbitrary<Tested>) {
  return fc.record({ field: fc.constant(field), test: tested })
}
