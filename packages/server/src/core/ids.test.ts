import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type IdKind, idPattern, idSource, isId } from './ids.js'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** An independent decoder of TypeIDs: 26 base32 digits are one 130-bit number. */
function uuidOf(id: string): string {
  let value = 0n
  for (const digit of id.slice(id.indexOf('_') + 1)) value = value * 32n + BigInt(alphabet.indexOf(digit))
  return value.toString(16).padStart(32, '0')
}

describe('an id', () => {
  it('consists of its kind and a UUIDv7 that contains the time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (ms) => {
        const id = idSource({ now: () => ms }).next('mem')
        const uuid = uuidOf(id)
        expect(id).toMatch(/^mem_[0-9a-z]{26}$/)
        expect(uuid).toHaveLength(32)
        expect(Number.parseInt(uuid.slice(0, 12), 16)).toBe(ms)
        expect(uuid[12]).toBe('7')
        expect('89ab').toContain(uuid[16])
        expect(isId('mem', id)).toBe(true)
      }),
    )
  })

  it('sorts after every earlier id of its source, within a millisecond and when the clock goes back', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 2, maxLength: 50 }), (steps) => {
        let now = 1_700_000_000_000
        const source = idSource({ now: () => now })
        const ids = steps.map((step) => {
          now += step
          return source.next('mem')
        })
        expect([...ids].sort()).toEqual(ids)
      }),
    )
  })

  it('stays sorted and unique when more ids are made in a millisecond than its counter can hold', () => {
    const source = idSource({ now: () => 1_700_000_000_000 })
    const ids = Array.from({ length: 20_000 }, () => source.next('ent'))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? ''))).toBe(true)
  })

  it('differs between two sources in the same millisecond', () => {
    const clock = { now: () => 1_700_000_000_000 }
    const ids = Array.from({ length: 1000 }, () => idSource(clock).next('mem'))
    expect(new Set(ids).size).toBe(1000)
  })
})

describe('the shape of an id', () => {
  const id = idSource({ now: () => 1_700_000_000_000 }).next('mem')

  it.each<IdKind>(['mem', 'ent', 'rel', 'key', 'doc'])('matches kind %s and no other', (kind) => {
    const made = idSource({ now: () => 0 }).next(kind)
    const kinds: IdKind[] = ['mem', 'ent', 'rel', 'key', 'doc']
    expect(kinds.filter((each) => isId(each, made))).toEqual([kind])
    expect(idPattern(kind).test(made)).toBe(true)
  })

  it('rejects another length, letter or case, and surrounding text', () => {
    const wrong = [
      '',
      'mem_',
      id.slice(0, -1),
      `${id}0`,
      ` ${id}`,
      `${id}\n`,
      `${id}\u0000`,
      id.toUpperCase(),
      id.replace('mem_', 'mem-'),
      `mem_8${id.slice(5)}`,
      ...['i', 'l', 'o', 'u', '-', 'é'].map((letter) => id.slice(0, -1) + letter),
    ]
    for (const text of wrong) expect(isId('mem', text), text).toBe(false)
  })

  it('gives the same result on every test: a pattern keeps no state', () => {
    for (let round = 0; round < 3; round += 1) expect(idPattern('mem').test(id)).toBe(true)
  })
})
