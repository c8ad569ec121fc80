/** Measures the chosen parts and prints a table for each. */
import type { Embedder } from '../../../packages/server/src/models/models.js'
import { markdownTable } from '../../table.js'
import { type DoorService, throughDoor } from '../doors.js'
import { type Outcome, summarize } from '../metrics.js'
import { MissingData } from '../rows.js'
import { deepest, type RetrievalTask, type Source } from '../task.js'
import { madialZh, memdailyNoise } from './chinese.js'
import {
  englishQuestionSet,
  namesByLanguage,
  questionLanguages,
  questionSet,
  ratedLanguages,
  ratedPairs,
  sampled,
  translationLanguages,
  translations,
} from './data.js'
import { measureNames } from './names.js'
import { inEnglish, passageTask, sameLanguage } from './passages.js'
import { agreement, passagesFound, translationsFound } from './vectors.js'
import { passagesFoundByWords, wordSearch } from './words.js'

export interface Measured {
  readonly source: Source
  readonly embedder: Embedder
  openService(): Promise<DoorService>
}

/** Figures by language or system; shares are from 0 to 1. */
export type Figures = Readonly<Record<string, Readonly<Record<string, number>>>>

type MeasurePart = (measured: Measured) => Promise<Figures>

const sampleSize = 250
const passageDepth = 5
/** Questions per language and kind that go through HTTP, which takes longer than comparing vectors. */
const passageSample = 100
const metrics = ['any@1', 'any@5', 'any@10'] as const

const parts: Readonly<Record<string, { readonly title: string; readonly measure: MeasurePart }>> = {
  tatoeba: { title: 'Tatoeba: the translation is the nearest English sentence', measure: measureTranslations },
  xquad: { title: `XQuAD: the passage is among the first ${passageDepth}`, measure: measurePassages },
  passages: {
    title: `XQuAD through HTTP: the passage is among the first ${passageDepth}`,
    measure: passagesThroughHttp,
  },
  stsb: { title: 'STSb: rank correlation of cosine and rating', measure: measureRated },
  names: { title: 'Names of people, organisations and places (MemPalace)', measure: namesFound },
  [madialZh.name]: {
    title: `${madialZh.title}, through HTTP`,
    measure: (measured) => conversations(measured, madialZh),
  },
  [memdailyNoise.name]: {
    title: `${memdailyNoise.title}, through HTTP`,
    measure: (measured) => conversations(measured, memdailyNoise),
  },
}

export const languageParts: readonly string[] = Object.keys(parts)

/** Prints each part when it is done. A part without data is skipped. */
export async function measureLanguages(
  measured: Measured,
  chosen: ReadonlySet<string>,
): Promise<Record<string, Figures>> {
  const all: Record<string, Figures> = {}
  for (const [name, { title, measure }] of Object.entries(parts)) {
    if (!chosen.has(name)) continue
    const started = performance.now()
    try {
      const figures = await measure(measured)
      all[name] = figures
      const seconds = ((performance.now() - started) / 1000).toFixed(0)
      console.log(`\n${title} (%; ${seconds} s)\n\n${figuresTable(figures)}`)
    } catch (error) {
      if (!(error instanceof MissingData)) throw error
      console.log(`\n${name} skipped: ${error.message}`)
    }
  }
  return all
}

function figuresTable(figures: Figures): string {
  const columns = [...new Set(Object.values(figures).flatMap((row) => Object.keys(row)))]
  const cell = (value: number | undefined) => (value === undefined ? '' : (100 * value).toFixed(1))
  const rows = Object.entries(figures).map(([name, row]) => [name, ...columns.map((column) => cell(row[column]))])
  return markdownTable(['', ...columns], rows)
}

/* ------------------------------------------------------------------ parts */

async function measureTranslations({ source, embedder }: Measured): Promise<Figures> {
  const figures: Record<string, Record<string, number>> = {}
  for (const language of await translationLanguages(source.directory)) {
    const all = await translations(source.directory, language)
    const asked = source.full ? all : sampled(all, sampleSize)
    figures[language] = { 'P@1': await translationsFound(embedder, all, asked) }
  }
  return withMean(figures)
}

