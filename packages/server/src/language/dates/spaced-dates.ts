/** Reads the time words of one language that writes spaces. */
import type { DateWords } from './date-words.js'
import type { SpokenTime, Unit, Which } from './spoken-time.js'

export interface FoundTime {
  readonly start: number
  readonly end: number
  readonly time: SpokenTime
  /** A month, weekday or year on its own: a time in a question, too vague in a memory. */
  readonly bare: boolean
  /** Everything on one side of it: "since March". */
  readonly relation: 'since' | 'earlier' | 'until' | 'later' | null
}

type Groups = Readonly<Record<string, string | undefined>>

interface Rule {
  readonly pattern: RegExp
  /** A word that every match has. Most texts have none, and one test serves many rules. */
  readonly needs: RegExp
  readonly bare: boolean
  readonly read: (groups: Groups) => SpokenTime | null
}

const open = '(?<![\\p{L}\\p{N}])'
const shut = '(?![\\p{L}\\p{N}])'
const year = '(?<year>(?:19|20)\\d\\d)'
const link = '[ ,]{1,2}(?:(?:de la|de|della|da|der|am|van de|van|на|в|во|el|le|o) )?'
const mostTimes = 8

export class SpacedDates {
  private readonly rules: readonly Rule[]
  private readonly past: RegExp | null
  private readonly relations: readonly (readonly [Exclude<FoundTime['relation'], null>, RegExp])[]
  private readonly friends: RegExp | null

  constructor(private readonly words: DateWords) {
    this.rules = this.rulesOf()
    this.past = words.past === undefined ? null : this.expression(words.past)
    this.friends = words.falseFriends === undefined ? null : this.expression(words.falseFriends)
    const before = (source: string) => new RegExp(`${open}(?:${source}) $`, 'iu')
    this.relations = [
      ['since', before(words.since)],
      ['earlier', before(words.earlier)],
      ['until', before(words.until)],
      ['later', before(words.later)],
    ]
  }

  /** `said`: a text without what others said. */
  timesIn(said: string): FoundTime[] {
    const found: FoundTime[] = []
    const taken: { start: number; end: number }[] = []
    const known = new Map<RegExp, boolean>()
    for (const { pattern, needs, bare, read } of this.rules) {
      const mayMatch = known.get(needs) ?? needs.test(said)
      known.set(needs, mayMatch)
      if (!mayMatch) continue
      for (const match of said.matchAll(pattern)) {
        const start = match.index
        const end = start + match[0].length
        if (taken.some((other) => start < other.end && other.start < end)) continue
        const time = read(match.groups ?? {})
        if (time === null || this.isOther(said, match[0], start, end, time)) continue
        taken.push({ start, end })
        found.push({ start, end, time, bare, relation: this.relationAt(said, start) })
        if (found.length === mostTimes) return found
      }
    }
    return found
  }

  /** Places of words that look like a date of another language. */
  friendsIn(text: string): { start: number; end: number }[] {
    if (!this.friends) return []
    return [...text.matchAll(this.friends)].map(({ index, 0: word }) => ({ start: index, end: index + word.length }))
  }

  private isOther(said: string, words: string, start: number, end: number, time: SpokenTime): boolean {
    const before = said.slice(Math.max(0, start - 24), start)
    // "Demain" with a capital inside a sentence is a name, "der Morgen" a noun.
    if (time.kind === 'day' && /^\p{Lu}/u.test(words) && /[\p{L}\p{N},;&]\s*$/u.test(before)) return true
    if (time.kind === 'amount' && time.sign === 1 && this.past !== null && said.search(this.past) !== -1) return true
    // "The last week of June".
    return time.kind === 'unit' && /^ (?:des|von|vom|de|du|van|del|della) /iu.test(said.slice(end, end + 12))
  }

  private relationAt(said: string, start: number): FoundTime['relation'] {
    const before = said.slice(Math.max(0, start - 24), start)
    return this.relations.find(([, pattern]) => pattern.test(before))?.[0] ?? null
  }

  private expression(source: string): RegExp {
    return new RegExp(`${open}(?:${source})${shut}`, 'giu')
  }

