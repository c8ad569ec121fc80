/** Reads the multilingual sets: parallel sentences, questions over passages, rated pairs, names. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { random } from '../../random.js'
import type { SentencePair } from '../general.js'
import { allRows, exists, MissingData, readLines } from '../rows.js'

export interface Translation {
  readonly english: string
  readonly foreign: string
}

export interface Passage {
  readonly id: string
  readonly text: string
}

export interface PassageQuestion extends Passage {
  readonly gold: readonly string[]
}

export interface QuestionSet {
  readonly passages: readonly Passage[]
  readonly questions: readonly PassageQuestion[]
}

export interface NamesRow {
  readonly conv: string
  readonly text: string
  readonly entities: readonly { readonly name: string; readonly type: string }[]
}

const developmentHalf = 'multilingual/dev'
const sampleSeed = 18

/** Codes of the languages that the set has. */
async function languagesIn(directory: string, set: string, suffix: string): Promise<string[]> {
  const folder = join(directory, developmentHalf, set)
  if (!(await exists(folder))) throw new MissingData(`${folder} does not exist`)
  const files = await readdir(folder)
  return files.flatMap((file) => (file.endsWith(suffix) ? [file.slice(0, -suffix.length)] : [])).sort()
}

export const translationLanguages = (directory: string) => languagesIn(directory, 'tatoeba', '.tsv.gz')
export const questionLanguages = (directory: string) => languagesIn(directory, 'xquad', '.corpus.jsonl.gz')
export const ratedLanguages = (directory: string) => languagesIn(directory, 'stsb-multi-mt', '.tsv.gz')

export async function translations(directory: string, language: string): Promise<Translation[]> {
  const rows = await tableRows(join(directory, developmentHalf, `tatoeba/${language}.tsv.gz`), 2)
  return rows.map(([english = '', foreign = '']) => ({ english, foreign }))
}

export async function ratedPairs(directory: string, language: string): Promise<SentencePair[]> {
  const rows = await tableRows(join(directory, developmentHalf, `stsb-multi-mt/${language}.tsv.gz`), 4)
  return rows.map(([, a = '', b = '', score]) => ({ a, b, score: Number(score) }))
}

async function tableRows(path: string, columns: number): Promise<string[][]> {
  const rows: string[][] = []
  for await (const line of readLines(path)) {
    const cells = line.split('\t')
    if (cells.length !== columns) throw new Error(`${path}: a line has ${cells.length} columns instead of ${columns}`)
    rows.push(cells)
  }
  return rows
}

export async function questionSet(directory: string, language: string): Promise<QuestionSet> {
  const folder = `${developmentHalf}/xquad/${language}`
  return {
    passages: await allRows<Passage>(directory, `${folder}.corpus`, ['id', 'text']),
    questions: await allRows<PassageQuestion>(directory, `${folder}.queries`, ['id', 'text', 'gold']),
  }
}

/** The English of the same half: passages and questions have the same ids in all languages. */
export async function englishQuestionSet(directory: string, half: QuestionSet): Promise<QuestionSet> {
  const [passages, questions] = [idsOf(half.passages), idsOf(half.questions)]
  const all = await allRows<Passage>(directory, 'xquad/corpus', ['id', 'text'])
  const asked = await allRows<PassageQuestion>(directory, 'xquad/queries', ['id', 'text', 'gold'])
  return { passages: all.filter(({ id }) => passages.has(id)), questions: asked.filter(({ id }) => questions.has(id)) }
}

function idsOf(rows: readonly Passage[]): Set<string> {
  return new Set(rows.map(({ id }) => id))
}

/** By language; Brazilian Portuguese is `pt`. */
export async function namesByLanguage(directory: string): Promise<Map<string, NamesRow[]>> {
  const rows = await allRows<NamesRow>(directory, 'mempalace-entities/rows', ['conv', 'text', 'entities'])
  const byLanguage = new Map<string, NamesRow[]>()
  for (const row of rows) {
    const [language = ''] = row.conv.split('-')
    byLanguage.set(language, [...(byLanguage.get(language) ?? []), row])
  }
  return byLanguage
}

/** At most `count` items, the same ones in every run, in their order. */
export function sampled<T>(all: readonly T[], count: number): T[] {
  const next = random(sampleSeed)
  const drawn = all.map((_, index) => ({ index, at: next() })).sort((a, b) => a.at - b.at)
  const kept = new Set(drawn.slice(0, count).map(({ index }) => index))
  return all.filter((_, index) => kept.has(index))
}
