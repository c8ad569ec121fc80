/**
 * all-MiniLM-L6-v2 (a BERT of six layers) as an ONNX graph over its safetensors file.
 *
 * The graph (28 KB) only says where in the file each tensor lies: the runtime maps the file, casts and transposes
 * the half-precision weights once, at load, and computes in float32. So every machine gives the same vectors: int8 was twice as fast
 * on one with AMX, but stood at a cosine of 0.988 to these, and rounds differently elsewhere.
 * The word table stays in half precision in the mapped file: only the rows that a text needs are read and cast.
 *
 * Inputs: `tokens` and `mask` (1 for a token, 0 for padding), both [batch, length].
 * Output: `vectors` [batch, 384], unit length.
 */
import { basename } from 'node:path'
import { encodeModel, type OnnxNode, type OnnxTensor, tensorTypes } from './onnx-writer.js'
import type { Safetensors } from './safetensors.js'

export const miniLmDimensions = 384
const layerCount = 6
const headCount = 12
const epsilon = { float: 1e-12 }

export function miniLmModel(weights: Safetensors): Uint8Array {
  const graph = new GraphBuilder(weights)
  let hidden = embeddings(graph)
  for (let layer = 0; layer < layerCount; layer += 1) hidden = encoderLayer(graph, hidden, `encoder.layer.${layer}`)
  pool(graph, hidden)
  return encodeModel({
    name: 'all-MiniLM-L6-v2',
    inputs: [
      { name: 'tokens', type: 'int32', shape: ['batch', 'length'] },
      { name: 'mask', type: 'int32', shape: ['batch', 'length'] },
    ],
    outputs: [{ name: 'vectors', type: 'float32', shape: ['batch', miniLmDimensions] }],
    tensors: graph.tensors,
    nodes: graph.nodes,
    operatorSets: { '': 20, 'com.microsoft': 1 },
  })
}

/** Word + position + type; every token of ours has type 0. */
function embeddings(graph: GraphBuilder): string {
  const [zero, one, two] = [graph.integers('zero', [0]), graph.integers('one', [1]), graph.integers('two', [2])]
  const words = graph.toFloat(graph.add('Gather', [graph.half('embeddings.word_embeddings.weight'), 'tokens']))
  const length = graph.add('Slice', [graph.add('Shape', ['tokens']), one, two])
  const positions = graph.add('Slice', [graph.weight('embeddings.position_embeddings.weight'), zero, length, zero])
  const firstType = graph.add('Slice', [graph.weight('embeddings.token_type_embeddings.weight'), zero, one, zero])
  const sum = graph.add('Add', [graph.add('Add', [words, positions]), firstType])
  return normalized(graph, sum, 'embeddings.LayerNorm')
}

function encoderLayer(graph: GraphBuilder, input: string, layer: string): string {
  const projected = ['query', 'key', 'value'].map((part) => dense(graph, input, `${layer}.attention.self.${part}`))
  // The runtime's own operator keeps no [batch, heads, length, length] scores in memory. Empty: no extra bias.
  const attended = graph.add(
    'MultiHeadAttention',
    [...projected, '', 'mask'],
    { num_heads: headCount },
    'com.microsoft',
  )
  const attention = dense(graph, attended, `${layer}.attention.output.dense`)
  const middle = normalized(graph, graph.add('Add', [attention, input]), `${layer}.attention.output.LayerNorm`)
  const wide = graph.add('Gelu', [dense(graph, middle, `${layer}.intermediate.dense`)])
  const narrow = dense(graph, wide, `${layer}.output.dense`)
  return normalized(graph, graph.add('Add', [narrow, middle]), `${layer}.output.LayerNorm`)
}

/** The mean over tokens and then unit length: the length divides out, so the sum does. */
function pool(graph: GraphBuilder, hidden: string): void {
  const axis = graph.integers('pool_axis', [1])
  const row = graph.add('Unsqueeze', [graph.toFloat('mask'), axis])
  const sum = graph.add('Squeeze', [graph.add('MatMul', [row, hidden]), axis])
  graph.nodes.push({
    operator: 'LpNormalization',
    inputs: [sum],
    outputs: ['vectors'],
    attributes: { axis: -1, p: 2 },
  })
}

/** Weights are stored [out, in]; MatMul wants [in, out]. */
function dense(graph: GraphBuilder, input: string, name: string): string {
  const matrix = graph.add('Transpose', [graph.weight(`${name}.weight`)], { perm: [1, 0] })
  return graph.add('Add', [graph.add('MatMul', [input, matrix]), graph.weight(`${name}.bias`)])
}

function normalized(graph: GraphBuilder, input: string, name: string): string {
  const inputs = [input, graph.weight(`${name}.weight`), graph.weight(`${name}.bias`)]
  return graph.add('LayerNormalization', inputs, { axis: -1, epsilon })
}

class GraphBuilder {
  readonly tensors: OnnxTensor[] = []
  readonly nodes: OnnxNode[] = []

  constructor(private readonly weights: Safetensors) {}

  add(operator: string, inputs: readonly string[], attributes?: OnnxNode['attributes'], domain = ''): string {
    const output = `value_${this.nodes.length}`
    this.nodes.push({ operator, inputs, outputs: [output], attributes: attributes ?? {}, domain })
    return output
  }

  toFloat(input: string): string {
    return this.add('Cast', [input], { to: tensorTypes.float32 })
  }

  weight(name: string): string {
    return this.toFloat(this.half(name))
  }

  half(name: string): string {
    const tensor = this.weights.tensors.get(name)
    if (tensor?.type !== 'F16') throw new Error(`the weights have no half-precision tensor ${name}`)
    const { shape, offset, byteLength } = tensor
    const data = { file: basename(this.weights.path), offset, byteLength }
    this.tensors.push({ name, type: 'float16', shape, data })
    return name
  }

  integers(name: string, values: readonly number[]): string {
    const data = new Uint8Array(BigInt64Array.from(values, BigInt).buffer)
    this.tensors.push({ name, type: 'int64', shape: [values.length], data })
    return name
  }
}
