import { describe, expect, it } from 'vitest'
import { isForeign } from './is-foreign.js'

describe('a text in another language', () => {
  it.each([
    'Meine Schwester Silke verträgt keine Krabben.',
    'hab nen alten Passat, läuft noch',
    'Mi hermana vive en Bilbao.',
    "J'habite à Lille depuis mars.",
    'Trabalho na Petrobras desde janeiro.',
    'Lavoro alla Coin di Bologna.',
    'Ik werk bij de NS in Utrecht.',
    'Живу в Казани.',
    '我在成都上班。',
    '楽天で働いています。',
    'राहुल दिल्ली में रहता है।',
    '민준은 서울에 살아요.',
  ])('is foreign: %s', (text) => expect(isForeign(text)).toBe(true))

  it.each([
    '',
    '42!',
    'Zoe lives in Oslo.',
    'status page https://status.acme.io',
    'mail goes to ana.il@de.example',
    'Anna Kowalski met Piotr Nowak in Warszawa.',
    'my sister anna moved to berlin',
    'SOCCER - FRANCE BEAT BRAZIL IN PARIS.',
    'I work at Société Générale in La Défense.',
    'My favourite restaurant is 楽天 in Tokyo.',
    'Ludwig van Beethoven was born in Bonn.',
    'He said "c\'est la vie" and left.',
    'Postgres 16 on Hetzner',
    'Lunch with Emre at noon',
  ])('is not: %s', (text) => expect(isForeign(text)).toBe(false))
})
