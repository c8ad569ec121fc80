import { describe, expect, it } from 'vitest'
import type { RelationshipType } from '../../core/entity.js'
import { ended, endsToSettle, Rivalry, refreshed, type Stretch, type Telling } from './settle.js'

const john = 1
const mary = 2
const acme = 11
const globex = 12
const initech = 13

function stretch(key: number, source: number, target: number, more: Partial<Stretch> = {}): Stretch {
  return {
    key,
    source,
    target,
    sourceRoot: source,
    targetRoot: target,
    type: 'WORKS_AT',
    validFrom: key * 100,
    validTo: null,
    toldAt: more.validFrom ?? key * 100,
    exclusive: true,
    ...more,
  }
}

function telling(more: Partial<Telling> = {}): Telling {
  return {
    version: 1,
    startsAt: null,
    endsAt: null,
    exclusive: true,
    validFrom: 100,
    validTo: null,
    withdrawn: false,
    restored: false,
    ...more,
  }
}

const keysOf = (stretches: readonly Stretch[]) => stretches.map(({ key }) => key)

describe('a relationship recomputed from its statements', () => {
  const before = stretch(1, john, acme, { validFrom: 5, toldAt: 5, exclusive: false })
  const of = (...tellings: Telling[]) => refreshed(before, { tellings, endings: [] })

  it('does not exist without statements', () => {
    expect(of()).toBeUndefined()
  })

  it('begins with the first statement, or at the start that a statement gives', () => {
    expect(of(telling({ validFrom: 200 }), telling({ validFrom: 100 }))).toMatchObject({ validFrom: 100, toldAt: 100 })
    expect(of(telling({ validFrom: 200, startsAt: 50 }))).toMatchObject({ validFrom: 50, toldAt: 200 })
  })

  it('begins at its end if only a past end is stated', () => {
    expect(of(telling({ validFrom: 200, endsAt: 150 }))).toMatchObject({ validFrom: 150 })
    expect(of(telling({ validFrom: 200, endsAt: 250 }))).toMatchObject({ validFrom: 200 })
  })

  it('counts withdrawn statements only if there are no others', () => {
    const withdrawn = telling({ validFrom: 100, withdrawn: true })
    expect(of(withdrawn, telling({ validFrom: 200, exclusive: false }))).toMatchObject({
      validFrom: 200,
      toldAt: 200,
      exclusive: false,
    })
    expect(of(withdrawn)).toMatchObject({ validFrom: 100, toldAt: 100, exclusive: false })
  })

  it('is exclusive if any statement is', () => {
    expect(of(telling({ exclusive: false }), telling())).toMatchObject({ exclusive: true })
  })
})

describe('rivals', () => {
  it('share the source and have another target', () => {
    const own = stretch(1, john, acme)
    const others = [
      stretch(2, john, globex),
      stretch(3, john, acme),
      stretch(4, mary, globex),
      stretch(5, john, initech, { type: 'LIKES' }),
      stretch(6, john, initech, { exclusive: false }),
    ]
    expect(keysOf(new Rivalry([own, ...others]).rivalsOf(own))).toEqual([2, 6])
  })

  it('are found under all names of an entity', () => {
    const own = stretch(1, john, acme)
    const alias = stretch(2, 21, globex, { sourceRoot: john })
    const sameCompany = stretch(3, 21, 22, { sourceRoot: john, targetRoot: acme })
    expect(keysOf(new Rivalry([own, alias, sameCompany]).rivalsOf(own))).toEqual([2])
  })

  it('share exactly one end of a symmetric type', () => {
    const spouse: RelationshipType = 'SPOUSE_OF'
    const own = stretch(1, john, mary, { type: spouse })
    const others = [
      stretch(2, john, 3, { type: spouse }),
      stretch(3, mary, 3, { type: spouse }),
      stretch(4, 3, 4, { type: spouse }),
      stretch(5, mary, john, { type: spouse }),
    ]
    expect(keysOf(new Rivalry([own, ...others]).rivalsOf(own))).toEqual([2, 3])
  })
})

