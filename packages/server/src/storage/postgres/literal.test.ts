import { describe, expect, it } from 'vitest'
import { literalOf } from './literal.js'

describe('a value inside a statement', () => {
  it('leaves no quote and no backslash of a text that could end it', () => {
    const written = literalOf(`x'; DROP TABLE memories; --\\' \\\\' E'y`)
    const inside = written.slice(2, -1)
    expect(written.startsWith(`E'`)).toBe(true)
    expect(written.endsWith(`'`)).toBe(true)
    expect(inside).not.toContain(`'`)
    expect(inside.replaceAll('\\u005C', '').replaceAll('\\u0027', '')).not.toContain('\\')
  })

  it.each([
    [null, 'NULL'],
    [true, 'TRUE'],
    [-12, '-12'],
    ['Zoë', `E'Zoë'`],
    [[1, 2], `'{1,2}'`],
    [[], `'{}'`],
    [['a', `b'`], `ARRAY[E'a',E'b\\u0027']`],
  ])('writes %j as %s', (value, written) => {
    expect(literalOf(value)).toBe(written)
  })

  it('refuses a NUL, bytes and a number that is not finite', () => {
    expect(() => literalOf('a\0b')).toThrow('NUL')
    expect(() => literalOf(['a\0b'])).toThrow('NUL')
    expect(() => literalOf(Number.NaN)).toThrow('finite')
    expect(() => literalOf([1, Number.POSITIVE_INFINITY])).toThrow('finite')
    expect(() => literalOf(new Uint8Array(2))).toThrow('parameter')
  })
})