  private rulesOf(): Rule[] {
    const { words } = this
    const { month, someMonth, weekday, season, unit, number } = sourcesOf(words)
    const which = (noun: string, side: 'before' | 'after') =>
      Object.entries(words[side]).map(([name, source]) => {
        const group = `(?<${name}>${source})`
        return side === 'before' ? `${group} ${noun}` : `${noun} ${group}`
      })
    const rule = (source: string, needs: RegExp, read: Rule['read'], bare = false): Rule => ({
      pattern: this.expression(source),
      needs,
      bare,
      read,
    })
    const named = (noun: string, needs: RegExp, read: Rule['read']) =>
      (['after', 'before'] as const).flatMap((side) => which(noun, side).map((source) => rule(source, needs, read)))
    const week = (['before', 'after'] as const).flatMap((side) => which(`(?:${words.units.week})`, side))
    const date = (groups: Groups) => this.dateOf(groups)
    const amount = (templates: readonly string[], sign: 1 | -1) =>
      templates.map((template) =>
        rule(filled(template, number, unit), has.unit, (groups) => this.amountOf(groups, sign)),
      )
    const has = neededWords(words)
    return [
      rule(
        `(?<date>\\d{1,2})(?:\\.|er|[ºª°]|-го)? (?:de |d['’])?${someMonth}\\.?(?:,? (?:de |del )?${year})?`,
        has.month,
        date,
      ),
      rule(`${month}(?:,? (?:de |del ))? ?(?<= )${year}`, has.month, date),
      rule(`${month},? (?:de |del )${year}`, has.month, date),
      rule(`${season},? (?:de |del |des jahres )?${year}`, has.season, date),
      ...week.flatMap((source) => [
        rule(`${source}${link}${weekday}`, has.weekday, (groups) => this.weekdayOf(groups, true)),
        rule(`${weekday}${link}${source}`, has.weekday, (groups) => this.weekdayOf(groups, true)),
      ]),
      ...named(month, has.month, date),
      ...named(season, has.season, date),
      ...named(weekday, has.weekday, (groups) => this.weekdayOf(groups, false)),
      ...named(unit, has.unit, (groups) => this.unitOf(groups)),
      ...amount(words.ago, -1),
      ...amount(words.ahead, 1),
      ...words.days.map(([source, offset]) => rule(source, has.day, () => ({ kind: 'day', offset }))),
      rule(`(?<=${open}(?:${words.prepositions}) )(?:${month}|${season}|${year})`, has.bare, date, true),
      rule(
        `(?<=${open}(?:${words.prepositions}) )${weekday}`,
        has.weekday,
        (groups) => this.weekdayOf(groups, false),
        true,
      ),
    ]
  }

  private dateOf(groups: Groups): SpokenTime | null {
    const day = groups.date === undefined ? undefined : Number(groups.date)
    if (day !== undefined && (day < 1 || day > 31)) return null
    const month =
      groups.month === undefined
        ? undefined
        : Math.max(indexIn(this.words.months, groups.month), indexIn(this.words.shortMonths, groups.month))
    const season = groups.season === undefined ? undefined : indexIn(this.words.seasons, groups.season)
    return {
      kind: 'date',
      which: whichOf(groups),
      date: {
        ...(day === undefined ? {} : { day }),
        ...(month === undefined ? {} : { month }),
        ...(season === undefined ? {} : { season }),
        ...(groups.year === undefined ? {} : { year: Number(groups.year) }),
      },
    }
  }

  private weekdayOf(groups: Groups, ofWeek: boolean): SpokenTime {
    const weekday = indexIn(this.words.weekdays, groups.weekday ?? '')
    const which = whichOf(groups)
    if (!ofWeek || which === null) return { kind: 'weekday', weekday, which }
    return {
      kind: 'weekday',
      weekday,
      which,
      weeks: which === 'this' ? 0 : which === 'coming' || which === 'next' ? 1 : -1,
    }
  }

  /** "This day" is not today, and "the last day" no day in particular. */
  private unitOf(groups: Groups): SpokenTime | null {
    const [unit, which] = [unitOf(groups), whichOf(groups)]
    return unit === null || which === null || unit === 'day' ? null : { kind: 'unit', unit, which }
  }

  private amountOf(groups: Groups, sign: 1 | -1): SpokenTime | null {
    const unit = unitOf(groups)
    const { count: said } = groups
    const count = said === undefined ? 1 : /^\d/u.test(said) ? Number(said) : indexIn(this.words.numbers, said) + 1
    return unit === null || unit === 'weekend' || count < 1 ? null : { kind: 'amount', count, unit, sign }
  }
}

/** The words of a table as groups of a pattern. */
function sourcesOf(words: DateWords) {
  const units = (['weekend', 'day', 'week', 'month', 'year'] as const).map((unit) => `(?<${unit}>${words.units[unit]})`)
  return {
    month: `(?<month>${words.months.join('|')})`,
    someMonth: `(?<month>${[...words.months, ...words.shortMonths].join('|')})`,
    weekday: `(?<weekday>${words.weekdays.join('|')})`,
    season: `(?<season>${words.seasons.join('|')})`,
    unit: `(?:${units.join('|')})`,
    number: `(?<count>\\d{1,3}|${words.numbers.join('|')})`,
  }
}

function neededWords(words: DateWords) {
  const { month, someMonth, weekday, season, unit } = sourcesOf(words)
  return {
    month: word(someMonth),
    season: word(season),
    weekday: word(weekday),
    unit: word(unit),
    day: word(words.days.map(([source]) => source).join('|')),
    bare: word(`${month}|${season}|${year}`),
  }
}

/** Any of some words. Every rule has something else than a letter or a number on both sides of them. */
function word(source: string): RegExp {
  return new RegExp(`${open}(?:${source})${shut}`, 'iu')
}

function filled(template: string, number: string, unit: string): string {
  return template.replace('N', number).replace('U', unit)
}

function indexIn(sources: readonly string[], word: string): number {
  return sources.findIndex((source) => new RegExp(`^(?:${source})$`, 'iu').test(word))
}

const whiches: readonly Which[] = ['last', 'previous', 'this', 'coming', 'next']
const allUnits: readonly Unit[] = ['day', 'week', 'weekend', 'month', 'year']

function whichOf(groups: Groups): Which | null {
  return whiches.find((name) => groups[name] !== undefined) ?? null
}

function unitOf(groups: Groups): Unit | null {
  // A year as a number has a group of the same name.
  return allUnits.find((name) => groups[name] !== undefined) ?? null
}
