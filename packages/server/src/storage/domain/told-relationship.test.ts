import { describe, expect, it } from 'vitest'
import type { RelationshipFound } from '../../core/entity.js'
import { combined, rangeOf, stored } from './told-relationship.js'

const works: RelationshipFound = {
  sourceKey: 'john',
  targetKey: 'acme',
  type: 'WORKS_AT',
  properties: {},
  exclusive: true,
}

describe('a relationship as it is stored', () => {
  it('has one direction if it is symmetric', () => {
    expect(stored({ source: 2, target: 1, type: 'SPOUSE_OF' }, true)).toEqual({
      source: 1,
      target: 2,
      type: 'SPOUSE_OF',
    })
    expect(stored({ source: 1, target: 2, type: 'SPOUSE_OF' }, true)).toEqual({
      source: 1,
      target: 2,
      type: 'SPOUSE_OF',
    })
    expect(stored({ source: 2, target: 1, type: 'LIKES' }, true)).toEqual({ source: 2, target: 1, type: 'LIKES' })
  })

  it('is REPORTS_TO if a person manages a person, and MANAGES otherwise', () => {
    const link = { source: 1, target: 2, type: 'MANAGES' } as const
    expect(stored(link, true)).toEqual({ source: 2, target: 1, type: 'REPORTS_TO' })
    expect(stored(link, false)).toEqual(link)
  })

  it('begins when it is stated, unless the text says when', () => {
    expect(rangeOf(works, 50)).toEqual({ startsAt: 50, endsAt: null, exclusive: true, isWhole: false })
    expect(rangeOf({ ...works, validFrom: 10 }, 50)).toMatchObject({ startsAt: 10, endsAt: null, isWhole: false })
  })

  it('is not exclusive once it has ended, and never begins after its end', () => {
    expect(rangeOf({ ...works, validTo: 20 }, 50)).toEqual({
      startsAt: 20,
      endsAt: 20,
      exclusive: false,
      isWhole: false,
    })
    expect(rangeOf({ ...works, validFrom: 10, validTo: 20 }, 50)).toMatchObject({ startsAt: 10, isWhole: true })
  })

  it('combines two statements of one version, and the last one wins', () => {
    const first = { properties: { a: '1', b: '1' }, exclusive: true, startsAt: 1, endsAt: null }
    const second = { properties: { b: '2' }, exclusive: false, startsAt: null, endsAt: 9 }
    expect(combined(undefined, first)).toBe(first)
    expect(combined(first, second)).toEqual({
      properties: { a: '1', b: '2' },
      exclusive: true,
      startsAt: 1,
      endsAt: 9,
    })
  })
})
