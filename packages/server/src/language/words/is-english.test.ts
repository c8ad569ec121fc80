import { describe, expect, it } from 'vitest'
import { isEnglish } from './is-english.js'

describe('English is recognised', () => {
  it.each([
    'lol ok thanks',
    'haha yeah same',
    'Good morning! How are you today?',
    "I'm Marta Lindqvist, I'm 34 and I live in Gothenburg",
    'standup got pushed to 10',
    'We use pnpm now.',
    'not vegetarian anymore',
    'my dog Toby is ill',
    "That’s wild, I can't believe it!",
  ])('in: %s', (text) => {
    expect(isEnglish(text)).toBe(true)
  })
})

describe('another language is not English', () => {
  it.each([
    ['German', 'Ich wohne jetzt in Hamburg und arbeite bei einer Versicherung.'],
    ['German', 'Guten Morgen! Wie geht es dir heute?'],
    ['German', 'Mein Hund heißt Bello.'],
    ['Spanish', 'Ahora vivo en Madrid con mi hermana y trabajo en un banco.'],
    ['Spanish', 'Buenos días, ¿cómo estás?'],
    ['French', "J'habite maintenant à Lyon avec mes deux enfants."],
    ['Chinese', '我现在住在上海。'],
    ['Russian', 'Я живу в Москве.'],
    ['English with Chinese in it', 'I live in 上海 now.'],
    ['no words', '42! 🎉'],
    ['nothing', ''],
  ])('%s: %s', (_, text) => {
    expect(isEnglish(text)).toBe(false)
  })
})
