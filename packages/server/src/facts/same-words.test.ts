import { describe, expect, it } from 'vitest'
import { areNumberedApart, mayBeRepetition } from './same-words.js'

describe('mayBeRepetition', () => {
  it.each([
    ['The feature flag is enabled.', 'The feature flag is disabled.'],
    ['The shop is open on Sundays.', 'The shop is closed on Sundays.'],
    ['I take my coffee with milk.', 'I take my coffee without milk.'],
    ['I prefer tea over coffee.', 'I prefer coffee over tea.'],
    ['My sister is older than me.', 'My sister is younger than me.'],
    ['Tom is taller than Ben.', 'Ben is taller than Tom.'],
    ['Always squash commits before merging.', 'Never squash commits before merging.'],
    ['I like working from home.', 'working from home is not for me'],
    ['The invoice is paid.', 'The invoice is unpaid.'],
    ['The left knee hurts.', 'The right knee hurts.'],
    ['The bathroom is upstairs.', 'The bathroom is downstairs.'],
    ['I don’t like olives.', 'I like olives.'],
    ['I sleep with the window open.', 'I sleep with the window closed.'],
    ['In summer our mower lives in the shed', 'the mower goes to the cellar for the winter, like every year'],
  ])('is false for opposites, in either order: %s / %s', (one, other) => {
    expect(mayBeRepetition(one, other)).toBe(false)
    expect(mayBeRepetition(other, one)).toBe(false)
  })

  it.each([
    ['The shop is open on Sundays.', 'the shop is open on sundays'],
    ['I never eat meat.', 'I do not eat meat.'],
    ['My flight leaves at noon.', 'The plane I take departs at 12.'],
  ])('is true for the same in other words, in either order: %s / %s', (one, other) => {
    expect(mayBeRepetition(one, other)).toBe(true)
    expect(mayBeRepetition(other, one)).toBe(true)
  })

  it('is true for a text that says more, and for one that says less', () => {
    const [less, more] = ['I play chess.', 'Fridays are for chess with my neighbour Bob.']
    expect(mayBeRepetition(more, less)).toBe(true)
    expect(mayBeRepetition(less, more)).toBe(true)
  })

  it('is false for another one of the same, and true for the same one', () => {
    expect(mayBeRepetition('My aunt also knits for the hospice', 'Somebody in my family knits for a hospice')).toBe(
      false,
    )
    expect(mayBeRepetition('another wasp sting, this time at the lake', 'I got stung by a wasp')).toBe(false)
    expect(mayBeRepetition('a wasp got me', 'I got stung by a wasp')).toBe(true)
  })

  it('is false for the same words about another person', () => {
    expect(mayBeRepetition('My name is Kate Brown', 'Her name is Kate Brown')).toBe(false)
  })
})

describe('areNumberedApart', () => {
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
})
