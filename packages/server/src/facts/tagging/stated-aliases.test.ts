import { expect, it } from 'vitest'
import { type EntityMention, type EntityType, nameKey } from '../../core/entity.js'
import { withStatedAliases } from './stated-aliases.js'

const named = (name: string, type: EntityType = 'PERSON'): EntityMention => ({
  name,
  type,
  key: nameKey(name),
  aliases: [],
})
const user: EntityMention = { name: 'ana', type: 'PERSON', key: 'user:ana', aliases: [] }
const aliasesIn = (content: string, ...mentions: readonly EntityMention[]) =>
  withStatedAliases(content, mentions).flatMap(({ name, aliases }) => aliases.map((alias) => `${name}=${alias}`))

const companies = [named('International Business Machines', 'ORG'), named('IBM', 'ORG')]

it.each([
  ['Melanie (Mel) called.', ['Melanie', 'Mel'], ['Melanie=Mel']],
  ['Mel (Melanie) called.', ['Mel', 'Melanie'], ['Melanie=Mel']],
  ['Mel, short for Melanie, called.', ['Mel', 'Melanie'], ['Melanie=Mel']],
  ['Mel is short for Melanie.', ['Mel', 'Melanie'], ['Melanie=Mel']],
  ['Robert Smith, also known as Bobcat, came.', ['Robert Smith', 'Bobcat'], ['Robert Smith=Bobcat']],
  ['Margaret, but everyone calls her Peggy.', ['Margaret', 'Peggy'], ['Margaret=Peggy']],
  ['Melanie goes by "Lanie" at work.', ['Melanie', 'Lanie'], ['Melanie=Lanie']],
])('%s', (content, names, expected) => {
  expect(aliasesIn(content, ...names.map((name) => named(name)))).toEqual(expected)
})

it('reads initials in brackets, in either order', () => {
  expect(aliasesIn('She joined International Business Machines (IBM).', ...companies)).toEqual([
    'International Business Machines=IBM',
  ])
  expect(aliasesIn('IBM (International Business Machines) hired her.', ...companies)).toEqual([
    'International Business Machines=IBM',
  ])
  expect(aliasesIn('IBM stands for International Business Machines.', ...companies)).toHaveLength(1)
})

it('knows the name of the speaker', () => {
  expect(aliasesIn('My name is Melanie, but call me Mel.', user, named('Melanie'), named('Mel'))).toEqual([
    'ana=Melanie',
    'ana=Mel',
  ])
})

it.each([
  ["Hi! I'm Marta Lindqvist, I'm 34.", ['ana=Marta Lindqvist']],
  ["I'm Marta Lindqvist", ['ana=Marta Lindqvist']],
  ["I'm Marta Lindqvist's sister.", []],
  ["I'm Marta Lindqvist fan number one.", []],
  ['She said "hi, I\'m Marta Lindqvist."', []],
])('takes a name after "I\'m" for the speaker\'s own only if it stands alone: %s', (content, expected) => {
  expect(aliasesIn(content, user, named('Marta Lindqvist'))).toEqual(expected)
})

it.each([
  ['Melanie and Mel called.', ['Melanie', 'Mel']],
  ['Anna (Tom) called.', ['Anna', 'Tom']],
  ['Anna knows Tom.', ['Anna', 'Tom']],
  ['Melissa saw Mel.', ['Melissa', 'Mel']],
])('%s: joins nothing that the words do not', (content, names) => {
  expect(aliasesIn(content, ...names.map((name) => named(name)))).toEqual([])
})

it('joins only names of the same type, and handles long texts and many names quickly', () => {
  expect(aliasesIn('Melanie (Mel) called.', named('Melanie'), named('Mel', 'ORG'))).toEqual([])
  const many = Array.from({ length: 500 }, (_, i) => named(`A${i}`))
  expect(aliasesIn('A1 (A) '.repeat(7_000), named('A'), ...many)).toEqual([])
})
