import { describe, expect, it } from 'vitest'
import { isShortAnswer, questionOf } from './answers.js'
import { isSmallTalk } from './small-talk.js'

describe('isSmallTalk', () => {
  it.each([
    'ok, thanks!',
    'Hi!',
    'haha',
    'Good night',
    'Hey Anna! How are you?',
    "I'm good, thanks. And you?",
    'Thank you so much, Bob!',
    'Wow, that’s amazing!',
    'See you tomorrow!',
    '😂😂',
    '👍',
    ':)',
    '...',
    'Danke schön!',
    'Merci beaucoup',
    '谢谢',
    'Talk to you soon, take care!',
    'ok',
    'lol ok thanks',
    'Good morning! How are you today?',
    'k thx',
    'Keep it up!',
    'You got this, Anna!',
    'Hope you are doing well!',
    'omg yes',
    'np, ttyl',
    'great, that helps, thank you!',
    'Moin zusammen, alles klar?',
    'Schönes Wochenende!',
    '¡Perfecto, muchas gracias!',
    'À demain, bonne nuit !',
    'Fechado, até amanhã!',
    'Figurati, a presto!',
    'Oké, tot morgen!',
    'Доброе утро, как дела?',
    '好的谢谢，明天见',
    '了解です、ありがとうございます！',
  ])('is %s', (text) => {
    expect(isSmallTalk(text, ['Anna', 'Bob'])).toBe(true)
  })

  it.each([
    'I live in Bern.',
    'Danke, ich bin umgezogen.',
    'Gracias a Ana encontré piso',
    'Merci, je suis végétarienne',
    'Perfeito, a Rita vem na sexta',
    'Ciao, mi chiamo Piero',
    'Prima, mijn zus komt mee',
    'Хорошо, я приеду в пятницу',
    '谢谢，我搬家了',
    'いいえ、大阪です',
    '好吃',
    'Thanks, I moved to Paris.',
    'Good night trains are rare.',
    'Great, my exam is on Monday.',
    'Hi, my name is Gustav.',
    '42',
    'In Berlin.',
    'Thanks to Anna I found a flat',
    'Yes, two!',
    'Love tacos',
    'Yes, Berlin.',
    'Sure, Monday!',
    'No, Tesla.',
    'Great, Paris',
    '97.',
    '🇨🇦',
    'Keep it up to date',
    'It works',
    'You got this wrong',
    'I hope you like tea',
    'I am good at chess',
    'I am well paid',
    'Good morning is a song that I like',
    'Thanks for the bike',
    'Thank you for watering my plants',
    'Sorry, I am late',
    'ok but I moved to Oslo',
    'lol my boss quit',
    '',
    '  ',
  ])('is not %j', (text) => {
    expect(isSmallTalk(text, ['Anna', 'Bob'])).toBe(false)
  })

  it('takes linear time for text that only resembles small talk', () => {
    expect(isSmallTalk(`${'good '.repeat(23)}x`)).toBe(false)
    expect(isSmallTalk('so '.repeat(10_000))).toBe(false)
  })
})

describe('short answers', () => {
  it.each([
    'In Berlin.',
    'Two!',
    'Yes, a parrot.',
    'On the 3rd of March.',
    'I do.',
    'Polish and a bit of Czech.',
    'Yes!',
  ])('is one: %s', (text) => {
    expect(isShortAnswer(text, [])).toBe(true)
  })

  it.each([
    'I live in Berlin.',
    'Those look amazing!',
    'Thanks!',
    'And you?',
    'My day was fine.',
    'The shop is closed now.',
    '',
  ])('is none: %s', (text) => {
    expect(isShortAnswer(text, [])).toBe(false)
  })

  it('returns the question at the end of a turn', () => {
    expect(questionOf('I see. Where do you live?')).toBe('Where do you live?')
    expect(questionOf('Where do you live? I live in Bern.')).toBeNull()
    expect(questionOf('How are you?')).toBeNull()
    expect(questionOf('')).toBeNull()
    expect(questionOf(`${'a'.repeat(50_000)}?`)).toBeNull()
  })
})
