import { describe, expect, it } from 'vitest'
import type { Person } from './cases.js'
import { countNames, isUnchanged, namesF1, type PersonObserved, scorePerson } from './score.js'

const person: Person = {
  id: 'de-1',
  notes: [
    { id: 'n1', text: 'Ich wohne in Kiel.', names: [{ name: 'Kiel', type: 'place' }] },
    { id: 'n2', text: 'Mein Hund heißt Bodo.', names: [] },
  ],
  changes: [{ id: 'c1', text: 'Jetzt wohne ich in Bonn.', ends: 'n1' }],
  questions: [
    { text: 'Wie heißt mein Hund?', answer: 'n2' },
    { text: 'Wo wohne ich?', answer: 'c1' },
  ],
}

function observed(changes: Partial<PersonObserved>): PersonObserved {
  return {
    stored: new Map([
      ['n1', [{ id: 'm1', content: 'Ich wohne in Kiel.' }]],
      ['n2', [{ id: 'm2', content: 'Mein Hund heißt Bodo.' }]],
      ['c1', [{ id: 'm3', content: 'Jetzt wohne ich in Bonn.' }]],
    ]),
    entities: [],
    ended: new Set(),
    answers: [
      ['m2', 'm1'],
      ['m3', 'm1'],
    ],
    ...changes,
  }
}

describe('scorePerson', () => {
  it('counts a question as right first only if the memory of its note is first', () => {
    expect(scorePerson(person, observed({})).first).toEqual({ count: 2, of: 2 })
    const swapped = scorePerson(person, observed({ answers: [['m1', 'm2'], ['m3']] }))
    expect(swapped.first).toEqual({ count: 1, of: 2 })
    expect(swapped.inThree).toEqual({ count: 2, of: 2 })
  })

  it('counts a changed fact as right if it comes before the old one, or if the old one has ended', () => {
    const of = (changes: Partial<PersonObserved>) => {
      const { changed, replaced } = scorePerson(person, observed(changes))
      return [changed.count, replaced.count]
    }
    expect(of({})).toEqual([1, 0])
    expect(of({ answers: [[], ['m1', 'm3']] })).toEqual([0, 0])
    expect(of({ answers: [[], ['m1', 'm3']], ended: new Set(['m1']) })).toEqual([1, 1])
    expect(of({ answers: [[], []] })).toEqual([0, 0])
  })

  it('counts a refused note, and does not call its text unchanged', () => {
    const score = scorePerson(person, observed({ stored: new Map([['n1', null]]) }))
    expect(score.refused).toBe(1)
    expect(score.unchangedText).toEqual({ count: 0, of: 3 })
  })
})

describe('isUnchanged', () => {
  const text = 'Gestern war ich in Köln. Mein Bruder (Jan) wohnt dort.'
  it.each([
    ['the text itself', [text], true],
    ['divided', ['Gestern war ich in Köln.', 'Mein Bruder (Jan) wohnt dort.'], true],
    ['with a date in brackets', ['Gestern (2025-03-03) war ich in Köln. Mein Bruder (Jan) wohnt dort.'], true],
    ['with other white space', [text.replaceAll(' ', '  ')], true],
    ['translated', ['Yesterday I was in Cologne. My brother (Jan) lives there.'], false],
    ['garbled', [text.replace('ö', '�')], false],
    ['with a sentence missing', ['Gestern war ich in Köln.'], false],
    ['with its own brackets missing', ['Gestern war ich in Köln. Mein Bruder wohnt dort.'], false],
    ['nothing', [], false],
  ])('judges %s', (_, contents, expected) => {
    expect(
      isUnchanged(
        text,
        contents.map((content) => ({ content })),
      ),
    ).toBe(expected)
  })
})

describe('countNames', () => {
  it('accepts the form of the text and that of a dictionary, counts a name once, and ignores other types', () => {
    const count = countNames(
      [
        { name: 'Казани', type: 'place', base: 'Казань' },
        { name: 'Казань', type: 'place' },
        { name: 'Яндексе', type: 'organization', base: 'Яндекс' },
      ],
      [
        { name: 'казань', type: 'LOCATION', aliases: [] },
        { name: 'Яндекс', type: 'PERSON', aliases: [] },
        { name: 'Bluetooth', type: 'PRODUCT', aliases: [] },
        { name: 'Завтра', type: 'PERSON', aliases: [] },
      ],
    )
    expect(count).toEqual({ wanted: 2, found: 3, right: 1, rightUntyped: 2 })
    expect(namesF1(count)).toEqual({ typed: 0.4, untyped: 0.8 })
  })
})
