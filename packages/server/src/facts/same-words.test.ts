import { expect, it } from 'vitest'
import { areNumberedApart } from './same-words.js'

it.each([
  ['Box 3 of ana holds 21 marbles', 'Box 8 of ana holds 56 marbles'],
  ['The room 12 is booked', 'Room 14 is free now'],
])('treats "%s" and "%s" as statements about two things', (old, fresh) => {
  expect(areNumberedApart(fresh, old)).toBe(true)
})

it.each([
  ['Box 3 holds 21 marbles', 'Box 3 holds 20 marbles'],
  ['Box 3 holds 21 marbles', 'Shelf 4 holds 20 marbles'],
  ['We meet in room 12', 'We meet in room 14'],
  ['May 12 is the deadline', 'May 14 is the deadline'],
  ['Budget 300 euros', 'Budget 350 euros'],
  ['In 2024 was the move', 'In 2025 was the move'],
])('does not treat "%s" and "%s" as statements about two numbered things', (old, fresh) => {
  expect(areNumberedApart(fresh, old)).toBe(false)
})
