import { describe, expect, it } from 'vitest'
import { nameKey } from '../../core/entity.js'
import {
  callingNames,
  fullNameRanges,
  namesAffectedBy,
  namesMeantBy,
  type TypedName,
  whyMerged,
} from './merge-names.js'

/** The names that a name may stand for. */
function fitting(key: string, names: readonly string[]): string[] {
  const keys = names.map(nameKey).sort()
  return fullNameRanges(key).flatMap(({ first, last, rule }) =>
    keys.filter((each) => each >= first && each <= last).map((each) => `${each} ${rule}`),
  )
}

describe('names of a person', () => {
  it('gives the names that a person may go by, longer ones first', () => {
    expect(callingNames('melanie jones')).toEqual(['melanie', 'mel jones', 'mel'])
    expect(callingNames('melanie')).toEqual(['mel'])
    expect(callingNames('zed')).toEqual([])
  })

  it('finds full names that begin with a given name, and full forms of a short one', () => {
    const names = ['Mel', 'Mel Brooks', 'Melanie', 'Melanie Jones', 'Melanies', 'Melissa', 'Mella', 'Carmel Jones']
    expect(fitting('mel', names)).toEqual([
      'mel brooks full_name',
      'melanie short_form',
      'melanie jones short_form',
      'melissa short_form',
    ])
    expect(fitting('melanie', names)).toEqual(['melanie jones full_name'])
  })

  it('looks for a short form with a surname under that surname only', () => {
    expect(fitting('mel jones', ['Melanie Jones', 'Melanie Jones Smith', 'Melanie', 'Mel Jones'])).toEqual([
      'melanie jones short_form',
    ])
    expect(fitting('anna smith', ['Anna Smith', 'Anna Smith Brown'])).toEqual([])
  })

  it('finds every person who may go by a name when it looks for that name', () => {
    for (const full of ['melanie jones', 'robert', 'margaret blue']) {
      for (const name of callingNames(full)) {
        const isFound = fullNameRanges(name).some(({ first, last }) => full >= first && full <= last)
        expect(isFound, `${name} for ${full}`).toBe(true)
      }
    }
  })

  it('says why two names were merged', () => {
    const [mel, melanie] = [{ name: 'Mel' }, { name: 'Melanie' }]
    expect(whyMerged('stated', mel, melanie)).toBe('A text says that Mel is another name for Melanie.')
    expect(whyMerged('full_name', mel, melanie)).toBe('Melanie is the only person whose name begins with Mel.')
    expect(whyMerged('short_form', mel, melanie)).toBe('Mel is a short form that fits only Melanie.')
    const [volvo, cars] = [{ name: 'Volvo' }, { name: 'Volvo Cars' }]
    expect(whyMerged('company_name', volvo, cars)).toBe('Volvo Cars is the only organisation whose name fits Volvo.')
    expect(whyMerged('same_name', volvo, volvo)).toBe('Volvo is also the name of an organisation.')
  })

  it.each<[TypedName, TypedName]>([
    [
      { type: 'ORG', name_key: 'volvo' },
      { type: 'ORG', name_key: 'volvo cars' },
    ],
    [
      { type: 'ORG', name_key: 'klarna ab' },
      { type: 'ORG', name_key: 'klarna' },
    ],
    [
      { type: 'PRODUCT', name_key: 'volvo' },
      { type: 'ORG', name_key: 'volvo' },
    ],
    [
      { type: 'PERSON', name_key: 'marta' },
      { type: 'PERSON', name_key: 'marta lindqvist' },
    ],
  ])('finds %o by %o and the reverse, so that the order of the texts does not matter', (short, whole) => {
    const isMeant = namesMeantBy(short).some(
      ({ type, first, last }) => type === whole.type && whole.name_key >= first && whole.name_key <= last,
    )
    expect(isMeant).toBe(true)
    expect(namesAffectedBy(whole)).toContainEqual(short)
  })

  it('does not take a product of an organisation for the organisation', () => {
    expect(namesMeantBy({ type: 'PRODUCT', name_key: 'volvo v60' }).map(({ first }) => first)).toEqual(['volvo v60'])
    expect(namesMeantBy({ type: 'ORG', name_key: 'volvo' }).map(({ first }) => first)).not.toContain('volvo v60')
    expect(namesMeantBy({ type: 'LOCATION', name_key: 'volvo' })).toEqual([])
  })
})
