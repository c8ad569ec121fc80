/**
 * Two ways to multiply with the same stored matrices (int8 or float16, [out, in]).
 *
 * float32: exact, and identical on every machine except for the last bits. Stored vectors must be computed this way.
 *
 * int8: each row of the input is rounded to 8 bits with its own scale, so a result does not depend on the rest of the
 * batch. Two to three times as fast on a processor that multiplies bytes (VNNI, AMX, ARM's dot product).
 */
import type { GraphBuilder } from './graph-builder.js'

/** Multiplies one input [rows, in] with several layers' matrices and adds their biases. */
export type DenseLayers = (graph: GraphBuilder, input: string, names: readonly string[]) => readonly string[]

export const denseFloat32: DenseLayers = (graph, input, names) =>
  names.map((name) => {
    const product = graph.add('MatMul', [input, graph.turned(`${name}.weight`)])
    return graph.add('Add', [product, graph.weight(`${name}.bias`)])
  })

/** Bytes are unsigned here: 128 represents zero. */
const zero = 128
const largest = 127

export const denseInt8: DenseLayers = (graph, input, names) => {
  const lastAxis = graph.integers([-1])
  const highest = graph.add('ReduceMax', [input, lastAxis], { keepdims: 0 })
  const lowest = graph.add('Neg', [graph.add('ReduceMin', [input, lastAxis], { keepdims: 0 })])
  // The minimum avoids a division by zero for a row of zeros.
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

/** Sums in 32 bits. The operator accepts only one scale for all rows, so the rows' scales are applied afterwards. */
function byteProduct(graph: GraphBuilder, bytes: string, matrix: string, columnScales: string): string {
  const inputs = [bytes, matrix, graph.float(1), columnScales, graph.byte(zero, [])]
  return graph.add('MatMulIntegerToFloat', inputs, {}, 'com.microsoft')
}

/** Weights are stored as [out, in]; the products need [in, out]. */
function transposed(graph: GraphBuilder, matrix: string): string {
  return graph.add('Transpose', [matrix], { perm: [1, 0] })
}
