import { describe, expect, it } from 'vitest'
import * as tables from './date-words.js'
import { type DateWords, german } from './date-words.js'
import { SpacedDates } from './spaced-dates.js'

const languages = Object.entries(tables).filter((entry): entry is [string, DateWords] => 'months' in Object(entry[1]))

/** A word that a source matches: its first choice, without what may be missing. */
const oneOf = (source: string) =>
  source
    .replace(/\(\?<!(?:\([^)]*\)|[^()])*\)/gu, '')
    .replace(/\(\?:([^)|]*)[^)]*\)(\?)?/gu, (_, first: string, optional) => (optional ? '' : first))
    .replace(/\[(.)[^\]]*\](\?)?/gu, (_, first: string, optional) => (optional ? '' : first))
    .replace(/[\p{L}-]\?/gu, '')
    .split('|')[0] ?? ''

/** One text per rule and word. A rule whose needed words are wrong would miss some of them. */
function textsOf(words: DateWords): string[] {
  const nouns = [...words.months, ...words.seasons, ...words.weekdays].map(oneOf)
  const periods = (['week', 'weekend', 'month', 'year'] as const).map((unit) => oneOf(words.units[unit]))
  const units = (['day', 'week', 'month', 'year'] as const).map((unit) => oneOf(words.units[unit]))
  const before = Object.values(words.before).map(oneOf)
  const after = Object.values(words.after).map(oneOf)
  const preposition = words.prepositions.split('|')[0] ?? ''
  return [
    ...[...words.months, ...words.shortMonths].map((month) => `12 ${oneOf(month)}`),
    ...[...words.months, ...words.seasons].map((noun) => `${oneOf(noun)} 2021`),
    ...words.months.map((month) => `${oneOf(month)} de 2021`),
    ...[...nouns, ...periods].flatMap((noun) => before.map((which) => `${which} ${noun}`)),
    ...[...nouns, ...periods].flatMap((noun) => after.map((which) => `${noun} ${which}`)),
    ...before.map((which) => `${which} ${periods[0]} ${oneOf(words.weekdays[0] ?? '')}`),
    ...units.flatMap((unit) =>
      [...words.ago, ...words.ahead].map((template) => template.replace('N', '3').replace('U', unit)),
    ),
    ...words.days.map(([source]) => oneOf(source)),
    ...nouns.map((noun) => `${preposition} ${noun}`),
    `${preposition} 2021`,
  ]
}

describe('SpacedDates', () => {
  it.each(languages)('reads every kind of time in %s', (_, words) => {
    const reader = new SpacedDates(words)
    const unread = textsOf(words).filter((text) =>
      [text, text.toUpperCase(), `. ${text}, `].some((said) => reader.timesIn(said).length === 0),
    )
    expect(unread).toEqual([])
  })

  it('reads nothing where a word of time is a part of another word', () => {
    expect(new SpacedDates(german).timesIn('12 Maibäume, letzte Wochenkarte, Sommersonne 2021x')).toEqual([])
  })
})
