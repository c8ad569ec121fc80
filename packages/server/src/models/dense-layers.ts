/**
 * Two ways to multiply with the same stored matrices (int8 or float16, [out, in]).
 *
 * float32: exact, and the same on every machine up to the last bits. What is stored must be made so.
 * int8: each row of the input is rounded to 8 bits with a scale of its own, so a result does not depend on what else is in
 * the batch. Two to three times as fast where the processor multiplies bytes (VNNI, AMX, ARM's dot product).
 */
import type { GraphBuilder } from './graph-builder.js'

/** Multiplies one input [rows, in] with several layers' matrices and adds their biases. */
export type DenseLayers = (graph: GraphBuilder, input: string, names: readonly string[]) => readonly string[]

export const denseFloat32: DenseLayers = (graph, input, names) =>
  names.map((name) => {
    const product = graph.add('MatMul', [input, graph.turned(`${name}.weight`)])
    return graph.add('Add', [product, graph.weight(`${name}.bias`)])
  })

/** Bytes have no sign here: 128 stands for zero. */
const zero = 128
const largest = 127

export const denseInt8: DenseLayers = (graph, input, names) => {
  const lastAxis = graph.integers([-1])
  const highest = graph.add('ReduceMax', [input, lastAxis], { keepdims: 0 })
  const lowest = graph.add('Neg', [graph.add('ReduceMin', [input, lastAxis], { keepdims: 0 })])
  // The smallest keeps a row of zeros from a division by zero.
  const reach = graph.add('Max', [highest, lowest, graph.float(1e-8)])
  const scales = graph.add('Mul', [reach, graph.float(1 / largest)])
  const zeros = graph.add('Expand', [graph.byte(zero, [1]), graph.add('Shape', [scales])])
  const bytes = graph.add('QuantizeLinear', [input, scales, zeros], { axis: 0 })
  const scaleColumn = graph.add('Unsqueeze', [scales, lastAxis])
  return names.map((name) => {
    const { values, scales: columnScales } = graph.int8Matrix(`${name}.weight`)
    const product = byteProduct(graph, bytes, transposed(graph, values), columnScales)
    return graph.add('Add', [graph.add('Mul', [product, scaleColumn]), graph.weight(`${name}.bias`)])
  })
}

/** Sums in 32 bits; the operator knows one scale for all rows only, so the rows' scales come after it. */
function byteProduct(graph: GraphBuilder, bytes: string, matrix: string, columnScales: string): string {
  const inputs = [bytes, matrix, graph.float(1), columnScales, graph.byte(zero, [])]
  return graph.add('MatMulIntegerToFloat', inputs, {}, 'com.microsoft')
}

/** Weights are stored [out, in]; the products want [in, out]. */
function transposed(graph: GraphBuilder, matrix: string): string {
  return graph.add('Transpose', [matrix], { perm: [1, 0] })
}
