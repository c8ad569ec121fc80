import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entityTypes, nameKey, relationshipTypes } from './entity.js'

describe('the key of a name', () => {
  it.each([
    ['Acme Corp', 'ACME corp.'],
    ['Acme', 'Acme, Inc.'],
    ['Acme', 'Acme GmbH'],
    ['Zoë', 'Zoe'],
    ["O'Brien", 'O’Brien'],
    ['Jean-Luc', 'jean luc'],
    ['New  York', ' new york '],
    ['Ｔｏｋｙｏ', 'Tokyo'],
  ])('treats %j and %j as one entity', (left, right) => {
    expect(nameKey(left)).toBe(nameKey(right))
  })

  it.each([
    ['Ann', 'Anna'],
    ['Acme Corp', 'Apex Corp'],
    ['John Smith', 'John'],
    ['Company', 'Company of Heroes'],
    ['Q3', 'Q4'],
    ['李', '王'],
  ])('keeps %j and %j apart', (left, right) => {
    expect(nameKey(left)).not.toBe(nameKey(right))
  })

  it('keeps a name that consists only of a suffix', () => {
    expect(nameKey('Company')).toBe('company')
    expect(nameKey('Inc')).toBe('inc')
  })

  it('is empty only for a name without a letter or digit', () => {
    expect(nameKey('?! …')).toBe('')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const key = nameKey(name)
        expect(key).toBe(key.trim())
        if (/[a-z0-9]/i.test(name)) expect(key).not.toBe('')
      }),
    )
  })
})

it('lists every type of the specification once', () => {
  expect(entityTypes).toEqual(expect.arrayContaining(['PERSON', 'ORG']))
  expect(relationshipTypes).toContain('WORKS_AT')
  expect(new Set(entityTypes).size).toBe(6)
  expect(new Set(relationshipTypes).size).toBe(22)
})
