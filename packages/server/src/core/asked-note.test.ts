import { expect, it } from 'vitest'
import { askedNote, withoutAskedNote } from './asked-note.js'

it.each([
  [`In Berlin.${askedNote('Where do you live?')}`, 'In Berlin.'],
  [`In Berlin.${askedNote('')}`, 'In Berlin.'],
  ['In Berlin.', 'In Berlin.'],
  ['She said “no” (asked: “why”) twice', 'She said “no” (asked: “why”) twice'],
  ['(asked: “why”)', '(asked: “why”)'],
  [' (asked: “a” and “b”)', ' (asked: “a” and “b”)'],
  ['', ''],
])('removes the question from %j', (content, said) => {
  expect(withoutAskedNote(content)).toBe(said)
})
