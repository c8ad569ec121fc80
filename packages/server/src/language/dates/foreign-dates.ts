/**
 * The times that a text in German, Spanish, French, Portuguese, Italian, Dutch, Russian, Chinese or Japanese mentions. English has its own readers.
 * Where a text may be in two languages that read a word differently, the word counts in neither.
 */
import { masked } from '../sentences/mask.js'
import { type Language, languagesOf, latinCandidatesOf } from '../words/language-of.js'
import { dutch, french, german, italian, portuguese, russian, spanish } from './date-words.js'
import { eastAsianTimes } from './east-asian-dates.js'
import { type FoundTime, SpacedDates } from './spaced-dates.js'

const tables = { de: german, es: spanish, fr: french, pt: portuguese, it: italian, nl: dutch, ru: russian }
const readers = Object.fromEntries(
  Object.entries(tables).map(([language, words]) => [language, new SpacedDates(words)]),
) as Readonly<Record<keyof typeof tables, SpacedDates>> // Object.fromEntries loses the type of the keys.

/** A quick check, because most texts mention no time. */
const mayHaveTime = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${Object.values(tables)
    .filter((words) => words !== russian)
    .flatMap(({ months, weekdays, seasons, days, before, after, ago, ahead }) => [
      ...months,
      ...weekdays,
      ...seasons,
      ...days.map(([source]) => source),
      ...Object.values(before),
      ...Object.values(after),
      ...[...ago, ...ahead].map((template) => template.replace(/\b[NU]\b/gu, '').trim()),
    ])
    .map((source) => `(?:${source})`)
    .join('|')})`,
  'iu',
)
const yearAlone = /(?<!\d)(?:19|20)\d\d(?!\d)/u
const otherScript = /[\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

export function foreignTimes(text: string): FoundTime[] {
  const said = text.normalize('NFC')
  if (otherScript.test(said)) return agreed(said, languagesOf(said), readingsOf(said))
  // Most texts are English, whatever language a date would speak for.
  const candidates = latinCandidatesOf(said)
  if (candidates.length === 0) return []
  if (!mayHaveTime.test(said) && !yearAlone.test(said)) return []
  const timesIn = readingsOf(said)
  const told = candidates.filter(
    (language) => readers[language].friendsIn(said).length > 0 || timesIn(language).some(({ bare }) => !bare),
  )
  return agreed(said, languagesOf(said, told), timesIn)
}

type Readings = (language: Language) => readonly FoundTime[]

/** Reads a text in each language at most once. */
function readingsOf(text: string): Readings {
  const known = new Map<Language, readonly FoundTime[]>()
  const own = masked(text)
  return (language) => {
    const times =
      known.get(language) ??
      (language === 'zh' || language === 'ja' ? eastAsianTimes(text, language) : readers[language].timesIn(own))
    known.set(language, times)
    return times
  }
}

/** What one candidate reads and no other one contradicts. */
function agreed(text: string, languages: readonly Language[], timesIn: Readings): FoundTime[] {
  const readings = languages.map((language) => ({ language, times: timesIn(language) }))
  const kept: FoundTime[] = []
  for (const { language, times } of readings) {
    for (const time of times) {
      const isDisputed = readings.some(
        (other) => other.language !== language && contradicts(text, other.language, other.times, time),
      )
      if (!isDisputed && !kept.some((known) => overlap(known, time))) kept.push(time)
    }
  }
  return kept.sort((a, b) => a.start - b.start)
}

function contradicts(text: string, language: Language, times: readonly FoundTime[], found: FoundTime): boolean {
  const other = times.find((time) => overlap(time, found))
  if (other) return JSON.stringify(other.time) !== JSON.stringify(found.time)
  // Characters without a reading in Chinese, such as 3日前, are read by Japanese alone only if there is kana.
  if (language === 'zh') return /日[前後]$/u.test(text.slice(found.start, found.end))
  return language !== 'ja' && readers[language].friendsIn(text).some((friend) => overlap(friend, found))
}

function overlap(a: Pick<FoundTime, 'start' | 'end'>, b: Pick<FoundTime, 'start' | 'end'>): boolean {
  return a.start < b.end && b.start < a.end
}
