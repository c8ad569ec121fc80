/**
 * `npm run bench:learn -- FEATURES`: the weights of the fusion and the meaning of the top score, learned from the
 * features of a run (`npm run bench:quality -- --full --features NAME`), and judged on conversations that were held out.
 */
import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { defaultWeights, type FusionWeights } from '../../packages/server/src/retrieval/fuse.js'
import { markdownTable } from '../table.js'
import { type AnswerableCase, calibrate } from './calibration.js'
import { readFeatures } from './features.js'
import {
  type Case,
  casesOf,
  foldsOf,
  judge,
  learnWeights,
  mapWeights,
  objective,
  scoresOf,
  signalsOfBest,
} from './fusion-search.js'
import type { Outcome } from './metrics.js'

const usedSets = ['locomo', 'realtalk', 'beam', 'lme-turn', 'scifact']
const resultsDirectory = fileURLToPath(new URL('../results/', import.meta.url))
const usage = `npm run bench:learn -- FEATURES [--folds N] [--sets a,b]
  FEATURES   what bench:quality --features wrote: a file in bench/results/, or an absolute path
  --folds N  parts that are held out one after the other; 5
  --sets     of those in the file; ${usedSets.join(',')}
Weights are chosen for the mean of any@5, any@10 and MRR, each set counting the same.`

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      folds: { type: 'string', default: '5' },
      sets: { type: 'string', default: usedSets.join(',') },
      help: { type: 'boolean', default: false },
    },
  })
  const [name] = positionals
  if (values.help || name === undefined) return console.log(usage)
  const folds = Number(values.folds)
  if (!Number.isInteger(folds) || folds < 2) throw new Error('--folds: a number from 2')
  const file = isAbsolute(name) ? name : join(resultsDirectory, name)
  if (!existsSync(file)) return console.log(`${file} is not there; bench:quality --features makes it. Skipped.`)
  const features = await readFeatures(file)
  const cases = casesOf(features, values.sets.split(','))
  const sets = [...new Set(cases.map(({ set }) => set))]
  console.log(`${cases.length} questions of ${sets.join(', ')}; embedder ${features.modelId}\n`)
  report(cases, sets, folds)
}

function report(cases: readonly Case[], sets: readonly string[], count: number): void {
  const folds = foldsOf(cases, count)
  const learned = folds.map((fold) => learnWeights(cases.filter((one) => !fold.includes(one))))
  const final = learnWeights(cases)
  const heldOut = folds.flatMap((fold, index) =>
    fold.map((one) => ({ set: one.set, outcome: judge(one, learned[index] ?? defaultWeights) })),
  )
  const under = (weights: FusionWeights) => cases.map((one) => ({ set: one.set, outcome: judge(one, weights) }))
  console.log(
    markdownTable(
      ['per cent: any@5, any@10, MRR', ...sets, 'mean'],
      [
        row('current weights', sets, under(defaultWeights)),
        row('learned, held out', sets, heldOut),
        row('learned, in sample', sets, under(final)),
      ],
    ),
  )
  const names = Object.keys(defaultWeights) as (keyof FusionWeights)[]
  const weightsRow = (label: string, weights: FusionWeights) => [
    label,
    ...names.map((name) => normalised(weights)[name].toFixed(3)),
    percent(objective(cases, weights)),
  ]
  console.log(
    `\n${markdownTable(
      ['weights', ...names, 'all questions'],
      [
        weightsRow('current', defaultWeights),
        ...learned.map((weights, index) => weightsRow(`without part ${index + 1}`, weights)),
        weightsRow('learned of all', final),
      ],
    )}`,
  )
  const parts = folds.map((fold, index) => fold.map((one) => answerableCase(one, learned[index] ?? defaultWeights)))
  console.log(`\n${calibrate(parts)}`)
}

/** Meaning and words share 1; the others are shares already. */
function normalised(weights: FusionWeights): FusionWeights {
  const sum = weights.semantic + weights.keyword
  return mapWeights((name) => (name === 'semantic' || name === 'keyword' ? weights[name] / sum : weights[name]))
}

function row(
  label: string,
  sets: readonly string[],
  judged: readonly { readonly set: string; readonly outcome: Outcome }[],
): string[] {
  const scores = sets.map((set) => scoresOf(judged.filter((one) => one.set === set).map(({ outcome }) => outcome)))
  const mean = scores.reduce((sum, { all }) => sum + all, 0) / scores.length
  const cells = scores.map((score) => [score['any@5'], score['any@10'], score.MRR].map(percent).join(' '))
  return [label, ...cells, percent(mean)]
}

function answerableCase(one: Case, weights: FusionWeights): AnswerableCase {
  const { topScore } = judge(one, weights)
  return { set: one.set, answerable: one.question.answerable, top: topScore, signals: signalsOfBest(one, weights) }
}

function percent(share: number): string {
  return (share * 100).toFixed(1)
}

run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error)
  process.exitCode = 1
})
