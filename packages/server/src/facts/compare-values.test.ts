import { expect, it } from 'vitest'
import { compareValues } from './compare-values.js'

const compare = (slot: string, old: string, fresh: string, told: { change?: boolean; another?: boolean } = {}) =>
  compareValues({ slot, value: old }, { slot, value: fresh, ...told })

it.each([
  ['acme', 'acme', 'same'],
  ['acme', 'globex', 'against'],
  ['june', 'june 14', 'finer'],
  ['june 14', 'june', 'coarser'],
  ['acme', '!acme', 'against'],
  ['acme', '!globex', 'beside'],
  ['!acme', 'acme', 'against'],
  ['!acme', 'globex', 'beside'],
  ['!acme', '!globex', 'beside'],
  ['engaged tom', '!tom', 'against'],
  ['engaged tom', '!om', 'beside'],
  ['acme', '-', 'against'],
  ['-', 'acme', 'against'],
  ['acme', '!*', 'against'],
  ['!*', 'acme', 'beside'],
  ['*', 'acme', 'same'],
  ['acme', '*', 'against'],
  ['!acme', '*', 'beside'],
])('compares single values: %s, then %s is %s', (old, fresh, comparison) => {
  expect(compare('WORKS_AT|me', old, fresh)).toBe(comparison)
})

it.each([
  ['yes', 'no', 'against'],
  ['no', 'yes', 'against'],
  ['yes anna', 'no', 'against'],
  ['yes anna', 'no anna', 'against'],
  ['yes', 'no anna', 'beside'],
  ['no', 'yes anna', 'against'],
  ['no anna', 'yes', 'beside'],
  ['yes', 'yes anna', 'finer'],
  ['yes anna', 'yes', 'coarser'],
  ['yes anna', 'yes tom', 'beside'],
])('compares affirmation and denial: %s, then %s is %s', (old, fresh, comparison) => {
  expect(compare('HOLDS|me|play tennis', old, fresh)).toBe(comparison)
})

it('keeps several values where several are possible, until a text says otherwise', () => {
  expect(compare('SOME|me|drive', 'volvo', 'kia')).toBe('beside')
  expect(compare('SOME|me|drive', 'volvo', 'kia', { change: true })).toBe('against')
  expect(compare('SOME|me|drive', 'volvo', '!volvo')).toBe('against')
  expect(compare('SOME|the rent|be', '900 euro', '950 euro')).toBe('against')
  expect(compare("LIVES_IN|~me's sister", 'rome', 'oslo')).toBe('beside')
  expect(compare("LIVES_IN|~me's sister", 'rome', 'oslo', { change: true })).toBe('against')
  expect(compare("LIVES_IN|~~me's colleague", 'rome', 'oslo', { change: true })).toBe('beside')
  expect(compare('WHEN|meeting|at|time', '3', '5', { another: true })).toBe('beside')
})
