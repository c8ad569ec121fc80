import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checksumOf, contentKey } from './memory.js'

describe('the checksum', () => {
  it('is the SHA-256 of the content in UTF-8, in hex', () => {
    expect(checksumOf('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(checksumOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    expect(checksumOf('é')).toBe(checksumOf('\u00e9'))
  })

  it('changes with every change of the content, even an invisible one', () => {
    const texts = ['a', 'A', 'a ', ' a', 'a\n', 'é', 'e\u0301', 'а']
    expect(new Set(texts.map(checksumOf)).size).toBe(texts.length)
  })
})

describe('the content key', () => {
  it.each([
    ['John works at Acme', 'john  works\n at ACME.'],
    ['I like tea', '  I like tea!  '],
    ['Wait', 'wait…'],
    ['ｆｕｌｌ width', 'full width'],
    ['caf\u00e9', 'cafe\u0301'],
    ['no\u00a0break', 'no break'],
    ['好', '好。'],
  ])('is the same for %j and %j, which say the same in the same words', (left, right) => {
    expect(contentKey(left)).toBe(contentKey(right))
  })

  it.each([
    ['I like tea', 'I like tea?'],
    ['I have 1.5 cats', 'I have 15 cats'],
    ['a b', 'ab'],
    ['cafe', 'café'],
    ['not here', 'nothere'],
    ['C', 'C++'],
  ])('differs between %j and %j', (left, right) => {
    expect(contentKey(left)).not.toBe(contentKey(right))
  })

  it('has 32 hex digits for every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(contentKey(text)).toMatch(/^[0-9a-f]{32}$/)
        expect(contentKey(` ${text} `)).toBe(contentKey(text))
      }),
    )
  })
})
