/**
 * Whether this processor multiplies bytes exactly. Processors without VNNI, AMX or ARM's dot product add two products
 * in 16 bits, and the sum saturates (255 × 127 + 255 × 127 is 64,770, but the maximum is 32,767): scores would silently
 * be wrong. The check runs once, with the largest possible bytes; its result decides how the reranker multiplies.
 */
import { onnxRuntime } from './onnx-runtime.js'
import { encodeModel } from './onnx-writer.js'

const [rows, inner, columns] = [32, 64, 32]

export async function bytesMultiplyExactly(): Promise<boolean> {
  const { InferenceSession, Tensor } = onnxRuntime()
  const session = await InferenceSession.create(productModel(), { intraOpNumThreads: 1, logSeverityLevel: 3 })
  const bytes = new Tensor('uint8', new Uint8Array(rows * inner).fill(255), [rows, inner])
  const { product } = await session.run({ bytes })
  await session.release()
  const data = product?.data
  return data instanceof Int32Array && data.every((value) => value === 255 * 127 * inner)
}

/**
 * The matrix is part of the model, as real weights are, because the runtime packs such matrices before their first use.
 */
function productModel(): Uint8Array {
  const matrix = new Uint8Array(inner * columns).fill(127)
  return encodeModel({
    name: 'byte product',
    inputs: [{ name: 'bytes', type: 'uint8', shape: [rows, inner] }],
    outputs: [{ name: 'product', type: 'int32', shape: [rows, columns] }],
    tensors: [{ name: 'matrix', type: 'int8', shape: [inner, columns], data: matrix }],
    nodes: [{ operator: 'MatMulInteger', inputs: ['bytes', 'matrix'], outputs: ['product'] }],
    operatorSets: { '': 20 },
  })
}
