import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsoncError, readJsonc, withItem, without, withValue } from './jsonc.js'

describe('editing JSON with comments', () => {
  it('adds a property in the file’s own style and keeps every other byte', () => {
    const text = '{\r\n\t// servers\r\n\t"a": 1, // one\r\n\t/* two */ "b": [1, 2,],\r\n}\r\n'
    expect(withValue(text, ['c', 'd'], 3)).toBe(
      '{\r\n\t// servers\r\n\t"a": 1, // one\r\n\t/* two */ "b": [1, 2,],\r\n\t"c": {\r\n\t\t"d": 3\r\n\t},\r\n}\r\n',
    )
  })

  it('puts the comma before a comment behind the last entry', () => {
    expect(withItem('{ "a": [\n  1 // one\n] }', ['a'], 2)).toBe('{ "a": [\n  1, // one\n    2\n] }')
  })

  it.each([
    ['', '{\n  "a": 1\n}\n'],
    ['// only a remark\n', '// only a remark\n{\n  "a": 1\n}\n'],
    ['{}', '{\n  "a": 1\n}'],
    ['{ /* none */ }', '{ /* none */\n  "a": 1\n}'],
    ['{"b":2}', '{"b":2, "a": 1}'],
    ['\uFEFF{}', '\uFEFF{\n  "a": 1\n}'],
  ])('adds to %j', (text, expected) => {
    expect(withValue(text, ['a'], 1)).toBe(expected)
  })

  it('removes a property with its comma and leaves comments', () => {
    const text = '{\n  "a": 1, // one\n  // about b\n  "b": 2,\n  "c": 3\n}\n'
    expect(without(text, ['b'])).toBe('{\n  "a": 1, // one\n  // about b\n  "c": 3\n}\n')
    expect(without(text, ['c'])).toBe('{\n  "a": 1, // one\n  // about b\n  "b": 2\n}\n')
    expect(without(text, ['missing'])).toBe(text)
    expect(without('{"a": [1]}', ['a', 0])).toBe('{"a": []}')
  })

  it('does not pull an entry into the comment before it', () => {
    expect(readJsonc(without('{ // x\n "a": 1, "b": 2}', ['a']))).toEqual({ b: 2 })
  })

  it.each([
    '{',
    '{"a"}',
    '{"a":1 "b":2}',
    '{a: 1}',
    '[1,,2]',
    '{} {}',
    '/* open',
    '{"a": "\n"}',
    '{"a": 0x1}',
    'nonsense',
  ])('rejects %j without quoting it', (text) => {
    expect(() => readJsonc(text)).toThrow(JsoncError)
    expect(() => readJsonc(`${text} "s3cret`)).toThrow(expect.not.stringContaining('s3cret'))
  })

  it('rejects nesting that would exhaust the stack', () => {
    expect(() => readJsonc('['.repeat(100_000))).toThrow(/nested deeper/)
  })

  it('is the inverse of itself for any document', () => {
    const key = fc.string({ minLength: 1, maxLength: 5 }).filter((name) => name !== 'mine' && name !== '__proto__')
    const document = fc.dictionary(key, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 })
    fc.assert(
      fc.property(document, fc.constantFrom(undefined, 1, 4, '\t'), fc.jsonValue(), (value, indent, mine) => {
        const text = JSON.stringify(value, undefined, indent)
        const added = withValue(text, ['mine', 'deep'], mine)
        expect(readJsonc(added)).toEqual({ ...JSON.parse(text), mine: { deep: JSON.parse(JSON.stringify(mine)) } })
        expect(readJsonc(without(added, ['mine']))).toEqual(JSON.parse(text))
        const listed = withItem(withItem(text, ['mine'], mine), ['mine'], 2)
        expect(readJsonc(without(listed, ['mine', 0]))).toEqual({ ...JSON.parse(text), mine: [2] })
      }),
      { numRuns: 200 },
    )
  })
})
