import fc from 'fast-check'
import { expect, it } from 'vitest'
import { normalForm } from './normal-form.js'

it.each([
  ["I'm a vegetarian.", 'I am a vegetarian!'],
  ['I have two cats.', 'I have 2 cats'],
  ['I like tea and coffee.', 'I like coffee and tea.'],
  ['My hobbies are chess, running and cooking.', 'my hobbies are cooking, chess and running'],
  ["I don't like olives", 'I do not like olives.'],
  ["I can't swim.", 'I cannot swim.'],
  ['By the way, my dog is called Rex.', 'My dog is called Rex.'],
  ['Oh, and I really live in Rome.', 'I live in Rome'],
  ['My sister’s name is Eve.', "My sister's name is Eve."],
])('is the same for %s and %s', (one, other) => {
  expect(normalForm(one)).toBe(normalForm(other))
})

it.each([
  ['I have 2 cats.', 'I have 3 cats.'],
  ['I like olives.', 'I do not like olives.'],
  ['Tom likes Anna.', 'Anna likes Tom.'],
  ['I like Tom and Anna likes me.', 'I like Anna and Tom likes me.'],
  ['My flight is on May 5.', 'My flight is on May 6.'],
  ['I live in Rome.', 'I lived in Rome.'],
  ['You live in Rome.', 'You live in Rome?'],
  ['It costs 1.5 euros.', 'It costs 15 euros.'],
  ['I know C.', 'I know C++.'],
  ['I earn -5.', 'I earn 5%.'],
  ['+', '?'],
])('differs between %s and %s', (one, other) => {
  expect(normalForm(one)).not.toBe(normalForm(other))
})

it('ignores trailing space in any text, and is empty for an empty text', () => {
  expect(normalForm('')).toBe('')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
      expect(normalForm(`${text} `)).toBe(normalForm(text))
    }),
  )
})
