import { describe, expect, it } from 'vitest'
import { isRemark, isStatement } from './remark.js'

describe('a remark', () => {
  it.each([
    'I said yes to the school fair again, and now every evening is gone.',
    "It's funny, I walked past the bakery three times today and went home with nothing.",
    'Two weeks later I told my brother that I want smaller weekends.',
    'We finally signed up for that first-aid course after all these years!',
    'When the bonus came, I first thought of a big holiday.',
    'we’ve been eating on the balcony every evening since the move',
  ])('tells something: %s', (text) => {
    expect(isRemark(text)).toBe(true)
  })

  it.each([
    ['a question', 'Where did I say that I want to spend the summer this year?'],
    ['a question without its mark', 'what did I tell my sister about the trip to Lyon'],
    ['a question in a longer text', 'I am cooking on Friday for all of us. What does Jonas not eat?'],
    ['an order', 'Plan a dinner for my parents and my sister on Friday evening.'],
    ['a polite order', 'Please remind my brother and me of the address of the hall.'],
    ['a wish', 'I need a good restaurant near the station for tonight.'],
    ['another wish', "I'm looking for the number of the man who fixed my boiler."],
    ['something forgotten', "I can't remember where I put the spare key of the shed."],
    ['a wish in a second sentence', 'My boiler is broken again. Give me the number of the plumber.'],
    ['a search', 'spare part number for the belt of my mixer'],
    ['a search that ends like a sentence', 'The allergies and the diet of the user and of the family.'],
    ['Italian', 'Ieri ho visto i miei genitori e siamo andati al mare insieme.'],
    ['Dutch', 'Gisteren zijn we met de hele familie naar het strand gegaan.'],
    ['a search with a clause', 'restaurants that I liked in Lisbon last spring with Ana'],
    ['another search with a clause', 'the name of the hotel we stayed at in Ghent'],
    ['a short form of a question', "where's the spare key I gave to my brother in May"],
    ['a question with a preposition', 'In which city did I spend the summer with Jonas'],
    ['a question after a statement', 'I am cooking on Friday for all of us. what does Jonas not eat'],
    ['an order of a coder', 'Implement the login page with the colours that we agreed on.'],
    ['a wish in the past', "I was wondering what my sister's new address is."],
    ['a few words', 'I love hiking.'],
    ['words to search for', 'context deadline exceeded in the ledger api of the second cluster'],
    ['nothing', ''],
  ])('is not %s', (_, text) => {
    expect(isRemark(text)).toBe(false)
  })

  it('may be long, unless it ends with a question', () => {
    const mail = 'I went home early and slept. '.repeat(400)
    expect(isRemark(mail)).toBe(true)
    expect(isRemark(`${mail}Why?`)).toBe(false)
  })
})

describe('a statement', () => {
  it.each(['wifi password', 'Aspirin inhibits the production of PGE2.', 'the gate code of the allotment'])(
    'asks nothing: %s',
    (text) => {
      expect(isStatement(text)).toBe(true)
    },
  )

  it.each(['where is the spare key', 'Which flights did I book?', 'Recommend a takeaway', "I'm looking for the code"])(
    'is not what asks: %s',
    (text) => {
      expect(isStatement(text)).toBe(false)
    },
  )
})