async function measurePassages({ source, embedder }: Measured): Promise<Figures> {
  const { directory } = source
  const languages = await questionLanguages(directory)
  const half = await questionSet(directory, languages[0] ?? '')
  const english = await englishQuestionSet(directory, half)
  const asked = <T>(questions: readonly T[]) => (source.full ? questions : sampled(questions, sampleSize))
  const englishQuestions = asked(english.questions)
  const found = async ({ passages, questions }: typeof half) => ({
    'same language': await passagesFound(embedder, passages, asked(questions), passageDepth),
    'English question': await passagesFound(embedder, passages, englishQuestions, passageDepth),
    // Words cost nothing, so all questions are asked.
    'BM25, first': passagesFoundByWords(passages, questions, 1),
    [`BM25, first ${passageDepth}`]: passagesFoundByWords(passages, questions, passageDepth),
  })
  const figures: Record<string, Record<string, number>> = {}
  for (const language of languages) figures[language] = await found(await questionSet(directory, language))
  return { en: await found(english), ...withMean(figures) }
}

/** Words and vectors together, with default settings, as an application has it. */
async function passagesThroughHttp({ source, openService }: Measured): Promise<Figures> {
  const languages = await questionLanguages(source.directory)
  const half = await questionSet(source.directory, languages[0] ?? '')
  const figures: Record<string, Record<string, number>> = {}
  for (const language of ['en', ...languages]) {
    const service = await openService()
    try {
      const task = passageTask(language, half, passageSample)
      const { outcomes } = await throughDoor(service, task, source, 'content')
      const found = (kind: string) =>
        summarize(outcomes.filter(({ category }) => category === kind))?.metrics['any@5'] ?? Number.NaN
      const english = language === 'en' ? {} : { [inEnglish]: found(inEnglish) }
      figures[language] = { [sameLanguage]: found(sameLanguage), ...english }
    } finally {
      await service.close()
    }
  }
  const { en = {}, ...others } = figures
  return { en, ...withMean(others) }
}

async function measureRated({ source, embedder }: Measured): Promise<Figures> {
  const figures: Record<string, Record<string, number>> = {}
  for (const language of await ratedLanguages(source.directory)) {
    if (language === 'rows') continue
    const pairs = await ratedPairs(source.directory, language)
    figures[language] = { Spearman: await agreement(embedder, source.full ? pairs : sampled(pairs, sampleSize)) }
  }
  return withMean(figures)
}

async function namesFound({ source }: Measured): Promise<Figures> {
  const measured = await measureNames(await namesByLanguage(source.directory))
  const figures = measured.map(({ language, f1, precision, recall, untypedF1 }) => {
    return [language, { F1: f1, precision, recall, 'F1 without types': untypedF1 }] as const
  })
  return withMean(Object.fromEntries(figures))
}

function withMean(figures: Readonly<Record<string, Readonly<Record<string, number>>>>): Figures {
  const rows = Object.values(figures)
  const mean = Object.keys(rows[0] ?? {}).map((column) => {
    return [column, rows.reduce((sum, row) => sum + (row[column] ?? 0), 0) / rows.length] as const
  })
  return { ...figures, mean: Object.fromEntries(mean) }
}

/* ------------------------------------------------------------------ conversations */

/** The service as an application uses it, and plain BM25 over the same lines. */
async function conversations({ source, openService }: Measured, task: RetrievalTask): Promise<Figures> {
  const service = await openService()
  try {
    const { outcomes, turns, memories, refused } = await throughDoor(service, task, source, 'content')
    console.log(
      `\n${task.name}: ${turns} lines, ${memories} memories, ${refused} refused, ${outcomes.length} questions`,
    )
    return { service: metricsOf(outcomes), BM25: metricsOf(await outcomesByWords(task, source)) }
  } finally {
    await service.close()
  }
}

async function outcomesByWords(task: RetrievalTask, source: Source): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for await (const { documents, questions } of task.load(source)) {
    const search = wordSearch(documents.map(({ content }) => content))
    for (const { id, text, category, gold, answerable } of questions) {
      const found = search(text).slice(0, deepest)
      const ranks = found.flatMap((place, index) => (gold.includes(documents[place]?.key ?? '') ? [index + 1] : []))
      outcomes.push({ id, category, answerable, goldCount: gold.length, ranks, topScore: 0 })
    }
  }
  return outcomes
}

function metricsOf(outcomes: readonly Outcome[]): Record<string, number> {
  const summary = summarize(outcomes)
  return Object.fromEntries(metrics.map((name) => [name, summary?.metrics[name] ?? 0]))
}
