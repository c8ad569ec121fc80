import { describe, expect, it } from 'vitest'
import { holds, lacksCode, searchIn } from './search-words.js'

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

  it.each([
    ['a question', 'Where do I live?'],
    ['a question without its mark', 'where is the key'],
    ['a German question without its mark', 'wo ist der Schlüssel'],
    ['a yes/no question', 'did Petra call'],
    ['an order', 'Recommend a takeaway'],
    ['a sentence', 'I moved to Porto'],
    ['a long text', 'spare part number for the belt of my mixer'],
    ['an exclamation', 'good morning!'],
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

  it('takes no ordinary word, version or year for a code', () => {
    for (const text of ['Petra', 'node 20', 'B2B', '2026', 'COVID-19']) expect(search(text).codes).toEqual([])
  })
})
