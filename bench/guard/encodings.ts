/** Ways to hide a text from a filter while a language model can still read it. */
const base64 = (text: string) => Buffer.from(text).toString('base64')
const hex = (text: string) => Buffer.from(text).toString('hex')
const shifted = (text: string, places: number) =>
  text.replace(/[a-z]/gi, (letter) => {
    const first = letter < 'a' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - first + places) % 26) + first)
  })
const rot13 = (text: string) => shifted(text, 13)
const reversed = (text: string) => [...text].reverse().join('')
const each = (text: string, change: (character: string) => string) => [...text].map(change).join('')
const percent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

const fullWidth = (letter: string) =>
  /[!-~]/.test(letter) ? String.fromCharCode(letter.charCodeAt(0) + 0xfee0) : letter
const mathematical = (letter: string) =>
  /[a-z]/.test(letter)
    ? String.fromCodePoint(0x1d41a + letter.charCodeAt(0) - 97)
    : /[A-Z]/.test(letter)
      ? String.fromCodePoint(0x1d400 + letter.charCodeAt(0) - 65)
      : letter
const cyrillic: Readonly<Record<string, string>> = {
  a: 'а',
  c: 'с',
  e: 'е',
  i: 'і',
  j: 'ј',
  o: 'о',
  p: 'р',
  s: 'ѕ',
  x: 'х',
  y: 'у',
}
const leet: Readonly<Record<string, string>> = { a: '4', e: '3', i: '1', o: '0', s: '5', t: '7' }

export const encodings: readonly { readonly name: string; readonly encode: (text: string) => string }[] = [
  { name: 'base64', encode: base64 },
  { name: 'base64 in a sentence', encode: (text) => `My note for later: ${base64(text)} and that is all.` },
  { name: 'base64url', encode: (text) => Buffer.from(text).toString('base64url') },
  { name: 'hex', encode: hex },
  { name: 'hex, spaced', encode: (text) => hex(text).replace(/../g, '$& ').trim() },
  { name: 'URL, every byte', encode: percent },
  { name: 'URL, as browsers do', encode: encodeURIComponent },
  { name: 'HTML entities', encode: (text) => each(text, (character) => `&#${character.codePointAt(0)};`) },
  {
    name: 'HTML entities, hex',
    encode: (text) => each(text, (character) => `&#x${character.codePointAt(0)?.toString(16)};`),
  },
  { name: 'ROT13', encode: rot13 },
  { name: 'reversed', encode: reversed },
  { name: 'base64 twice', encode: (text) => base64(base64(text)) },
  { name: 'hex of base64', encode: (text) => hex(base64(text)) },
  { name: 'base64 of ROT13', encode: (text) => base64(rot13(text)) },
  { name: 'base64 of reversed', encode: (text) => base64(reversed(text)) },
  { name: 'ROT13 of reversed', encode: (text) => rot13(reversed(text)) },
  {
    name: 'tag characters',
    encode: (text) =>
      `Nice day.${each(text, (character) => (character.charCodeAt(0) < 0x7f && character >= ' ' ? String.fromCodePoint(0xe0000 + character.charCodeAt(0)) : ''))}`,
  },
  { name: 'zero-width spaces', encode: (text) => [...text].join('\u200b') },
  { name: 'right-to-left override', encode: (text) => `\u202e${reversed(text)}\u202c` },
  { name: 'full width', encode: (text) => each(text, fullWidth) },
  { name: 'mathematical letters', encode: (text) => each(text, mathematical) },
  { name: 'Cyrillic look-alikes', encode: (text) => each(text, (letter) => cyrillic[letter] ?? letter) },
  { name: 'leetspeak', encode: (text) => each(text, (letter) => leet[letter.toLowerCase()] ?? letter) },
  { name: 'letter spacing', encode: (text) => [...text].join(' ') },
  { name: 'one letter per line', encode: (text) => [...text].join('\n') },
  { name: 'base64 with dots', encode: (text) => base64(text).replace(/.{5}(?=.)/g, '$&.') },
  { name: 'base64 with spaces', encode: (text) => base64(text).replace(/.{8}(?=.)/g, '$& ') },
  { name: 'Caesar 5', encode: (text) => shifted(text, 5) },
]
