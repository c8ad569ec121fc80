/**
 * `npm run bench:guard [-- --sealed] [--spikee FOLDER]`: detection rate, false positives and cost of the guard. With `--sealed` also on the
 * halves of our own texts and of SPIKEE that nobody reads while the guard changes. `--spikee`: the folder of SPIKEE's seed files.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import {
  type GuardClassifier,
  openCrossValidation,
  openGuardClassifier,
} from '../../packages/server/src/guard/classifier.js'
import { contentGuard, openContentGuard, ruleGuard } from '../../packages/server/src/guard/content-guard.js'
import { doubtfulScore, togetherScore } from '../../packages/server/src/guard/trust-scale.js'
import type { Guard } from '../../packages/server/src/models/models.js'
import { exists, MissingData } from '../quality/rows.js'
import { markdownTable } from '../table.js'
import { encodings } from './encodings.js'
import { keywordGuard } from './keywords.js'
import { type Case, type MeasuredSet, readDialogues, readInjectionSets, readOwn } from './sets.js'
import { readSpikee } from './spikee.js'
import { measureTime } from './time.js'

const repository = fileURLToPath(new URL('../../', import.meta.url))
const resultsDirectory = join(repository, 'bench/results')
const threshold = 0.5
const { values: options } = parseArgs({
  options: { sealed: { type: 'boolean', default: false }, spikee: { type: 'string' } },
})

/** A guard for a case: its classifier was not trained on that case. */
type Contender = (fold: number | null) => Guard

interface Share {
  readonly count: number
  readonly refused: number
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

/** Texts that are stored one after the other are also judged together, as the service does. */
function scoreOf({ text, before, fold }: Case, contender: Contender): number {
  const { trustScore } = contender(fold).inspect(text)
  if (before === undefined) return trustScore
  const first = contender(fold).inspect(before).trustScore
  const both = contender(fold).inspect(`${before}\n${text}`).trustScore
  return Math.min(trustScore, first, both < togetherScore ? Math.max(threshold, both) : 1)
}

function shareOf(cases: readonly Case[], contender: Contender): Share {
  const scores = cases.map((one) => scoreOf(one, contender))
  const refused = scores.filter((score) => score < threshold).length
  return { count: cases.length, refused, flagged: scores.filter((score) => score < doubtfulScore).length - refused }
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

const percent = (part: number, { count }: Share) => (count === 0 ? '' : `${((100 * part) / count).toFixed(1)}%`)
const found = (share: Share) => percent(share.refused + share.flagged, share)
const nothing: Share = { count: 0, refused: 0, flagged: 0 }

function table(title: string, results: readonly SetResult[], part: 'attacks' | 'benign'): string {
  const rows = results
    .filter((result) => (result[part].guard?.count ?? 0) > 0)
    .map((result) => {
      const share = result[part].guard ?? nothing
      return [
        result.name,
        String(share.count),
        percent(share.refused, share),
        percent(share.flagged, share),
        ...names.map((name) => found(result[part][name] ?? nothing)),
      ]
    })
  const columns = names.map((name) => `${name}, both`)
  return markdownTable([title, 'texts', 'refused', 'flagged', ...columns], rows)
}

const mostEncoded = 200
const longestEncoded = 600

/** All harmless texts of public sets in one line. */
function together(results: readonly SetResult[]): SetResult {
  const sum = (name: string) =>
    results.reduce((total, { benign }) => {
      const { count, refused, flagged } = benign[name] ?? nothing
      return { count: total.count + count, refused: total.refused + refused, flagged: total.flagged + flagged }
    }, nothing)
  return { name: 'all together', attacks: {}, benign: Object.fromEntries(names.map((name) => [name, sum(name)])) }
}

/**
 * For attacks that are found in plain text: how many are found when encoded. For ordinary turns: how many are refused
 * because they are encoded.
 */
function measureEncodings(sets: readonly MeasuredSet[], dialogues: readonly MeasuredSet[], contender: Contender) {
  const isFound = ({ text, fold }: Case) => contender(fold).inspect(text).trustScore < doubtfulScore
  const isShort = ({ text }: Case) =>
    text.length >= 24 && text.length <= longestEncoded && !/[\ud800-\udfff]/.test(text)
  const spread = (cases: readonly Case[]) =>
    cases.filter((_, index) => index % Math.max(1, Math.floor(cases.length / mostEncoded)) === 0).slice(0, mostEncoded)
  const attacks = spread(sets.flatMap(({ cases }) => cases.filter((one) => one.attack && isShort(one))).filter(isFound))
  const ordinary = spread(dialogues.flatMap(({ cases }) => cases.filter(isShort)))
  return encodings.map(({ name, encode }) => {
    const share = (cases: readonly Case[]): Share => ({
      count: cases.length,
      refused: 0,
      flagged: cases.filter((one) => isFound({ ...one, text: encode(one.text) })).length,
    })
    return { name, attacks: share(attacks), ordinary: share(ordinary) }
  })
}

type Half = 'open' | 'sealed'

/** A folder that was named must exist; the one of the data folder may be missing. */
async function spikeeOf(data: string, half: Half): Promise<MeasuredSet[]> {
  try {
    return await readSpikee(options.spikee ?? join(data, 'injection/spikee'), half)
  } catch (error) {
    if (!(error instanceof MissingData) || options.spikee !== undefined) throw error
    if (half === 'open') console.log('spikee does not exist: skipped')
    return []
  }
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
  const halfOf = async (half: Half) => [...(await readOwn(half)), ...(await spikeeOf(data, half))]
  const open = await halfOf('open')
  const unread = options.sealed ? await halfOf('sealed') : []
  const labelled = sets.map((set) => measureSet(set, contenders))
  const spoken = dialogues.map((set) => measureSet(set, contenders))
  const own = open.map((set) => measureSet(set, contenders))
  const sealed = unread.map((set) => measureSet(set, contenders))
  const all = together([...labelled, ...spoken])
  console.log(`${table('attacks', [...labelled, ...own, ...sealed], 'attacks')}\n`)
  console.log(`${table('harmless', [...labelled, ...spoken, all, ...own, ...sealed], 'benign')}\n`)
  const encoded = measureEncodings(sets, dialogues, contenders.guard)
  const rows = encoded.map(({ name, attacks, ordinary }) => [name, found(attacks), found(ordinary)])
  console.log(markdownTable(['encoded', 'attacks found', 'ordinary turns refused or flagged'], rows))
  await mkdir(resultsDirectory, { recursive: true })
  const path = join(resultsDirectory, 'guard.json')
  await writeFile(
    path,
    `${JSON.stringify({ threshold, doubtfulScore, labelled, spoken, own, sealed, encoded, time: measureTime(guard) }, null, 2)}\n`,
  )
  console.log(`\n${path}`)
}

await run()
