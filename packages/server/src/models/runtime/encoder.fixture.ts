/** A small MiniLM with random weights, and the same arithmetic in plain code to compare the graph with. */
import type { PlainTensor, PlainWeights } from './weights.fixture.js'

const [words, positions, dimensions, wide] = [40, 16, 64, 96]
const headSize = 32

/** `prefix` is `encoder.` for a reranker, which also has a head. */
export function randomWeights(layers: number, prefix = ''): PlainWeights {
  const weights = new Map<string, PlainTensor>()
  let seed = 42
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed / 1_073_741_824 - 1
  }
  const tensor = (name: string, shape: readonly number[], reach: number, middle = 0) => {
    const count = shape.reduce((product, length) => product * length, 1)
    weights.set(name, { shape, values: Float32Array.from({ length: count }, () => middle + reach * random()) })
  }
  const norm = (name: string) => {
    tensor(`${prefix}${name}.LayerNorm.weight`, [dimensions], 0.3, 1)
    tensor(`${prefix}${name}.LayerNorm.bias`, [dimensions], 0.3)
  }
  const dense = (name: string, rows: number, columns: number) => {
    tensor(`${prefix}${name}.weight`, [rows, columns], 0.3)
    tensor(`${prefix}${name}.bias`, [rows], 0.3)
  }
  tensor(`${prefix}embeddings.word_embeddings.weight`, [words, dimensions], 1)
  tensor(`${prefix}embeddings.position_embeddings.weight`, [positions, dimensions], 0.5)
  tensor(`${prefix}embeddings.token_type_embeddings.weight`, [2, dimensions], 0.5)
  norm('embeddings')
  for (let layer = 0; layer < layers; layer += 1) {
    const name = `encoder.layer.${layer}`
    for (const part of ['query', 'key', 'value']) dense(`${name}.attention.self.${part}`, dimensions, dimensions)
    dense(`${name}.attention.output.dense`, dimensions, dimensions)
    norm(`${name}.attention.output`)
    dense(`${name}.intermediate.dense`, wide, dimensions)
    dense(`${name}.output.dense`, dimensions, wide)
    norm(`${name}.output`)
  }
  if (prefix !== '') {
    tensor('head.weight', [1, dimensions], 0.3)
    tensor('head.bias', [1], 0.3)
  }
  return weights
}

export function plainVector(weights: PlainWeights, tokens: readonly number[]): number[] {
  const mean = plainMean(weights, '', tokens, tokens.length)
  const length = Math.hypot(...mean)
  return mean.map((value) => value / length)
}

export function plainScore(weights: PlainWeights, tokens: readonly number[], secondSegment: number): number {
  const mean = plainMean(weights, 'encoder.', tokens, secondSegment)
  const [logit = 0] = denseOf(weights, 'head', mean)
  return 1 / (1 + Math.exp(-logit))
}

function plainMean(weights: PlainWeights, prefix: string, tokens: readonly number[], secondSegment: number): number[] {
  const table = (name: string, row: number) => rowOf(weights, `${prefix}embeddings.${name}_embeddings.weight`, row)
  let hidden = tokens.map((token, position) => {
    const [word, place, type] = [
      table('word', token),
      table('position', position),
      table('token_type', position >= secondSegment ? 1 : 0),
    ]
    const sum = word.map((value, index) => value + (place[index] ?? 0) + (type[index] ?? 0))
    return normOf(weights, `${prefix}embeddings`, sum)
  })
  for (let layer = 0; weights.has(`${prefix}encoder.layer.${layer}.output.dense.weight`); layer += 1) {
    const name = `${prefix}encoder.layer.${layer}`
    const attended = attend(
      hidden.map((row) => denseOf(weights, `${name}.attention.self.query`, row)),
      hidden.map((row) => denseOf(weights, `${name}.attention.self.key`, row)),
      hidden.map((row) => denseOf(weights, `${name}.attention.self.value`, row)),
    )
    hidden = hidden.map((row, at) => {
      const change = denseOf(weights, `${name}.attention.output.dense`, attended[at] ?? [])
      const middle = normOf(weights, `${name}.attention.output`, plus(change, row))
      const raised = denseOf(weights, `${name}.intermediate.dense`, middle).map(gelu)
      return normOf(weights, `${name}.output`, plus(denseOf(weights, `${name}.output.dense`, raised), middle))
    })
  }
  return Array.from({ length: dimensions }, (_, index) => {
    return hidden.reduce((sum, row) => sum + (row[index] ?? 0), 0) / hidden.length
  })
}

function attend(queries: number[][], keys: number[][], values: number[][]): number[][] {
  return queries.map((query) =>
    Array.from({ length: dimensions }, (_, index) => {
      const start = index - (index % headSize)
      const inHead = (key: number[]) => dot(query.slice(start, start + headSize), key.slice(start, start + headSize))
      const shares = keys.map((key) => Math.exp(inHead(key) / Math.sqrt(headSize)))
      const total = shares.reduce((sum, share) => sum + share, 0)
      return values.reduce((sum, value, at) => sum + ((shares[at] ?? 0) / total) * (value[index] ?? 0), 0)
    }),
  )
}

function denseOf(weights: PlainWeights, name: string, input: readonly number[]): number[] {
  const bias = valuesOf(weights, `${name}.bias`)
  return Array.from(bias, (value, row) => value + dot(rowOf(weights, `${name}.weight`, row), input))
}

function normOf(weights: PlainWeights, name: string, row: readonly number[]): number[] {
  const mean = row.reduce((sum, value) => sum + value, 0) / row.length
  const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length
  const [weight, bias] = [valuesOf(weights, `${name}.LayerNorm.weight`), valuesOf(weights, `${name}.LayerNorm.bias`)]
  return row.map((value, at) => ((value - mean) / Math.sqrt(variance + 1e-12)) * (weight[at] ?? 0) + (bias[at] ?? 0))
}

/** x times the normal distribution function at x, by numerical integration of the density. */
function gelu(x: number): number {
  const steps = 400
  const width = x / steps
  let area = 0
  for (let step = 0; step < steps; step += 1) area += Math.exp(-(((step + 0.5) * width) ** 2) / 2) * width
  return x * (0.5 + area / Math.sqrt(2 * Math.PI))
}

function rowOf(weights: PlainWeights, name: string, row: number): number[] {
  const columns = weights.get(name)?.shape[1] ?? 0
  return [...valuesOf(weights, name).subarray(row * columns, (row + 1) * columns)]
}

function valuesOf(weights: PlainWeights, name: string): Float32Array {
  const tensor = weights.get(name)
  if (!tensor) throw new Error(`${name} is missing`)
  return tensor.values
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
}

function plus(a: readonly number[], b: readonly number[]): number[] {
  return a.map((value, index) => value + (b[index] ?? 0))
}
