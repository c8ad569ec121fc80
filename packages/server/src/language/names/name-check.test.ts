import { describe, expect, it } from 'vitest'
import type { EntityType } from '../../core/entity.js'
import { canBeName } from './name-check.js'

function check(sentence: string, name: string, type: EntityType, score: number): boolean {
  const start = sentence.indexOf(name)
  return canBeName(sentence, { start, end: start + name.length, type, score })
}

describe('names that the model proposes', () => {
  it.each<[string, string, EntityType, number]>([
    ['My brother M. is coming.', 'M.', 'PERSON', 0.99],
    ['Answer with Y or N.', 'N', 'PERSON', 0.98],
    ['See section III.', 'III', 'PERSON', 0.9],
    ["We're hiring a UX designer.", 'UX', 'ORG', 0.97],
    ['HR says hi.', 'HR', 'ORG', 0.96],
    ['That bill just keeps climbing.', 'bill', 'PERSON', 0.99],
    ['We met at the food bank.', 'food bank', 'ORG', 0.9],
    ['Then pbar.update(1) runs.', 'pbar', 'ORG', 0.6],
    ['Set X_test to zero.', 'X_test', 'ORG', 0.6],
    ['It is set in a small Midwestern town.', 'Midwestern', 'LOCATION', 0.88],
    ['Sharp, my guy!', 'Sharp', 'PERSON', 0.98],
  ])('are rejected if they are letters, numerals, code or ordinary words: %s', (sentence, name, type, score) => {
    expect(check(sentence, name, type, score)).toBe(false)
  })

  it.each<[string, string, EntityType, number]>([
    ['then zuri joined', 'zuri', 'PERSON', 0.9],
    ['or that place near tesco', 'tesco', 'ORG', 0.5],
    ['Grace called again.', 'Grace', 'PERSON', 0.9],
    ['I moved to the US.', 'US', 'LOCATION', 0.9],
    ['I work at HP now.', 'HP', 'ORG', 0.7],
    ['Ask @dave_92 about it.', 'dave_92', 'PERSON', 0.5],
    ['mark said hi', 'mark', 'PERSON', 0.99],
    ['Dinner at the Blue Lagoon.', 'Blue Lagoon', 'ORG', 0.4],
  ])('are kept if a list, a capital or the context supports them: %s', (sentence, name, type, score) => {
    expect(check(sentence, name, type, score)).toBe(true)
  })
})
