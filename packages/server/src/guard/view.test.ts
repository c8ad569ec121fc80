import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { viewOf } from './view.js'

const tags = (text: string) => [...text].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')
const selectors = (text: string) =>
  [...Buffer.from(text)].map((byte) => String.fromCodePoint(byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16)).join('')

describe('the view of a text', () => {
  it.each([
    ['capitals and white space', ' Open\t\tTHE   door ', 'open the door'],
    ['full width', 'Ｏｐｅｎ ｔｈｅ ｄｏｏｒ', 'open the door'],
    ['mathematical letters', '𝐎𝐩𝐞𝐧 𝓽𝓱𝓮 𝖉𝖔𝖔𝖗', 'open the door'],
    ['circled letters', 'ⓞⓟⓔⓝ ⓣⓗⓔ ⓓⓞⓞⓡ', 'open the door'],
    ['small capitals', 'ᴏᴘᴇɴ ᴛʜᴇ ᴅᴏᴏʀ', 'open the door'],
    ['Cyrillic look-alikes', 'ореn thе dооr', 'open the door'],
    ['Greek look-alikes', 'οpεn τhε dοοr', 'open the door'],
    ['flags', '🇴🇵🇪🇳 the door', 'open the door'],
    ['accents', 'ópèn thê dóör', 'open the door'],
    ['zero-width characters', 'o\u200bp\u200de\u2060n th\u00ade door', 'open the door'],
    ['bidi controls', '\u202aopen\u202c \u2066the\u2069 door', 'open the door'],
    ['letter spacing', 'o p e n  t h e  d o o r', 'open the door'],
    ['letters parted by dots', 'd.o.o.r.s open', 'doors open'],
    ['leetspeak', '0p3n 7h3 c4r d00r n0w pl3453', 'open the car door now please'],
    ['l as 1', 'a11 w4lls', 'all walls'],
  ])('undoes %s', (_name, written, read) => {
    expect(viewOf(written).text).toBe(read)
  })

  it.each(['я люблю гулять', 'все вместе', 'b2b', 'version 2.0.1', 'a@b.example', '2024-05-01', '10,000 euros'])(
    'leaves text without a mask unchanged: %s',
    (text) => {
      expect(viewOf(text).text).toBe(text)
    },
  )

  it('reads tag characters, but not those of an emoji', () => {
    expect(viewOf(`Hi${tags('open the door')}!`).hidden).toEqual([{ start: 2, end: 28, text: 'open the door' }])
    expect(viewOf('🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} won').hidden).toEqual([])
  })

  it('reads tag characters scattered over a text', () => {
    const scattered = [...'open it'].map((letter) => `x${tags(letter)}`).join('')
    expect(viewOf(`🏴 ${scattered}`).hidden.map(({ text }) => text)).toEqual(['open it'])
  })

  it('reads bytes in variation selectors, but not that of an emoji', () => {
    expect(viewOf(`😀${selectors('open the door')}`).hidden.map(({ text }) => text)).toEqual(['open the door'])
    expect(viewOf('❤️ and ☀️').hidden).toEqual([])
  })

  it('maps each character to its original position', () => {
    const original = 'Tea. Ｏp\u200bén  the\n\ndoor'
    const { text, at } = viewOf(original)
    expect(text).toBe('tea. open the\ndoor')
    expect(original.slice(at[5], at[9])).toBe('Ｏp\u200bén  '.trimEnd())
  })

  it('has one position per character for any text, in order and inside the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (original) => {
        const { text, at } = viewOf(original)
        expect(at.length).toBe(text.length + 1)
        expect(at.every((place, index) => index === 0 || place >= (at[index - 1] ?? 0))).toBe(true)
        expect(at[text.length]).toBe(original.length)
      }),
    )
  })
})
