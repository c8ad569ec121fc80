/** `npm run bench:guard`: detection rate, false positives and cost of the guard. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type GuardClassifier,
  openCrossValidation,
  openGuardClassifier,
} from '../../packages/server/src/guard/classifier.js'
import { contentGuard, openContentGuard, ruleGuard } from '../../packages/server/src/guard/content-guard.js'
import type { Guard } from '../../packages/server/src/models/models.js'
import { exists } from '../quality/rows.js'
import { markdownTable } from '../table.js'
import { encodings } from './encodings.js'
import { keywordGuard } from './keywords.js'
import { type Case, type MeasuredSet, readDialogues, readInjectionSets } from './sets.js'
import { measureTime } from './time.js'

const repository = fileURLToPath(new URL('../../', import.meta.url))
const resultsDirectory = join(repository, 'bench/results')
const threshold = 0.5

/** A guard for a case: its classifier was not trained on that case. */
type Contender = (fold: number | null) => Guard

interface Share {
  readonly count: number
  readonly flagged: number
}

interface SetResult {
  readonly name: string
  readonly attacks: Readonly<Record<string, Share>>
  readonly benign: Readonly<Record<string, Share>>
}

const names = ['guard', 'rules', 'classifier', 'keywords'] as const

async function contendersOf(): Promise<Record<(typeof names)[number], Contender>> {
  const shipped = await openGuardClassifier()
  const folds = await openCrossValidation()
  const over = (make: (classifier: GuardClassifier) => Guard): Contender => {
    const all = make(shipped)
    const without = folds.map(make)
    return (fold) => (fold === null ? all : (without[fold] ?? all))
  }
  const rules = ruleGuard()
  const keywords = keywordGuard()
  return {
    guard: over((classifier) => contentGuard({ classifier })),
    rules: () => rules,
    classifier: over((classifier) => contentGuard({ classifier, useRules: false })),
    keywords: () => keywords,
  }
}

function shareOf(cases: readonly Case[], contender: Contender): Share {
  const flagged = cases.filter(({ text, fold }) => contender(fold).inspect(text).trustScore < threshold).length
  return { count: cases.length, flagged }
}

function measureSet(set: MeasuredSet, contenders: Record<string, Contender>): SetResult {
  const shares = (cases: readonly Case[]) =>
    Object.fromEntries(Object.entries(contenders).map(([name, contender]) => [name, shareOf(cases, contender)]))
  return {
    name: set.name,
    attacks: shares(set.cases.filter(({ attack }) => attack)),
    benign: shares(set.cases.filter(({ attack }) => !attack)),
  }
}

const percent = ({ count, flagged }: Share) => (count === 0 ? '' : `${((100 * flagged) / count).toFixed(1)}%`)

function table(title: string, results: readonly SetResult[], part: 'attacks' | 'benign'): string {
  const rows = results
    .filter((result) => (result[part].guard?.count ?? 0) > 0)
    .map((result) => [
      result.name,
      String(result[part].guard?.count),
      ...names.map((name) => percent(result[part][name] ?? { count: 0, flagged: 0 })),
    ])
  return markdownTable([title, 'texts', ...names], rows)
}

const mostEncoded = 200
const longestEncoded = 600

/**
 * For attacks that are found in plain text: how many are found when encoded. For ordinary turns: how many are refused
 * because they are encoded.
 */
function measureEncodings(sets: readonly MeasuredSet[], dialogues: readonly MeasuredSet[], contender: Contender) {
  const isFound = ({ text, fold }: Case) => contender(fold).inspect(text).trustScore < threshold
  const isShort = ({ text }: Case) =>
    text.length >= 24 && text.length <= longestEncoded && !/[\ud800-\udfff]/.test(text)
  const spread = (cases: readonly Case[]) =>
    cases.filter((_, index) => index % Math.max(1, Math.floor(cases.length / mostEncoded)) === 0).slice(0, mostEncoded)
  const attacks = spread(sets.flatMap(({ cases }) => cases.filter((one) => one.attack && isShort(one))).filter(isFound))
  const ordinary = spread(dialogues.flatMap(({ cases }) => cases.filter(isShort)))
  return encodings.map(({ name, encode }) => {
    const share = (cases: readonly Case[]): Share => ({
      count: cases.length,
      flagged: cases.filter((one) => isFound({ ...one, text: encode(one.text) })).length,
    })
    return { name, attacks: share(attacks), ordinary: share(ordinary) }
  })
}

async function run(): Promise<void> {
  const data = process.env.KEEPSAKE_DATA || join(repository, '../shared/data')
  const guard = await openContentGuard()
  console.log(
    `${markdownTable(
      ['time', 'ms'],
      measureTime(guard).map(({ name, ms }) => [name, ms.toFixed(2)]),
    )}\n`,
  )
  if (!(await exists(join(data, 'injection')))) {
    return console.log(
      `The data folder ${data} does not exist (set KEEPSAKE_DATA to use another): measured only the time.`,
    )
  }
  const contenders = await contendersOf()
  const sets = await readInjectionSets(data)
  const dialogues = await readDialogues(data, (name) => console.log(`${name} does not exist: skipped`))
  const labelled = sets.map((set) => measureSet(set, contenders))
  const spoken = dialogues.map((set) => measureSet(set, contenders))
  console.log(`${table('attacks found', labelled, 'attacks')}\n`)
  console.log(`${table('harmless refused', [...labelled, ...spoken], 'benign')}\n`)
  const encoded = measureEncodings(sets, dialogues, contenders.guard)
  const rows = encoded.map(({ name, attacks, ordinary }) => [name, percent(attacks), percent(ordinary)])
  console.log(markdownTable(['encoded', 'attacks found', 'ordinary turns refused'], rows))
  await mkdir(resultsDirectory, { recursive: true })
  const path = join(resultsDirectory, 'guard.json')
  await writeFile(
    path,
    `${JSON.stringify({ threshold, labelled, spoken, encoded, time: measureTime(guard) }, null, 2)}\n`,
  )
  console.log(`\n${path}`)
}

await run()
