import fc from 'fast-check'
import { expect, it } from 'vitest'
import { diffWords, type Piece } from './diff.js'

const side = (pieces: readonly Piece[], without: Piece['kind']) =>
  pieces
    .filter(({ kind }) => kind !== without)
    .map(({ text }) => text)
    .join('')

it('reproduces both texts from the pieces, for any texts', () => {
  const text = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom('a', 'b', ' ', '\n', 'a b')).map((words) => words.join('')),
  )
  fc.assert(
    fc.property(text, text, (before, after) => {
      const pieces = diffWords(before, after)
      expect(side(pieces, 'added')).toBe(before)
      expect(side(pieces, 'removed')).toBe(after)
    }),
  )
})

it('marks only the words that changed', () => {
  expect(diffWords('Tom lives in Berlin now', 'Tom lives in Hamburg now')).toEqual([
    { kind: 'same', text: 'Tom lives in ' },
    { kind: 'removed', text: 'Berlin' },
    { kind: 'added', text: 'Hamburg' },
    { kind: 'same', text: ' now' },
  ])
})

it('returns both texts unsplit if a comparison would take too long', () => {
  const long = Array.from({ length: 3000 }, (_, index) => `w${index}`).join(' ')
  expect(diffWords(long, `${long} more`).map(({ kind }) => kind)).toEqual(['removed', 'added'])
})
