import { describe, expect, it } from 'vitest'
import { holds, indexWordsOf, lacksCode, searchIn } from './search-words.js'

function search(text: string) {
  const found = searchIn(text)
  if (!found) throw new Error(`not a search: ${text}`)
  return found
}

describe('searchIn', () => {
  it.each(['wifi password', 'INV-20931', 'Petra', 'my shoe size', 'main.ts', 'clé du garage', 'the gate code'])(
    'takes bare words for a search: %s',
    (text) => {
      expect(searchIn(text)?.question).toBe(`What did I say about ${text}?`)
    },
  )

  it('takes the names of things for a search though they begin with a verb', () => {
    for (const text of ['book club', 'test results', 'order 4471', 'plan B']) expect(searchIn(text)).not.toBeNull()
    for (const text of ['book a table', 'plan my week', 'show me the list']) expect(searchIn(text)).toBeNull()
  })

  it('looks for what a yes/no question states', () => {
    const asked = search('is my car a Skoda?')
    expect(asked.question).toBe('is my car a Skoda?')
    expect(holds(asked, 'my car is a blue Skoda Fabia')).toBe(true)
    expect(holds(asked, 'my car is red')).toBe(false)
  })

  it('takes a name or thing with a mark for one', () => {
    expect(searchIn('Helen?')?.question).toBe('What did I say about Helen?')
    expect(searchIn('the plumber??')?.words).toEqual(['plumber'])
  })

  it.each([
    ['a question', 'Where do I live?'],
    ['a question without its mark', 'where is the key'],
    ['a German question without its mark', 'wo ist der Schlüssel'],
    ['a yes/no question of one word', 'do I have a dog?'],
    ['a foreign yes/no question', 'is mijn auto een Skoda'],
    ['an order', 'Recommend a takeaway'],
    ['a sentence', 'I moved to Porto'],
    ['a long text', 'spare part number for the belt of my mixer'],
    ['a question of four words', 'the red gate code?'],
    ['a foreign question', 'hai una macchina?'],
    ['a German question', 'was mag Anna'],
    ['a German yes/no question', 'hat Anna Kinder?'],
    ['a script without spaces', '公司地址'],
    ['nothing', '  '],
    ['words that say nothing', 'the other'],
  ])('leaves %s alone', (_, text) => {
    expect(searchIn(text)).toBeNull()
  })
})

describe('holds', () => {
  it.each([
    ['dentist', 'My dentist is Dr. Berg.'],
    ['Bergström', 'My dentist is Dr. Bergström.'],
    ['wifi password', 'The wifi password at the cabin is long.'],
    ['INV-20931', 'Invoice INV-20931 was paid.'],
    ['inv20931', 'Invoice INV-20931 was paid.'],
    ['invoice inv 20931', 'Invoice INV-20931 was paid.'],
    ['4471 99b', 'Order 4471-99-B arrived broken.'],
    ['ship-prod', 'We deploy with `make ship-prod`.'],
  ])('finds every word of "%s"', (words, text) => {
    expect(holds(search(words), text)).toBe(true)
  })

  it.each([
    ['dentist', 'My doctor is Dr. Berg.'],
    ['INV-20931', 'Invoice INV-20913 is open.'],
    ['garage INV-20931', 'Invoice INV-20931 was paid.'],
    ['room 101', 'Meeting in room 1014'],
  ])('misses a word of "%s"', (words, text) => {
    expect(holds(search(words), text)).toBe(false)
  })
})

describe('lacksCode', () => {
  it('tells a code from a similar one, however it is written', () => {
    const wanted = search('INV-20931')
    expect(lacksCode(wanted, 'Invoice INV-20913 is open.')).toBe(true)
    expect(lacksCode(wanted, 'Invoice inv 20931 was paid.')).toBe(false)
  })

  it('takes no ordinary word, version, year, date or amount for a code', () => {
    for (const text of ['dentist 2026-11-18', '£12,000 budget', 'Petra', 'node 20', 'B2B', '2026', 'COVID-19'])
      expect(search(text).codes).toEqual([])
  })
})

describe('indexWordsOf', () => {
  it('has the parts of a code, and the code in one', () => {
    expect(indexWordsOf('bk2207').split(' ')).toEqual(expect.arrayContaining(['bk2207', 'bk', '2207']))
    expect(indexWordsOf('CLM 20457').split(' ')).toEqual(expect.arrayContaining(['CLM', '20457', 'clm20457']))
  })

  it('leaves other texts alone', () => {
    for (const text of ['wifi password', 'Where is order 4471-99-B?']) expect(indexWordsOf(text)).toBe(text)
  })
})
