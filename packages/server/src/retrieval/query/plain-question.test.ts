import { describe, expect, it } from 'vitest'
import { plainQuestion } from './plain-question.js'

describe('plainQuestion', () => {
  it.each([
    ['Hey, can you tell me where the key is again?', 'where the key is?'],
    ['hi, sorry, when is the dentist', 'when is the dentist'],
    ['Do you remember what I paid for the sofa?', 'what I paid for the sofa?'],
    ['I forgot where I parked', 'where I parked'],
    ['do you know my shoe size?', 'my shoe size?'],
    ['did I tell you that my locker is C118?', 'my locker is C118?'],
    ['what is the wifi password again?', 'what is the wifi password?'],
    ['wie war das WLAN-Passwort nochmal?', 'wie war das WLAN-Passwort?'],
    ['am I still on metformin?', 'am I on metformin?'],
    ['Where do I currently live?', 'Where do I live?'],
    ['How much is the rent now?', 'How much is the rent?'],
    ['have I got an overdraft', 'do I have an overdraft'],
    ['Where do I live?', 'Where do I live?'],
  ])('keeps the question of "%s"', (text, question) => {
    expect(plainQuestion(text)).toBe(question)
  })

  it.each([
    ['tell me about Jean', 'Jean'],
    ['tell me about Monica', 'Monica'],
    ['anything about June?', 'June'],
    ['What did I say about Vera?', 'Vera'],
    ['do you have anything on the boiler?', 'the boiler'],
    ['find my note about omeprazole', 'omeprazole'],
    ["what's the deal with the plumber again?", 'the plumber'],
    ['and what about my mother?', 'my mother'],
    ['look up wifi password', 'wifi password'],
    ['Who is Gary?', 'Gary'],
    ['who is jean', 'jean'],
    ["who's Maria van Dijk", 'Maria van Dijk'],
    ['Wer ist Renate?', 'Renate'],
    ['quem é Bento?', 'Bento'],
    ['Was weißt du über Renate?', 'Renate'],
    ['háblame de Bento', 'Bento'],
    ['anything about the boiler info?', 'the boiler'],
  ])('finds the topic of "%s"', (text, topic) => {
    expect(plainQuestion(text)).toBe(topic)
  })

  it.each([
    'What do you know about me?',
    'Who is my boss?',
    'Who is Jean married to?',
    'who is vegetarian?',
    'Hello Fresh subscription',
    'Well water test results',
    'tell me a joke',
    'has he got married',
    'where did I live until now?',
    'which medication do I not take anymore?',
    'Did I like Still Alice?',
    'search history',
    'remind me to buy milk',
    'find a restaurant for tonight',
    'anything on next week?',
    'Is the shop still open?\nI want to go there.',
    'again',
  ])('leaves "%s" alone', (text) => {
    expect(plainQuestion(text)).toBe(text)
  })

  it('leaves a long text alone', () => {
    const text = `tell me about ${'the old house '.repeat(40)}`
    expect(plainQuestion(text)).toBe(text)
  })
})
