/**
 * `npx tsx training/worth/train.ts`: trains the model that tells what is worth remembering from chatter, on hand-labelled
 * messages, and writes `models/keepsake-worth`. Then run `node models/manifest.mjs`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { embeddingText } from '../../packages/server/src/ingest/embedding-text.js'
import { openLocalEmbedder } from '../../packages/server/src/models/embedder/local-embedder.js'
import { worthFeatures } from '../../packages/server/src/models/worth/features.js'

interface Message {
  readonly text: string
  readonly before: string | null
  readonly role: 'user' | 'assistant'
  readonly keep: boolean
}

const folder = fileURLToPath(new URL('.', import.meta.url))
const messages = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl'))
  .sort()
  .flatMap((name) => readFileSync(`${folder}${name}`, 'utf8').trim().split('\n'))
  .map((line): Message => JSON.parse(line))

const shrink = 3e-3
const folds = 5

/** Logistic regression by gradient descent with momentum; the last weight is the bias. */
function learn(rows: readonly (readonly number[])[], wanted: readonly boolean[]): Float64Array {
  const size = rows[0]?.length ?? 0
  const weights = new Float64Array(size + 1)
  const pace = new Float64Array(size + 1)
  for (let step = 0; step < 400; step += 1) {
    const slope = new Float64Array(size + 1)
    for (const [at, row] of rows.entries()) {
      const miss = chanceOf(weights, row) - (wanted[at] ? 1 : 0)
      for (const [index, value] of row.entries()) slope[index] = (slope[index] ?? 0) + miss * value
      slope[size] = (slope[size] ?? 0) + miss
    }
    for (let index = 0; index <= size; index += 1) {
      const pull = index < size ? shrink * (weights[index] ?? 0) : 0
      pace[index] = 0.9 * (pace[index] ?? 0) - 0.4 * ((slope[index] ?? 0) / rows.length + pull)
      weights[index] = (weights[index] ?? 0) + (pace[index] ?? 0)
    }
  }
  return weights
}

function chanceOf(weights: Float64Array, row: readonly number[]): number {
  let sum = weights.at(-1) ?? 0
  for (const [at, value] of row.entries()) sum += value * (weights[at] ?? 0)
  return 1 / (1 + Math.exp(-sum))
}

const embedder = await openLocalEmbedder()
const prefix = ({ role }: Message) => (role === 'assistant' ? 'Assistant: ' : '')
const vectors = await embedder.embed(messages.map((each) => embeddingText(prefix(each) + each.text, each.before)))
await embedder.close()
const rows = messages.map(({ text, role, before }, at) =>
  worthFeatures(vectors[at] ?? [], {
    text,
    isAssistant: role === 'assistant',
    isAfterQuestion: before?.trim().endsWith('?') === true,
  }),
)
const wanted = messages.map(({ keep }) => keep)

const chances = messages.map(() => 0)
for (let fold = 0; fold < folds; fold += 1) {
  const inside = (at: number) => at % folds === fold
  const learned = learn(
    rows.filter((_, at) => !inside(at)),
    wanted.filter((_, at) => !inside(at)),
  )
  for (const [at, row] of rows.entries()) if (inside(at)) chances[at] = chanceOf(learned, row)
}
console.log(`${messages.length} messages, ${folds}-fold cross-validation`)
for (const threshold of [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5]) {
  const below = (keep: boolean) => {
    const of = chances.filter((_, at) => wanted[at] === keep)
    return ((100 * of.filter((chance) => chance < threshold).length) / of.length).toFixed(1)
  }
  console.log(`below ${threshold}: ${below(false)}% of the chatter, ${below(true)}% of the statements`)
}

const weights = Float32Array.from(learn(rows, wanted))
const header = JSON.stringify({
  weights: { dtype: 'F32', shape: [weights.length], data_offsets: [0, 4 * weights.length] },
})
const text = Buffer.from(header.padEnd(Math.ceil(header.length / 8) * 8))
const length = Buffer.alloc(8)
length.writeBigUInt64LE(BigInt(text.length))
const path = fileURLToPath(new URL('../../models/keepsake-worth/weights.safetensors', import.meta.url))
writeFileSync(path, Buffer.concat([length, text, Buffer.from(weights.buffer)]))
