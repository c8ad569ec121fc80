import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { type JsonValue, yamlText } from './yaml-text.js'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '',
    ' ',
    'a b',
    'a  b',
    'a ',
    'a: b',
    'a #b',
    '- a',
    '~',
    'null',
    'Yes',
    'off',
    '1.0',
    '0x1f',
    '1e3',
    '2026-01-01',
    '---',
    '...',
    '<<',
    '&a',
    '*a',
    '!a',
    '|',
    '>',
    '%TAG',
    '@a',
    '`a',
    "it's",
    'a\nb',
    '\u0085',
    '\u2028',
    '\ufeff',
    'Infinity',
    '.nan',
    'a/b.c-d (e)',
  ),
)
const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    // The YAML reader of this test would set the prototype instead of a member.
    fc.dictionary(
      text.filter((name) => name !== '__proto__'),
      tie('value'),
      { maxKeys: 4 },
    ),
  ),
})).value

it('reads back as the same value, whatever texts it contains', () => {
  fc.assert(
    fc.property(json, (value) => {
      const [document, ...more] = parseAllDocuments(yamlText(value))
      expect(more).toEqual([])
      expect(document?.errors).toEqual([])
      expect(document?.toJS()).toEqual(JSON.parse(JSON.stringify(value)))
    }),
    { numRuns: 500 },
  )
})

it('reads back as the same value in YAML 1.1', () => {
  const value = { a: ['yes', 'n', '1_000', '010', '12:30:45', 'plain words', '=', '~'] }
  expect(parse(yamlText(value), { version: '1.1' })).toEqual(value)
})

it('writes plain words and names without quotes', () => {
  expect(yamlText({ info: { title: 'Keepsake API', tags: ['a', {}, []] } })).toBe(
    'info:\n  title: Keepsake API\n  tags:\n    - a\n    - {}\n    - []\n',
  )
})
