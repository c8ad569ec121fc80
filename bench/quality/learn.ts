/**
 * `npm run bench:learn -- FEATURES`: learns the settings of the fusion (`retrieval/rank/fuse.ts`) from the features of a run
 * (`npm run bench:quality -- --full --features NAME`), and evaluates them on held-out conversations.
 */
import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Ranked } from '../../packages/server/src/retrieval/rank/candidate.js'
import {
  defaultFusion,
  type FusionSettings,
  type FusionWeights,
} from '../../packages/server/src/retrieval/rank/fuse.js'
import { markdownTable } from '../table.js'
import { readFeatures } from './features.js'
import { fuseAgain, rerankAgain } from './fuse-again.js'
import { type Case, casesOf, foldsOf, judge, learnWeights, objective, qualityOf, weightNames } from './fusion-search.js'
import { scaleReport } from './learn-scales.js'
import type { Outcome } from './metrics.js'

const usedSets = ['locomo', 'realtalk', 'beam', 'lme-turn', 'scifact']
const rerankWeights = [0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.125, 0.15, 0.2, 0.3]
const resultsDirectory = fileURLToPath(new URL('../results/', import.meta.url))
const usage = `npm run bench:learn -- FEATURES [--folds N] [--sets a,b]
  FEATURES   output of bench:quality --features: a file in bench/results/, or an absolute path
  --folds N  number of cross-validation folds (default 5)
  --sets     sets to use (default ${usedSets.join(',')})
Weights maximize the mean of any@5, any@10 and MRR; each set has the same weight.`

interface Judged {
  readonly set: string
  readonly outcome: Outcome
}

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
  const count = Number(values.folds)
  if (!Number.isInteger(count) || count < 2) throw new Error('--folds must be a whole number from 2')
  const file = isAbsolute(name) ? name : join(resultsDirectory, name)
  if (!existsSync(file)) return console.log(`${file} does not exist; bench:quality --features writes it. Skipped.`)
  const features = await readFeatures(file)
  const cases = casesOf(features, values.sets.split(','))
  const sets = [...new Set(cases.map(({ set }) => set))]
  if (sets.length === 0) throw new Error(`${name} has no question of ${values.sets}`)
  console.log(`${cases.length} questions of ${sets.join(', ')}; embedder ${features.modelId}\n`)
  const folds = foldsOf(cases, count).filter((fold) => fold.some(({ question }) => question.answerable))
  const learned = folds.map((fold) => settingsWith(learnWeights(without(cases, fold))))
  const final = settingsWith(learnWeights(cases))
  console.log(weightsReport(cases, sets, folds, learned, final))
  console.log(`\n${await rerankReport(cases, sets, folds, learned, final)}`)
  console.log(`\n${await scaleReport(folds, learned, final)}`)
}

function weightsReport(
  cases: readonly Case[],
  sets: readonly string[],
  folds: readonly (readonly Case[])[],
  learned: readonly FusionSettings[],
  final: FusionSettings,
): string {
  const under = (part: readonly Case[], { weights }: FusionSettings): Judged[] =>
    part.map((one) => ({ set: one.set, outcome: judge(one, weights) }))
  const scores = markdownTable(
    ['per cent: any@5 any@10 MRR', ...sets, 'mean'],
    [
      row('current weights', sets, under(cases, defaultFusion)),
      row(
        'learned, held out',
        sets,
        folds.flatMap((fold, index) => under(fold, learned[index] ?? defaultFusion)),
      ),
      row('learned, in sample', sets, under(cases, final)),
    ],
  )
  const weightsRow = (label: string, settings: FusionSettings) => [
    label,
    ...weightNames.map((name) => settings.weights[name].toFixed(3)),
    percent(objective(under(cases, settings))),
  ]
  const weights = markdownTable(
    ['weights', ...weightNames, 'all questions'],
    [
      weightsRow('current', defaultFusion),
      ...learned.map((settings, index) => weightsRow(`without fold ${index + 1}`, settings)),
      weightsRow('learned from all', final),
    ],
  )
  return `${scores}\n\n${weights}`
}

/** The weight of the reranker, chosen on the other folds. */
async function rerankReport(
  cases: readonly Case[],
  sets: readonly string[],
  folds: readonly (readonly Case[])[],
  learned: readonly FusionSettings[],
  final: FusionSettings,
): Promise<string> {
  if (cases.every(({ candidates }) => candidates.every(({ rerank }) => rerank === null))) return 'Nothing was reranked.'
  const under = (part: readonly Fused[], settings: FusionSettings, rerankWeight: number): Promise<Judged[]> =>
    Promise.all(
      part.map(async ({ one, fused }) => ({
        set: one.set,
        outcome: await rerankAgain(one, fused, { ...settings, rerankWeight }),
      })),
    )
  const bestWeight = async (part: readonly Fused[], settings: FusionSettings) => {
    let best = { weight: 0, score: -1 }
    for (const weight of rerankWeights) {
      const score = objective(await under(part, settings, weight))
      if (score > best.score) best = { weight, score }
    }
    return best.weight
  }
  const heldOut: Judged[] = []
  const chosen: number[] = []
  for (const [index, fold] of folds.entries()) {
    const settings = learned[index] ?? defaultFusion
    const weight = await bestWeight(fusedOf(without(cases, fold), settings), settings)
    chosen.push(weight)
    heldOut.push(...(await under(fusedOf(fold, settings), settings, weight)))
  }
  const fused = fusedOf(cases, final)
  const weight = await bestWeight(fused, final)
  const rows = [
    row('current weights', sets, await under(fusedOf(cases, defaultFusion), defaultFusion, defaultFusion.rerankWeight)),
    row('learned, held out', sets, heldOut),
    row('learned, in sample', sets, await under(fused, final, weight)),
  ]
  return `${markdownTable(['with rerank: any@5 any@10 MRR', ...sets, 'mean'], rows)}

Weight of the reranker: ${weight} on all, by fold ${chosen.join(', ')}; current ${defaultFusion.rerankWeight}.`
}

interface Fused {
  readonly one: Case
  readonly fused: readonly Ranked[]
}

function fusedOf(cases: readonly Case[], settings: FusionSettings): Fused[] {
  return cases.map((one) => ({ one, fused: fuseAgain(one, settings) }))
}

function settingsWith(weights: FusionWeights): FusionSettings {
  return { ...defaultFusion, weights }
}

function without(cases: readonly Case[], fold: readonly Case[]): Case[] {
  const held = new Set(fold)
  return cases.filter((one) => !held.has(one))
}

function row(label: string, sets: readonly string[], judged: readonly Judged[]): string[] {
  const scores = sets.map((set) => qualityOf(judged.filter((one) => one.set === set).map(({ outcome }) => outcome)))
  const mean = scores.reduce((sum, { all }) => sum + all, 0) / scores.length
  const cells = scores.map((score) => [score['any@5'], score['any@10'], score.MRR].map(percent).join(' '))
  return [label, ...cells, percent(mean)]
}

function percent(share: number): string {
  return (share * 100).toFixed(1)
}

run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error)
  process.exitCode = 1
})
