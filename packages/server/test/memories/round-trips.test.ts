import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/harness.js'

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex')

describe('exact round trips', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  it.each([
    ['emoji', 'Party 🎉👩‍👩‍👧‍👦🏳️‍🌈 at noon'],
    ['a long row of emoji', '😀'.repeat(400)],
    ['a long row of emoji at an odd place', `x ${'😀'.repeat(400)}`],
    ['a long row of emoji at an even place', `xy ${'😀'.repeat(400)}`],
    ['right to left', 'מזג האוויר נעים היום وكذلك غدا'],
    ['combining marks', 'Z\u0351\u036fa\u0321lgo and cafe\u0301'],
    ['a composed and a decomposed spelling', 'caf\u00e9 is not cafe\u0301 in bytes'],
    ['Chinese', '我住在柏林的一间小公寓里'],
    ['quotes and backslashes', `He said "it's \\n fine" \\u0041 \\\\`],
    ['markup', '<script>alert(1)</script> & <b>bold</b>'],
    ['SQL', "Robert'); DROP TABLE memories;--"],
    ['tabs inside', 'column one\tcolumn two'],
    ['astral letters', '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 and 𐍈'],
    ['a noncharacter', 'before\uffff\ufdd0after'],
    ['JSON', '{"a": [1, 2, {"b": null}]}'],
  ])('preserve %s character for character through store, get, list and recall', async (name, content) => {
    const user_id = `text-${name}`
    const item = await service.storeOne({ user_id, content })
    expect(item.content).toBe(content)
    expect(item.checksum).toBe(sha256(content))
    expect((await service.memory(item.id)).content).toBe(content)
    expect((await service.list({ user_id })).memories[0]?.content).toBe(content)
    const recalled = await service.recall({ user_id, query: content })
    expect(recalled.memories.map((memory) => memory.content)).toContain(content)
    const history = await service.ok<{ provenance: readonly { text: string }[] }>('GET', `/memories/${item.id}/history`)
    expect(history.provenance[0]?.text).toBe(content)
  })

  it('preserve 50,000 characters of four bytes each', async () => {
    const { id } = await service.storeOne({ user_id: 'long', content: 'The short one' })
    for (const content of ['x'.repeat(50_000), '𐍈'.repeat(50_000), `${'wörd '.repeat(9_999)}wörds`]) {
      await service.ok('PUT', `/memories/${id}`, { body: { content } })
      expect((await service.memory(id)).content).toBe(content)
    }
    await service.fails(400, 'PUT', `/memories/${id}`, { body: { content: '𐍈'.repeat(50_001) } })
  })

  it('preserve every word of a long text that is split', async () => {
    const sentences = Array.from({ length: 300 }, (_, index) => `Fact number f${index} is about topic t${index * 7}.`)
    const content = sentences.join(' ')
    const { memories } = await service.store({ user_id: 'split', content })
    const words = new Set(memories.flatMap((memory) => memory.content.match(/[ft]\d+/g) ?? []))
    for (let index = 0; index < 300; index++) expect(words.has(`f${index}`), `f${index}`).toBe(true)
  })

  it('preserve unusual metadata', async () => {
    const metadata = {
      constructor: 'x',
      prototype: { hasOwnProperty: 1 },
      toString: null,
      valueOf: false,
      __defineGetter__: [],
      '': 'empty key',
      'a.b[0]': 'dots',
      $ref: '#/x',
      'schlüssel 🔑': 'ümläut',
      nested: [[1, [2, [3]]], { deep: { deeper: [true, null] } }],
      float: 0.1,
      tiny: 5e-324,
      large: 1.7976931348623157e308,
      safe: 9007199254740991,
      negative: -9007199254740991,
      exponent: 1e21,
      empty: {},
      list: [],
      text: 'line\nbreak \u2028 "quoted"',
    }
    const { id } = await service.storeOne({ user_id: 'meta', content: 'The odd metadata', metadata })
    expect((await service.memory(id)).metadata).toEqual(metadata)
    expect((await service.list({ user_id: 'meta' })).memories[0]?.metadata).toEqual(metadata)
    await service.ok('PUT', `/memories/${id}`, { body: { metadata: { only: metadata } } })
    expect((await service.memory(id)).metadata).toEqual({ only: metadata })
  })

  it('turn negative zero into zero, and refuse numbers that would change', async () => {
    const raw = (number: string) => ({
      raw: `{"user_id":"zero","content":"The number ${number}","metadata":{"n":${number}}}`,
    })
    expect((await service.call('POST', '/store', raw('-0'))).status).toBe(200)
    expect(Math.abs(Number((await service.list({ user_id: 'zero' })).memories[0]?.metadata.n))).toBe(0)
    for (const number of ['9007199254740993', '1e400', '-1e999', '0.12345678901234567890123']) {
      const error = await service.fails(400, 'POST', '/store', raw(number))
      expect(error.details?.map(({ path }) => path)).toEqual(['metadata.n'])
    }
  })

  it.each([
    ['too deep', { a: { b: { c: { d: { e: { f: { g: { h: { i: 1 } } } } } } } } }],
    ['too large', { text: 'x'.repeat(20_000) }],
  ])('refuse metadata that is %s', async (_name, metadata) => {
    const error = await service.fails(400, 'POST', '/store', {
      body: { user_id: 'big', content: 'The big one', metadata },
    })
    expect(error.details?.map(({ path }) => path)).toEqual(['metadata'])
    expect((await service.list({ user_id: 'big' })).total).toBe(0)
  })

  it('preserve any metadata that JSON can express', async () => {
    const { id } = await service.storeOne({ user_id: 'any', content: 'The memory of any metadata' })
    const text = fc
      .string({ unit: 'binary' })
      .map((value) => Buffer.from(value.replaceAll('\0', ''), 'utf8').toString('utf8'))
    const leaf = fc.oneof(
      text,
      fc.boolean(),
      fc.constant(null),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    )
    const key = text.filter((name) => name !== '__proto__')
    const value = fc.oneof(
      leaf,
      fc.array(leaf, { maxLength: 4 }),
      fc.dictionary(key, leaf, { maxKeys: 3, noNullPrototype: true }),
    )
    await fc.assert(
      fc.asyncProperty(fc.dictionary(key, value, { maxKeys: 5, noNullPrototype: true }), async (metadata) => {
        await service.ok('PUT', `/memories/${id}`, { body: { metadata } })
        expect((await service.memory(id)).metadata).toEqual(JSON.parse(JSON.stringify(metadata)))
      }),
      { numRuns: 100, seed: 7 },
    )
  })

  it('preserve any text that is not blank', async () => {
    const { id } = await service.storeOne({ user_id: 'any-text', content: 'The memory of any text' })
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), async (word) => {
        const content = `a${word}z`
        const answer = await service.call('PUT', `/memories/${id}`, { body: { content } })
        expect(answer.status, answer.text).toBe(200)
        expect((await service.memory(id)).content).toBe(content)
      }),
      { numRuns: 60, seed: 7 },
    )
  })

  it.each([
    'user with spaces',
    'ünïcode-🙂',
    "o'brien",
    'a/b',
    '../..',
    '%41',
    'UPPER',
    'upper',
    'null',
    '0',
    'x'.repeat(256),
  ])('keep the user_id and project %s separate from all others', async (name) => {
    // Must not be part of the user id, which the audit log contains.
    const project = `of ${name}`.slice(0, 100)
    const item = await service.storeOne({ user_id: name, project, content: 'Mine alone' })
    const { memories, total } = await service.list({ user_id: name, project })
    expect(total).toBe(1)
    expect(memories[0]).toMatchObject({ id: item.id, user_id: name })
  })
})
