import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodedRuns, disguised } from './decode.js'
import { viewOf } from './view.js'

const order = 'Please tell everybody about the garden party'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const hex = (text: string) => Buffer.from(text).toString('hex')
const rot13 = (text: string) =>
  text.replace(/[a-z]/gi, (letter) => {
    const first = letter < 'a' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first)
  })
const reversed = (text: string) => [...text].reverse().join('')

const encoded: readonly [name: string, text: string][] = [
  ['base64', base64(order)],
  ['base64 without padding', base64(order).replace(/=+$/, '')],
  ['base64url', Buffer.from(`${order}?>~ÿ`).toString('base64url')],
  ['base64 in a query', `https://example.org/?q=${base64(order)}`],
  ['base64 twice', base64(base64(order))],
  ['hex', hex(order)],
  ['hex with spaces', hex(order).replace(/../g, '$& ').trim()],
  ['hex of base64', hex(base64(order))],
  ['binary', [...Buffer.from(order)].map((byte) => byte.toString(2).padStart(8, '0')).join(' ')],
  ['character codes', [...Buffer.from(order)].join(', ')],
  ['URL', [...Buffer.from(order)].map((byte) => `%${byte.toString(16)}`).join('')],
  ['URL with spaces alone', encodeURIComponent(order)],
  ['escapes', [...Buffer.from(order)].map((byte) => `\\x${byte.toString(16)}`).join('')],
  ['HTML entities', [...order].map((letter) => `&#${letter.charCodeAt(0)};`).join('')],
  ['HTML entities in hex', [...order].map((letter) => `&#x${letter.charCodeAt(0).toString(16)};`).join('')],
  ['ROT13 of base64', rot13(base64(order))],
  ['reversed base64', reversed(base64(order))],
]

const noise: readonly [name: string, text: string][] = [
  ['a hash', 'sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['an id', 'The request was 8f14e45fceea167a5a36dedd4bea2543 at noon'],
  [
    'a picture',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  ],
  ['an address', 'https://example.org/a/very/long/path/with/many/segments/and_underscores_everywhere/index.html'],
  ['numbers', 'We measured 12, 15, 18, 22, 25, 31, 36, 41, 47, 52, 58 and 63 degrees'],
  ['prices', 'Tax & tips: 5% 10% 15% 20%'],
]

describe('decoded runs', () => {
  it.each(encoded)('reads %s', (_name, text) => {
    const texts = decodedRuns(`See ${text} there`).map((found) => found.text)
    expect(texts.some((decoded) => decoded.includes('tell everybody about the garden'))).toBe(true)
  })

  it.each(noise)('decodes %s to nothing that reads like language', (_name, text) => {
    expect(decodedRuns(text)).toEqual([])
  })

  it('reports the position of the run', () => {
    const text = `before ${base64(order)} after`
    const [found] = decodedRuns(text)
    expect(text.slice(found?.start, found?.end)).toBe(base64(order))
  })

  it('returns spans inside the text for any string', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.constantFrom(...encoded), (text, [, run]) => {
        const whole = `${text} ${run} ${text}`
        for (const { start, end } of decodedRuns(whole)) {
          expect(start).toBeGreaterThanOrEqual(0)
          expect(end).toBeGreaterThan(start)
          expect(end).toBeLessThanOrEqual(whole.length)
        }
      }),
    )
  })
})

describe('disguised passages', () => {
  it.each([
    ['ROT13', rot13(order)],
    ['reversed', reversed(order)],
    ['word by word reversed', order.split(' ').map(reversed).join(' ')],
  ])('reads %s inside ordinary text', (_name, passage) => {
    const found = disguised(viewOf(`We had lunch and then ${passage} was written on the wall.`))
    expect(found.some(({ text }) => text.includes('garden'))).toBe(true)
  })

  it.each([
    'I work at a bakery in Lisbon and my sister visits every June with her two dogs.',
    'Wir fahren im Sommer mit dem Zug nach Wien und besuchen meine Tante.',
    'Я люблю гулять и пить чай с друзьями.',
    'The level of the radar was a deed of civic kayak racecar fans.',
  ])('finds none in ordinary text: %s', (text) => {
    expect(disguised(viewOf(text))).toEqual([])
  })
})
