/** Totals as tables, without any text of a case. */
import { markdownTable } from '../table.js'
import { namesF1, type PersonScore, type Share, sumOf, sumOfNames } from './score.js'

export interface LanguageResult {
  readonly language: string
  readonly people: readonly Omit<PersonScore, 'failures'>[]
  readonly mixed: Share
}

export interface ShortTextsResult {
  readonly language: string
  readonly chatterStored: Share
  readonly statementsLost: Share
  readonly attacksFound: Share
  readonly harmlessRefused: Share
}

const columns = [
  'right first',
  `in the first 3`,
  'changed fact first or replaced',
  'replaced',
  'names F1',
  'without types',
  'text unchanged',
  'other language first',
  'refused',
]

export function totalsTable(results: readonly LanguageResult[]): string {
  const all = {
    language: 'all',
    people: results.flatMap(({ people }) => people),
    mixed: sumOf(results.map(({ mixed }) => mixed)),
  }
  return markdownTable(['%', 'questions', ...columns], [...results, all].map(totalsRow))
}

function totalsRow({ language, people, mixed }: LanguageResult): string[] {
  const sum = (field: 'first' | 'inThree' | 'changed' | 'replaced' | 'unchangedText') =>
    percentOf(sumOf(people.map((person) => person[field])))
  const names = namesF1(sumOfNames(people.map((person) => person.names)))
  return [
    language,
    String(sumOf(people.map(({ first }) => first)).of),
    sum('first'),
    sum('inThree'),
    sum('changed'),
    sum('replaced'),
    (100 * names.typed).toFixed(1),
    (100 * names.untyped).toFixed(1),
    sum('unchangedText'),
    percentOf(mixed),
    String(people.reduce((total, { refused }) => total + refused, 0)),
  ]
}

export function shortTextsTable(results: readonly ShortTextsResult[]): string {
  const fields = ['chatterStored', 'statementsLost', 'attacksFound', 'harmlessRefused'] as const
  const titles = ['small talk stored', 'statements lost', 'attacks found', 'harmless refused']
  const row = (language: string, some: readonly ShortTextsResult[]) => [
    language,
    ...fields.map((field) => percentOf(sumOf(some.map((result) => result[field])))),
  ]
  const rows = results.map((result) => row(result.language, [result]))
  return markdownTable(['%', ...titles], [...rows, row('all', results)])
}

function percentOf({ count, of }: Share): string {
  return of === 0 ? '–' : ((100 * count) / of).toFixed(1)
}
