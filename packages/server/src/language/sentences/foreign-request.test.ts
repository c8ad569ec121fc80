import { describe, expect, it } from 'vitest'
import { isForeignRequest, withoutExclamation } from './foreign-request.js'
import { asksForLanguage, saysOfOneself } from './says-of-oneself.js'

describe('short texts in other languages', () => {
  it.each([
    'traduci in inglese',
    'fais plus court',
    'Mach es kürzer, bitte!',
    'übersetze das ins Englische',
    'fass das zusammen',
    'hazlo más corto',
    'tradúcelo al inglés',
    'résume ce texte',
    'maak het korter',
    'vertaal dit naar het Engels',
    'переведи на английский',
  ])('that ask for something about a text at hand: %s', (text) => {
    expect(isForeignRequest(text)).toBe(true)
  })

  it.each([
    'rispondi in italiano',
    'Fass ist mein Nachname',
    'ich übersetze Bücher ins Englische',
    'leg die Schlüssel in die Schublade',
    'je fais du sport',
    'continue straight on to Leeds',
  ])('that do not: %s', (text) => {
    expect(isForeignRequest(text)).toBe(false)
  })

  it('that exclaim', () => {
    expect(withoutExclamation('mamma mia che giornata!')).toBe('mamma mia  !')
    expect(withoutExclamation('che lavoro fa Anna')).toBeNull()
  })

  it.each(['ik ben vegetariër', 'パクチー嫌い', 'コーヒー苦手', '猫派です', 'soy zurdo', 'я левша', '고수 싫어'])(
    'that tell about the speaker: %s',
    (text) => {
      expect(saysOfOneself(text)).toBe(true)
    },
  )

  it.each(['ik ben moe', 'ich bin dabei', 'je suis d’accord', 'それが好き', 'すごい', 'what a day', 'я тоже'])(
    'that do not tell about the speaker: %s',
    (text) => {
      expect(saysOfOneself(text)).toBe(false)
    },
  )

  it('that wish for a language', () => {
    expect(asksForLanguage('réponds en français')).toBe(true)
    expect(asksForLanguage('Antworte immer auf Deutsch')).toBe(true)
    expect(asksForLanguage('schreib mir ein Gedicht')).toBe(false)
  })
})
