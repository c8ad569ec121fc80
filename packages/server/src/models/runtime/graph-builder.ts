/** Builds an ONNX graph over safetensors files: the graph only refers to the positions of tensors in the files. */
import { relative, sep } from 'node:path'
import { encodeModel, type OnnxGraph, type OnnxNode, type OnnxTensor, tensorTypes } from './onnx-writer.js'
import type { Safetensors } from './safetensors.js'

const storedTypes: Readonly<Record<string, 'float16' | 'int8'>> = { F16: 'float16', I8: 'int8' }

export class GraphBuilder {
  private readonly tensors = new Map<string, OnnxTensor>()
  private readonly nodes: OnnxNode[] = []

  constructor(private readonly weights: Safetensors) {}

  /** Adds one operation and returns the name of its result. */
  add(operator: string, inputs: readonly string[], attributes?: OnnxNode['attributes'], domain = ''): string {
    const output = `value_${this.nodes.length}`
    this.nodes.push({ operator, inputs, outputs: [output], attributes: attributes ?? {}, domain })
    return output
  }

  /** Names a result as an output of the graph. */
  name(result: string, output: string): void {
    this.nodes.push({ operator: 'Identity', inputs: [result], outputs: [output] })
  }

  encode(graph: Pick<OnnxGraph, 'name' | 'inputs' | 'outputs'>): Uint8Array {
    return encodeModel({
      ...graph,
      tensors: [...this.tensors.values()],
      nodes: this.nodes,
      operatorSets: { '': 20, 'com.microsoft': 1 },
    })
  }

  toFloat(input: string): string {
    return this.add('Cast', [input], { to: tensorTypes.float32 })
  }

  /** A tensor of the file in float32. Each int8 row has a scale; the runtime folds the conversion once, at load. */
  weight(name: string): string {
    const values = this.toFloat(this.stored(name))
    if (!this.isInt8(name)) return values
    return this.add('Mul', [values, this.add('Unsqueeze', [this.weight(scaleOf(name)), this.integers([1])])])
  }

  /**
   * A matrix [out, in] as [in, out] in float32. It is transposed before the conversion, because each step at load makes
   * a copy.
   */
  turned(name: string): string {
    const values = this.add('Transpose', [this.stored(name)], { perm: [1, 0] })
    if (!this.isInt8(name)) return this.toFloat(values)
    return this.add('DequantizeLinear', [values, this.weight(scaleOf(name))], { axis: 1 })
  }

  /** The requested rows of a matrix: the other rows stay in the mapped file. */
  rows(name: string, indices: string): string {
    const values = this.toFloat(this.add('Gather', [this.stored(name), indices]))
    if (!this.isInt8(name)) return values
    const scales = this.toFloat(this.add('Gather', [this.stored(scaleOf(name)), indices]))
    return this.add('Mul', [values, this.add('Unsqueeze', [scales, this.integers([-1])])])
  }

  /** An int8 matrix as stored in the file, and its scales in float32. */
  int8Matrix(name: string): { readonly values: string; readonly scales: string } {
    if (!this.isInt8(name)) throw new Error(`tensor ${name} is not int8`)
    return { values: this.stored(name), scales: this.weight(scaleOf(name)) }
  }

  integers(values: readonly number[]): string {
    const data = new Uint8Array(BigInt64Array.from(values, BigInt).buffer)
    return this.constant({ name: `integers_${values.join('_')}`, type: 'int64', shape: [values.length], data })
  }

  int32(value: number): string {
    const data = new Uint8Array(Int32Array.of(value).buffer)
    return this.constant({ name: `int32_${value}`, type: 'int32', shape: [], data })
  }

  float(value: number): string {
    const data = new Uint8Array(Float32Array.of(value).buffer)
    return this.constant({ name: `float_${value}`, type: 'float32', shape: [], data })
  }

  /** `shape` is `[]` for a scalar and `[1]` for a list of one. */
  byte(value: number, shape: readonly [] | readonly [1]): string {
    const name = `byte_${value}_${shape.length}`
    return this.constant({ name, type: 'uint8', shape, data: Uint8Array.of(value) })
  }

  private isInt8(name: string): boolean {
    return this.weights.tensors.get(name)?.type === 'I8'
  }

  private stored(name: string): string {
    const tensor = this.weights.tensors.get(name)
    const type = storedTypes[tensor?.type ?? '']
    if (!tensor || !type) throw new Error(`it has no tensor ${name} of float16 or int8`)
    const { path, shape, offset, byteLength } = tensor
    const file = relative(this.weights.folder, path).split(sep).join('/')
    return this.constant({ name, type, shape, data: { file, offset, byteLength } })
  }

  private constant(tensor: OnnxTensor): string {
    this.tensors.set(tensor.name, tensor)
    return tensor.name
  }
}

function scaleOf(name: string): string {
  return `${name}.scale`
}
