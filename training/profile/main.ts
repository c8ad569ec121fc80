/**
 * `npx tsx training/profile/main.ts [--folder OUT]`: trains the statement model on four fifths of its texts, measures it on the
 * rest, and writes its weights. See training/README.md.
 */
import { mkdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { random } from '../../bench/random.js'
import { topics } from '../../packages/server/src/core/fact.js'
import { topicBuckets, worthBuckets } from '../../packages/server/src/facts/statements/features.js'
import { type Labelled, readDataset } from './dataset.js'
import { learnTopics, learnWorth, scoresOf, type Weights } from './train.js'
import { writeWeights } from './weights-file.js'

const { values: options } = parseArgs({
  options: { folder: { type: 'string', default: 'models/keepsake-profile' } },
})
const log = (text: string) => console.log(`${(performance.now() / 1000).toFixed(0)} s  ${text}`)

const { worth, topic } = readDataset(process.env.KEEPSAKE_DATA ?? '../shared/data')
log(`${worth.length} statements with a worth, ${topic.length} with a topic`)
const taught = (examples: readonly Labelled[]) => examples.filter(({ heldOut }) => !heldOut)
const held = (examples: readonly Labelled[]) => examples.filter(({ heldOut }) => heldOut)

const worthModel = learnWorth(taught(worth), random(5), { epochs: 6, rate: 0.3, decay: 1e-4 })
const topicModel = learnTopics(taught(topic), random(6), { epochs: 12, rate: 0.3, decay: 1e-4 })
measureWorth(worthModel)
measureTopics(topicModel)

mkdirSync(options.folder, { recursive: true })
writeWeights(`${options.folder}/weights.int8.safetensors`, { worth: worthModel, topic: topicModel })
log(`written to ${options.folder}: node models/manifest.mjs`)

function measureWorth(model: Weights): void {
  for (const [name, isOne] of [
    ['MSC', ({ weight }: Labelled) => weight === 1],
    ['messages', ({ weight }: Labelled) => weight !== 1],
  ] as const) {
    const scored = held(worth)
      .filter(isOne)
      .map((each) => ({ ...each, score: scoresOf(model, places(each, worthBuckets), worthBuckets, 1)[0] ?? 0 }))
      .sort((a, b) => b.score - a.score)
    const positive = scored.filter(({ target }) => target > 0.5)
    let [above, area] = [0, 0]
    for (const { target } of scored) {
      if (target > 0.5) above += 1
      else area += above
    }
    const auc = area / (positive.length * (scored.length - positive.length))
    const right = scored.filter(({ target, score }) => target > 0.5 === score > 0).length / scored.length
    log(
      `${name}: ${scored.length} held out, ${positive.length} lasting; AUC ${auc.toFixed(3)}, right ${right.toFixed(3)}`,
    )
  }
}

function measureTopics(model: Weights): void {
  const hand = held(topic).filter(({ weight }) => weight > 1)
  const wrong: string[] = []
  let right = 0
  for (const each of hand) {
    const scores = scoresOf(model, places(each, topicBuckets), topicBuckets, topics.length)
    const best = scores.indexOf(Math.max(...scores))
    if (best === each.target) right += 1
    else wrong.push(`${topics[each.target]} taken for ${topics[best]}: ${each.text}`)
  }
  log(`topics by hand: ${right} of ${hand.length} held out right`)
  if (process.env.SHOW) console.log(wrong.join('\n'))
}

function places({ features }: Labelled, buckets: number): number[] {
  return Array.from(features, (hash) => hash & (buckets - 1))
}
