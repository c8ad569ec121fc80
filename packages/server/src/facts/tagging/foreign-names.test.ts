import { describe, expect, it } from 'vitest'
import type { SpanSeen } from '../../models/tagger/tag-reading.js'
import { foreignNames } from './foreign-names.js'
import { Tagging } from './rule-tagger.js'

type Found = readonly [string, SpanSeen['type'], number?]

function named(sentence: string, ...found: Found[]): string[] {
  const seen = found.map(([name, type, score = 0.9]) => {
    const start = sentence.indexOf(name)
    return { start, end: start + name.length, type, score }
  })
  return foreignNames(sentence, seen).map(({ name, type, start, end }) => {
    expect(sentence.slice(start, end)).toBe(name)
    return `${type} ${name}`
  })
}

describe('names in other languages', () => {
  it('are those of the model: a capital makes no name', () => {
    expect(named('Der Kindergarten sucht Freiwillige für den Flohmarkt.')).toEqual([])
    expect(named('Meine Schwester Silke wohnt in Leer.', ['Silke', 'PERSON'], ['Leer', 'LOCATION'])).toEqual([
      'PERSON Silke',
      'LOCATION Leer',
    ])
    expect(foreignNames('Morgen kommt Herr Schmidt nach Berlin.', undefined)).toEqual([])
  })

  it('have no title, no Japanese address and no genitive', () => {
    expect(named('Zahnarzt bei Dr. Petersen', ['Dr. Petersen', 'PERSON'])).toEqual(['PERSON Petersen'])
    expect(named('La señora Villaseñor llamó.', ['señora Villaseñor', 'PERSON'])).toEqual(['PERSON Villaseñor'])
    expect(named('佐々木さんと会う', ['佐々木さん', 'PERSON'])).toEqual(['PERSON 佐々木'])
    expect(named('Annas Hund bellt.', ['Annas', 'PERSON'])).toEqual(['PERSON Anna'])
    expect(named('Und dann wird Velkas Stimme weicher.', ['Velkas', 'PERSON'])).toEqual(['PERSON Velka'])
    expect(named('Und dann kommt Ostris Vannau mit.', ['Ostris', 'PERSON', 0.5])).toEqual(['PERSON Ostris'])
    expect(named('weil Jonas Fieber hat', ['Jonas', 'PERSON'])).toEqual(['PERSON Jonas'])
    expect(named('Ich traf Velkas und Ostras in der Stadt.', ['Velkas', 'PERSON'], ['Ostras', 'PERSON'])).toEqual([
      'PERSON Velkas',
      'PERSON Ostras',
    ])
    expect(named('Jonas und Hans kommen.', ['Jonas', 'PERSON'], ['Hans', 'PERSON'])).toEqual([
      'PERSON Jonas',
      'PERSON Hans',
    ])
  })

  it('are joined where the model sees the two names of one person, not two people', () => {
    const two = (sentence: string, one: string, other: string) => named(sentence, [one, 'PERSON'], [other, 'PERSON'])
    expect(two('Mira Ostwaldt prüft den Vertrag.', 'Mira', 'Ostwaldt')).toEqual(['PERSON Mira Ostwaldt'])
    expect(two('Ich weiß, dass Anna Peter liebt.', 'Anna', 'Peter')).toEqual(['PERSON Anna', 'PERSON Peter'])
    expect(two('Mira, Ostwaldt und ich', 'Mira', 'Ostwaldt')).toEqual(['PERSON Mira', 'PERSON Ostwaldt'])
  })

  it('keep Chinese and Japanese letters as they are, also a single one', () => {
    expect(named('我和赵雪在南湖公园。', ['赵雪', 'PERSON'], ['南湖公园', 'LOCATION'])).toEqual([
      'PERSON 赵雪',
      'LOCATION 南湖公园',
    ])
    expect(named('翔は徳島にいる', ['翔', 'PERSON'], ['徳島', 'LOCATION'])).toEqual(['PERSON 翔', 'LOCATION 徳島'])
  })

  it.each<[string, string, SpanSeen['type']?]>([
    ['민준은', '민준'],
    ['김지은', '김지은'],
    ['김지은이', '김지은'],
    ['서울에서', '서울'],
    ['서울로', '서울'],
    ['삼성전자를', '삼성전자'],
    ['수아는', '수아'],
    ['제주도', '제주도', 'LOCATION'],
    ['민준도', '민준'],
  ])('have no Korean particle: %s', (word, name, type = 'PERSON') => {
    expect(named(`${word} 갔어요`, [word, type])).toEqual([`${type} ${name}`])
  })

  it('are no code, no single letter, no doubtful word in small letters', () => {
    expect(named('die Funktion get_name() liefert x', ['get_name()', 'ORG'], ['x', 'PERSON'])).toEqual([])
    expect(named('ich war bei oma', ['oma', 'PERSON', 0.5])).toEqual([])
    expect(named('hab lina getroffen', ['lina', 'PERSON'])).toEqual(['PERSON lina'])
  })

  it('have no genitive where the text also has the name without it', () => {
    const people = (text: string, ...names: string[]) => {
      const tagging = new Tagging(text, { name: 'me', type: 'PERSON', key: 'user:me', aliases: [] })
      const readings = tagging.sentences.map((sentence) => ({
        spans: names.flatMap((name) => {
          const start = sentence.search(new RegExp(`(?<!\\p{L})${name}(?!\\p{L})`, 'u'))
          return start < 0 ? [] : [{ start, end: start + name.length, type: 'PERSON' as const, score: 0.9 }]
        }),
        relations: [],
      }))
      return tagging.result(readings).entities.map(({ name }) => name)
    }
    expect(people('Vendas Boot ist gesunken. Mit Venda fahre ich nicht mehr.', 'Vendas', 'Venda')).toEqual(['Venda'])
    expect(people('Mette Ulversen lacht. Ulversens Bruder weint.', 'Mette Ulversen', 'Ulversens')).toEqual([
      'Mette Ulversen',
      'Ulversen',
    ])
    expect(people('Jonas kommt später nach Hause.', 'Jonas')).toEqual(['Jonas'])
  })

  it('are no German days and no numbered things, and a place stands without its kind', () => {
    expect(named('Wir sehen uns nächsten Donnerstag.', ['Donnerstag', 'LOCATION'])).toEqual([])
    expect(named('Das steht in Kapitel vier der Chronik.', ['Kapitel', 'LOCATION'])).toEqual([])
    expect(named('Die Schule liegt im Bezirk Velderau.', ['Bezirk Velderau', 'ORG'])).toEqual(['LOCATION Velderau'])
    expect(named('Mai Nguyen wohnt jetzt bei uns.', ['Mai Nguyen', 'PERSON'])).toEqual(['PERSON Mai Nguyen'])
  })

  it('leave listed products as they are', () => {
    expect(named('Wir nutzen jetzt PostgreSQL statt Oracle.')).toContain('PRODUCT PostgreSQL')
  })
})
