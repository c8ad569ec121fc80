import { describe, expect, it } from 'vitest'
import { codesIn, namesIn, onlyFirstHas } from './named-things.js'

describe('what a question names', () => {
  it.each([
    ['When did Tom finish the Silmarillion?', '', ['tom', 'silmarillion']],
    ['When did I pass the DELF?', '', ['delf']],
    ['when did i finish middlemarch', 'Just put down Middlemarch, what a book', ['middlemarch']],
    ['What did we do on Monday in March?', 'We went out on Monday.', []],
    ['Where was the meeting?', 'Where we meet: the library.', []],
    ['Wann war der Termin beim Zahnarzt?', 'Der Termin war am Freitag.', []],
  ])('%s', (question, text, names) => {
    expect([...namesIn(question, text)]).toEqual(names)
  })

  it('is a code if it has several digits and is no year', () => {
    expect([...codesIn('Order 70155 of 2024, room 12, INV-20931')]).toEqual(['70155', 'inv-20931'])
  })

  it('tells two texts apart if only one of them has it', () => {
    const [silmarillion, dune] = ["I'm reading the Silmarillion", "I'm reading Dune's sequel now"]
    expect(onlyFirstHas(new Set(['silmarillion']), silmarillion, dune)).toBe(true)
    expect(onlyFirstHas(new Set(['dune']), silmarillion, dune)).toBe(false)
    expect(onlyFirstHas(new Set(['reading']), silmarillion, dune)).toBe(false)
    expect(onlyFirstHas(new Set(), silmarillion, dune)).toBe(false)
  })
})
