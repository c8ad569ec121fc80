import { describe, expect, it } from 'vitest'
import type { SpanSeen } from '../../models/tagger/tag-reading.js'
import { mergedNames } from './merge-names.js'

const seen = (text: string, name: string, type: SpanSeen['type']): SpanSeen => {
  const start = text.indexOf(name)
  return { start, end: start + name.length, type, score: 0.9 }
}
const names = (text: string, ...spans: SpanSeen[]) =>
  mergedNames(text, spans).map(({ type, name }) => `${type} ${name}`)

describe('names by the model and by rules', () => {
  it('come from the rules alone if the model did not answer', () => {
    expect(mergedNames('John lives in Rome.', undefined).map(({ name }) => name)).toEqual(['John', 'Rome'])
  })

  it('come from the model for people, organisations and places, in the order of the text', () => {
    const text = 'then zuri joined Quandrix in Umbele'
    expect(
      names(text, seen(text, 'Umbele', 'LOCATION'), seen(text, 'zuri', 'PERSON'), seen(text, 'Quandrix', 'ORG')),
    ).toEqual(['PERSON zuri', 'ORG Quandrix', 'LOCATION Umbele'])
  })

  it('drop names that the model does not confirm', () => {
    expect(names('Wanda Sanda was the name of the boat.')).toEqual([])
  })

  it('keep products and events of the rules, even against the model', () => {
    const text = 'Anna bought an iPhone at the Berlin Marathon.'
    expect(names(text, seen(text, 'Anna', 'PERSON'), seen(text, 'iPhone', 'ORG'))).toEqual([
      'PERSON Anna',
      'PRODUCT iPhone',
      'EVENT Berlin Marathon',
    ])
  })

  it.each([
    ['John works at Acme Corp.', 'Acme Corp.', 'ORG Acme Corp'],
    ['Acme Corp. is large.', 'Acme Corp.', 'ORG Acme Corp.'],
    ['He left the U.S.', 'U.S.', 'ORG U.S.'],
  ])('exclude the full stop that ends the sentence %j', (text, name, expected) => {
    expect(names(text, seen(text, name, 'ORG'))).toContain(expected)
  })

  it('exclude a title from a person’s name', () => {
    const text = 'Ask Dr. Maria Gonzalez'
    expect(names(text, seen(text, 'Dr. Maria Gonzalez', 'PERSON'))).toEqual(['PERSON Maria Gonzalez'])
  })

  it('come from the model where it sees the whole of a title or product', () => {
    const text = 'I loved Game of Thrones on my old Volvo V60.'
    expect(names(text, seen(text, 'Game of Thrones', 'PRODUCT'), seen(text, 'Volvo V60', 'PRODUCT'))).toEqual([
      'PRODUCT Game of Thrones',
      'PRODUCT Volvo V60',
    ])
  })

  it('are provisional if only the rules guess them', () => {
    const text = 'We talked about the Quandrix for ages.'
    expect(mergedNames(text, [])).toMatchObject([{ name: 'Quandrix', type: 'CONCEPT', provisional: true }])
  })

  it('end before a verb that the model took for a surname', () => {
    const text = "Mia's friend Paul cooks."
    expect(names(text, seen(text, 'Mia', 'PERSON'), seen(text, 'Paul cooks', 'PERSON'))).toEqual([
      'PERSON Mia',
      'PERSON Paul',
    ])
  })

  it('are organisations if the list says so, even where the model sees a place', () => {
    const text = 'Paul is a pilot at Lufthansa.'
    expect(names(text, seen(text, 'Lufthansa', 'LOCATION'))).toEqual(['ORG Lufthansa'])
  })
})
