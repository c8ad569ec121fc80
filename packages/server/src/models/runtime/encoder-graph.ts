/**
 * MiniLM (a BERT of three to six layers) as an ONNX graph over its safetensors file, for the embedder, the reranker, the
 * tagger and the judge.
 *
 * The graph takes about 30 KB and only refers to the tensors in the file: the runtime maps the file, then casts, scales
 * and transposes the weights once, at load. The word table stays in the mapped file: only the rows that a text needs
 * are read.
 *
 * Inputs: `tokens`, `mask` (1 for a token, 0 for padding), for the reranker and the judge `types` (0 for the first text, 1 for
 * the second)
 * and for the tagger `looks` (the shape of a token's word), all [batch, length].
 */
import { type DenseLayers, denseFloat32, denseInt8 } from './dense-layers.js'
import { GraphBuilder } from './graph-builder.js'
import type { Safetensors } from './safetensors.js'

export interface EncoderGraph {
  readonly model: Uint8Array
  /** Number of values per row of the batch. */
  readonly width: number
}

/** How the reranker multiplies. The embedder always computes in float32, because its vectors are stored. */
export type Arithmetic = 'float32' | 'int8'

const headSize = 32
const epsilon = { float: 1e-12 }
const rowShape = ['batch', 'length'] as const

/** `values` [batch, dimensions]: unit vectors. */
export function embedderGraph(weights: Safetensors): EncoderGraph {
  const encoder = new Encoder(weights, '', denseFloat32)
  const { graph, dimensions } = encoder
  // Unit length removes the division by the number of tokens, so the sum serves as the mean.
  const vectors = graph.add('LpNormalization', [encoder.sum(encoder.encode(undefined))], { axis: -1, p: 2 })
  return encoder.finish(vectors, ['tokens', 'mask'], dimensions)
}

/** `values` [batch, 1]: how well the text answers the query, 0 to 1. */
export function rerankerGraph(weights: Safetensors, arithmetic: Arithmetic): EncoderGraph {
  const encoder = new Encoder(weights, 'encoder.', arithmetic === 'int8' ? denseInt8 : denseFloat32)
  const { graph } = encoder
  const sum = encoder.sum(encoder.encode('types'))
  const count = graph.add('ReduceSum', [graph.toFloat('mask'), graph.integers([1])], { keepdims: 1 })
  const [logits = ''] = denseFloat32(graph, graph.add('Div', [sum, count]), ['head'])
  return encoder.finish(graph.add('Sigmoid', [logits]), ['tokens', 'mask', 'types'], 1)
}

/** `values` [batch, length, 9]: for each token the chance that its words are outdated, then the scores of the whole text: six relations, the worth, the change. */
export function judgeGraph(weights: Safetensors, arithmetic: Arithmetic): EncoderGraph {
  const encoder = new Encoder(weights, 'encoder.', arithmetic === 'int8' ? denseInt8 : denseFloat32)
  const { graph } = encoder
  const hidden = encoder.encode('types')
  const count = graph.add('ReduceSum', [graph.toFloat('mask'), graph.integers([1])], { keepdims: 1 })
  const [scores = ''] = denseFloat32(graph, graph.add('Div', [encoder.sum(hidden), count]), ['head'])
  const [outdated = ''] = denseFloat32(graph, hidden, ['parts'])
  const labels = weights.tensors.get('head.weight')?.shape[0] ?? 0
  const shape = graph.add('Concat', [graph.add('Shape', ['tokens']), graph.integers([labels])], { axis: 0 })
  const spread = graph.add('Expand', [graph.add('Unsqueeze', [scores, graph.integers([1])]), shape])
  const both = graph.add('Concat', [encoder.batched(graph.add('Sigmoid', [outdated]), 1), spread], { axis: -1 })
  return encoder.finish(both, ['tokens', 'mask', 'types'], 1 + labels, 'token')
}

/** The shape of a word and the kind of text are encoded in one number: kind × looks + look. */
export interface TagTables {
  readonly looks: number
  readonly labels: number
}

/** `values` [batch, length, labels + dimensions]: for each token the scores of its labels, then its vector. */
export function taggerGraph(weights: Safetensors, arithmetic: Arithmetic, { looks, labels }: TagTables): EncoderGraph {
  const encoder = new Encoder(weights, 'encoder.', arithmetic === 'int8' ? denseInt8 : denseFloat32)
  const { graph, dimensions } = encoder
  const count = graph.int32(looks)
  const look = graph.add('Gather', [graph.weight('shapes.weight'), graph.add('Mod', ['looks', count])])
  const kind = graph.add('Gather', [graph.weight('styles.weight'), graph.add('Div', ['looks', count])])
  const hidden = encoder.encode(undefined, graph.add('Add', [look, kind]))
  const [scores = ''] = denseFloat32(graph, hidden, ['tags'])
  const both = graph.add('Concat', [encoder.batched(scores, labels), encoder.batched(hidden)], { axis: -1 })
  return encoder.finish(both, ['tokens', 'mask', 'looks'], labels + dimensions, 'token')
}

