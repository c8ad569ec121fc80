import { describe, expect, it } from 'vitest'
import { mayBeRepetition } from './same-words.js'

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
  ])('is false for opposites, in either order: %s / %s', (one, other) => {
    expect(mayBeRepetition(one, other)).toBe(false)
    expect(mayBeRepetition(other, one)).toBe(false)
  })

  it.each([
    ['The shop is open on Sundays.', 'the shop is open on sundays'],
    ['I never eat meat.', 'I do not eat meat.'],
    ['My flight leaves at noon.', 'The plane I take departs at 12.'],
    ['I play chess.', 'I play chess with my neighbour Bob on Fridays.'],
  ])('is true for the same in other words, or with more of them: %s / %s', (one, other) => {
    expect(mayBeRepetition(one, other)).toBe(true)
    expect(mayBeRepetition(other, one)).toBe(true)
  })

  it('is false for a paraphrase that differs in one or two words, since these may be another value', () => {
    expect(mayBeRepetition('I live in Leeds with 2 cats', 'my home is Leeds, together with 2 cats')).toBe(false)
  })
})