describe('the periods whose end a change affects', () => {
  it('include the changed one, those that it ended before, and those that it overlaps now', () => {
    const first = stretch(1, john, acme, { validTo: 300 })
    const second = stretch(2, john, globex, { validTo: 250 })
    const later = stretch(5, john, acme)
    const before = stretch(3, john, initech)
    const after = stretch(3, john, initech, { validFrom: 220, toldAt: 350 })
    expect(endsToSettle([before], [after], [first, second, later, after])).toEqual(new Set([3, 1, 2]))
  })

  it('exclude others if the changed one neither was nor is exclusive', () => {
    const other = stretch(1, john, acme)
    const own = stretch(3, john, globex, { exclusive: false })
    expect(endsToSettle([own], [own], [other, own])).toEqual(new Set([3]))
  })

  it('include those that were ended by a relationship that has no statements any more', () => {
    const other = stretch(1, john, acme, { validTo: 300 })
    const gone = stretch(3, john, globex)
    expect(endsToSettle([gone], [], [other, gone])).toEqual(new Set([1]))
  })
})

describe('the end of a relationship', () => {
  const own = stretch(1, john, acme)
  const endOf = (
    tellings: readonly Telling[],
    { endings = [] as readonly number[], others = [] as readonly Stretch[] } = {},
  ) => ended(own, { tellings, endings }, new Rivalry([own, ...others])).validTo

  it('is open while a version that states it is valid', () => {
    expect(endOf([telling(), telling({ validTo: 200 })])).toBeNull()
  })

  it('is when the last version that states it ceased to be valid', () => {
    expect(endOf([telling({ validTo: 200 }), telling({ validTo: 300 })])).toBe(300)
    expect(endOf([telling({ withdrawn: true }), telling({ validTo: 300 })])).toBe(300)
  })

  it('is the one that the latest statement gives', () => {
    const earlier = telling({ version: 1, validFrom: 100, endsAt: 500 })
    expect(endOf([earlier, telling({ version: 2, validFrom: 200, endsAt: 400 })])).toBe(400)
    expect(endOf([earlier, telling({ version: 2, validFrom: 100, endsAt: 400 })])).toBe(400)
    expect(endOf([earlier, telling({ version: 2, validFrom: 200 })])).toBeNull()
    expect(endOf([earlier, telling({ version: 2, validFrom: 200, endsAt: 400, withdrawn: true })])).toBe(500)
  })

  it('is the first end after its start that a text states', () => {
    expect(endOf([telling()], { endings: [50, 400, 300] })).toBe(300)
    expect(endOf([telling()], { endings: [50] })).toBeNull()
  })

  it('is the start of the first exclusive rival that was stated later', () => {
    const others = [stretch(3, john, initech), stretch(2, john, globex)]
    expect(endOf([telling()], { others })).toBe(200)
    expect(endOf([telling()], { others: [stretch(2, john, globex, { exclusive: false })] })).toBeNull()
    expect(endOf([telling()], { others: [stretch(2, john, globex, { toldAt: 50 })] })).toBeNull()
  })

  it('is when a rival was stated that began earlier', () => {
    expect(endOf([telling()], { others: [stretch(2, john, globex, { validFrom: 50, toldAt: 250 })] })).toBe(250)
  })

  it('is decided by the greater key if both were stated at once', () => {
    expect(endOf([telling()], { others: [stretch(2, john, globex, { validFrom: 100, toldAt: 100 })] })).toBe(100)
    expect(endOf([telling()], { others: [stretch(0, john, globex, { validFrom: 100, toldAt: 100 })] })).toBeNull()
  })

  it('is the start of a later period between the same two names', () => {
    expect(endOf([telling()], { others: [stretch(4, john, acme)] })).toBe(400)
    expect(endOf([telling()], { others: [stretch(4, 21, acme, { sourceRoot: john })] })).toBeNull()
  })

  it('is not cut off by a rival while a restored memory still stated it', () => {
    const tellings = [telling({ validTo: 150 }), telling({ version: 2, validFrom: 300, validTo: 400, restored: true })]
    expect(endOf(tellings, { others: [stretch(2, john, globex)] })).toBe(400)
  })

  it('is never before its start', () => {
    expect(endOf([telling({ validTo: 40 })])).toBe(100)
  })

  it('is unchanged without statements', () => {
    const known = { ...own, validTo: 777 }
    expect(ended(known, { tellings: [], endings: [150] }, new Rivalry([known]))).toBe(known)
  })
})