class Encoder {
  readonly graph: GraphBuilder
  readonly dimensions: number
  private readonly layers: number

  constructor(
    weights: Safetensors,
    private readonly prefix: string,
    private readonly dense: DenseLayers,
  ) {
    this.graph = new GraphBuilder(weights)
    this.dimensions = weights.tensors.get(`${prefix}embeddings.word_embeddings.weight`)?.shape[1] ?? 0
    this.layers = layersIn(weights, `${prefix}encoder.layer.`)
    if (this.dimensions === 0 || this.dimensions % headSize !== 0 || this.layers === 0) {
      throw new Error('its tensors do not form a MiniLM')
    }
  }

  /** [batch × length, dimensions]: one row per token, because each row is quantized with its own scale. */
  encode(types: string | undefined, features?: string): string {
    const words = this.embeddings(types, features)
    let hidden = this.graph.add('Reshape', [words, this.graph.integers([-1, this.dimensions])])
    for (let layer = 0; layer < this.layers; layer += 1) {
      hidden = this.layer(hidden, `${this.prefix}encoder.layer.${layer}`)
    }
    return hidden
  }

  /** The sum over all tokens except padding. */
  sum(hidden: string): string {
    const { graph } = this
    const axis = graph.integers([1])
    const row = graph.add('Unsqueeze', [graph.toFloat('mask'), axis])
    return graph.add('Squeeze', [graph.add('MatMul', [row, this.batched(hidden)]), axis])
  }

  finish(values: string, inputs: readonly string[], width: number, each: 'row' | 'token' = 'row'): EncoderGraph {
    this.graph.name(values, 'values')
    const model = this.graph.encode({
      name: 'MiniLM',
      inputs: inputs.map((name) => ({ name, type: 'int32', shape: rowShape })),
      outputs: [{ name: 'values', type: 'float32', shape: each === 'row' ? ['batch', width] : [...rowShape, width] }],
    })
    return { model, width }
  }

  /** Word + position + type, plus features if given. */
  private embeddings(types: string | undefined, features: string | undefined): string {
    const { graph } = this
    const name = `${this.prefix}embeddings`
    const [zero, one, two] = [graph.integers([0]), graph.integers([1]), graph.integers([2])]
    const words = graph.rows(`${name}.word_embeddings.weight`, 'tokens')
    const length = graph.add('Slice', [graph.add('Shape', ['tokens']), one, two])
    const positions = graph.add('Slice', [graph.weight(`${name}.position_embeddings.weight`), zero, length, zero])
    const typeTable = graph.weight(`${name}.token_type_embeddings.weight`)
    // Without types every token has the first type.
    const type = types ? graph.add('Gather', [typeTable, types]) : graph.add('Slice', [typeTable, zero, one, zero])
    const sum = graph.add('Add', [graph.add('Add', [words, positions]), type])
    return this.normalized(features ? graph.add('Add', [sum, features]) : sum, `${name}.LayerNorm`)
  }

  private layer(input: string, name: string): string {
    const { graph } = this
    const parts = ['query', 'key', 'value'].map((part) => `${name}.attention.self.${part}`)
    const projected = this.dense(graph, input, parts).map((part) => this.batched(part))
    // The runtime's own operator keeps no [batch, heads, length, length] scores in memory. Empty input: no extra bias.
    const attended = graph.add(
      'MultiHeadAttention',
      [...projected, '', 'mask'],
      { num_heads: this.dimensions / headSize },
      'com.microsoft',
    )
    const rows = graph.add('Reshape', [attended, graph.integers([-1, this.dimensions])])
    const middle = this.addedTo(input, this.one(rows, `${name}.attention.output.dense`), `${name}.attention.output`)
    const wide = graph.add('Gelu', [this.one(middle, `${name}.intermediate.dense`)])
    return this.addedTo(middle, this.one(wide, `${name}.output.dense`), `${name}.output`)
  }

  private one(input: string, name: string): string {
    const [output = ''] = this.dense(this.graph, input, [name])
    return output
  }

  private addedTo(input: string, change: string, name: string): string {
    return this.normalized(this.graph.add('Add', [change, input]), `${name}.LayerNorm`)
  }

  private normalized(input: string, name: string): string {
    const inputs = [input, this.graph.weight(`${name}.weight`), this.graph.weight(`${name}.bias`)]
    return this.graph.add('LayerNormalization', inputs, { axis: -1, epsilon })
  }

  /** Rows back to [batch, length, dimensions]. */
  batched(rows: string, dimensions = this.dimensions): string {
    const { graph } = this
    const shape = graph.add('Concat', [graph.add('Shape', ['tokens']), graph.integers([dimensions])], { axis: 0 })
    return graph.add('Reshape', [rows, shape])
  }
}

/** The number of layers appears only in the tensor names: 0, 1, 2 and so on, without a gap. */
function layersIn(weights: Safetensors, prefix: string): number {
  let layers = 0
  while (weights.tensors.has(`${prefix}${layers}.output.dense.weight`)) layers += 1
  return layers
}
