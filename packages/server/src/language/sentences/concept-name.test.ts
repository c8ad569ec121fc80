import { describe, expect, it } from 'vitest'
import { conceptName } from './concept-name.js'

const named = (text: string, options = {}) => conceptName({ words: text.split(' '), ...options })?.join(' ') ?? null

describe('the name of a thing that is liked', () => {
  it.each([
    ['sushi', 'sushi'],
    ['my new green tea', 'green tea'],
    ['smell of coffee right', 'smell of coffee'],
    ['winter', 'winter'],
    ['family', 'family'],
  ])('is the noun phrase without determiners and adverbs: %s', (text, name) => {
    expect(named(text)).toBe(name)
  })

  it.each([
    ['swimming', 'swimming'],
    ['geocaching', 'geocaching'],
    ['playing beach volleyball', 'beach volleyball'],
    ['listening jazz', 'jazz'],
  ])('is the activity, or the thing that an activity is about: %s', (text, name) => {
    expect(named(text)).toBe(name)
  })

  it.each([
    'waiting',
    'being late',
    'helping people',
    'immersing ourselves',
    'spending time',
    'theme from a movie',
    'really long scary old movies',
    'gorgeous',
    'cars quickly sold',
    'it',
    'right away',
  ])('does not exist for %s', (text) => {
    expect(named(text)).toBeNull()
  })

  it('is the object of an infinitive, never the verb', () => {
    expect(named('watch a football match', { infinitive: true })).toBe('football match')
    expect(named('relax', { infinitive: true })).toBeNull()
  })

  it('does not exist for the beginning of a longer phrase', () => {
    expect(named('homemade shrimp', { unfinished: true })).toBeNull()
  })
})
