import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../core/errors.js'
import { maxJsonDepth, maxJsonValues, readStrictJson } from './strict-json.js'

const read = (text: string) => readStrictJson(Buffer.from(text, 'utf8'))

function problemOf(work: () => unknown): { path: string; message: string } {
  try {
    work()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    expect(error.status).toBe(400)
    const [problem] = error.details ?? []
    if (problem) return problem
  }
  throw new Error('was accepted')
}

/** Any JSON value that both readers accept. */
const ordinaryJson = fc
  .jsonValue({ maxDepth: 6, stringUnit: 'grapheme', noUnicodeString: false })
  .filter((value) => !JSON.stringify(value).includes('"__proto__"') && !JSON.stringify(value).includes('\\u0000'))

describe('the JSON reader', () => {
  it('reads what JSON.parse reads, with any white space', () => {
    fc.assert(
      fc.property(ordinaryJson, fc.constantFrom(undefined, 1, '\t', '\r\n '), (value, space) => {
        const text = JSON.stringify(value, null, space)
        expect(read(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: 500 },
    )
  })

  it('refuses every text that JSON.parse refuses, and otherwise reads the same value', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"\\u0041"',
      '1',
      '-',
      '0',
      '.5',
      'e3',
      'true',
      'null',
      ' ',
      '"',
      '\\',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 10 }), (parts) => {
        const text = parts.join('')
        let expected: unknown
        try {
          expected = JSON.parse(text)
        } catch {
          expect(() => read(text)).toThrow(ServiceError)
          return
        }
        // Of these texts, JSON.parse accepts repeated keys and numbers that are too large, and this reader does not.
        if (JSON.stringify(expected).length <= text.length) {
          try {
            expect(read(text)).toEqual(expected)
          } catch (error) {
            expect(error).toMatchObject({ message: expect.stringMatching(/appears twice|too large a number/) })
          }
        }
      }),
      { numRuns: 5000 },
    )
  })

  it('keeps keys that are names of built-in properties, without touching the prototype', () => {
    const text = '{"constructor":{"prototype":1},"toString":"x","valueOf":null,"hasOwnProperty":[],"toJSON":1}'
    expect(JSON.stringify(read(text))).toBe(text)
    expect(Object.hasOwn(Object(read(text)), 'toString')).toBe(true)
    expect({}.toString()).toBe('[object Object]')
  })

  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":{"b":[0,{"c":1,"\\u0063":2}]}}', 'a.b[1].c'],
    ['{"metadata":{"__proto__":{"x":1}}}', 'metadata.__proto__'],
    ['{"metadata":{"\\u005f_proto__":1}}', 'metadata.__proto__'],
    ['{"a":1e400}', 'a'],
    ['{"a":[-1e400]}', 'a[0]'],
    ['{"a":1e-400}', 'a'],
    ['{"a":9007199254740993}', 'a'],
    ['{"a":-12345678901234567890}', 'a'],
    ['{"a":0.12345678901234567890123}', 'a'],
    ['{"a":123456789.123456789}', 'a'],
    ['{"a":"x\\u0000y"}', 'a'],
    ['{"a":"\\ud800"}', 'a'],
    ['{"a":"\\udc00\\ud800"}', 'a'],
    ['{"m":{"\\ud800":1}}', 'm'],
    ['{"m":{"a\\u0000":1}}', 'm'],
    ['{"a b":{"c.d":"\\u0000"}}', '["a b"]["c.d"]'],
  ])('refuses %s and names the field', (text, path) => {
    expect(problemOf(() => read(text)).path).toBe(path)
  })

  it.each([
    '9007199254740991',
    '9007199254740992',
    '-0',
    '0.1',
    '1.50',
    '100e-2',
    '1E+2',
    '1e21',
    '5e-324',
    '1.7976931348623157e308',
    '0.30000000000000004',
    '0e99999',
  ])('keeps the number %s exactly', (literal) => {
    expect(read(literal)).toBe(Number(literal))
  })

  it.each([
    '',
    ' \n',
    '\ufeff{}',
    '{} {}',
    '{}x',
    '[1,]',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '01',
    '1.',
    '.5',
    '+1',
    'NaN',
    'Infinity',
    'undefined',
    '"\t"',
    '"\\x41"',
    '"\\u12g4"',
    '"a',
    '[',
    '{"a"',
    'tru',
    '/**/1',
    '\u00a01',
  ])('refuses %j as malformed', (text) => {
    expect(problemOf(() => read(text)).path).toBe('')
  })

  it('refuses bytes that are not UTF-8, including encoded surrogates and overlong forms', () => {
    for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]]) {
      const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')])
      expect(problemOf(() => readStrictJson(body)).message).toContain('UTF-8')
    }
  })

  it('reads 32 levels and no more, and refuses a million without walking them', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(() => read(nested(maxJsonDepth))).not.toThrow()
    expect(problemOf(() => read(nested(maxJsonDepth + 1))).message).toContain('levels deep')
    expect(problemOf(() => read('['.repeat(1_000_000))).message).toContain('levels deep')
    expect(problemOf(() => read('{"a":'.repeat(200_000))).message).toContain('levels deep')
  })

  it('refuses a flood of small values', () => {
    const list = (length: number) => `[${Array.from({ length }, () => 0).join()}]`
    expect(read(list(maxJsonValues - 1))).toHaveLength(maxJsonValues - 1)
    expect(problemOf(() => read(list(maxJsonValues))).message).toContain('values')
  })
})
