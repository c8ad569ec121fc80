import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeModel, type OnnxGraph, type OnnxNode, type OnnxTensor } from './onnx-writer.js'

describe('the ONNX writer', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keepsake-onnx-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  /** Feeds [[1, 2], [3, 4], [5, 6]] to the nodes. */
  async function run(nodes: readonly OnnxNode[], tensors: readonly OnnxTensor[]) {
    const graph: OnnxGraph = {
      name: 'test',
      inputs: [{ name: 'input', type: 'float32', shape: ['rows', 2] }],
      outputs: [{ name: 'output', type: 'float32', shape: ['any', 'other'] }],
      tensors,
      nodes,
      operatorSets: { '': 20 },
    }
    const session = await InferenceSession.create(encodeModel(graph), {
      logSeverityLevel: 3,
      extra: { session: { model_external_initializers_file_folder_path: folder } },
    })
    const { output } = await session.run({ input: new Tensor('float32', Float32Array.of(1, 2, 3, 4, 5, 6), [3, 2]) })
    await session.release()
    return { data: Array.from(output?.data ?? [], Number), shape: output?.dims }
  }

  it('writes inline tensors, and float, list and negative integer attributes that the runtime understands', async () => {
    const shift = new Uint8Array(Float32Array.of(0, -300).buffer)
    const result = await run(
      [
        { operator: 'Add', inputs: ['input', 'shift'], outputs: ['shifted'] },
        { operator: 'LeakyRelu', inputs: ['shifted'], outputs: ['bent'], attributes: { alpha: { float: 0.5 } } },
        { operator: 'Transpose', inputs: ['bent'], outputs: ['turned'], attributes: { perm: [1, 0] } },
        { operator: 'LpNormalization', inputs: ['turned'], outputs: ['unit'], attributes: { axis: -1, p: 1 } },
        { operator: 'Identity', inputs: ['unit'], outputs: ['output'] },
      ],
      [{ name: 'shift', type: 'float32', shape: [2], data: shift }],
    )
    expect(result.shape).toEqual([2, 3])
    const expected = [1 / 9, 3 / 9, 5 / 9, -149 / 444, -148 / 444, -147 / 444]
    for (const [index, value] of expected.entries()) expect(result.data[index]).toBeCloseTo(value, 6)
  })

  it('lets the runtime read a half-precision tensor at an odd offset of another file', async () => {
    // 1.0 and -2.0 as half-precision numbers, little-endian, behind one byte.
    await writeFile(join(folder, 'weights.bin'), Buffer.of(0xff, 0x00, 0x3c, 0x00, 0xc0))
    const result = await run(
      [
        { operator: 'Cast', inputs: ['factors'], outputs: ['floats'], attributes: { to: 1 } },
        { operator: 'Mul', inputs: ['input', 'floats'], outputs: ['output'] },
      ],
      [{ name: 'factors', type: 'float16', shape: [2], data: { file: 'weights.bin', offset: 1, byteLength: 4 } }],
    )
    expect(result.data).toEqual([1, -4, 3, -8, 5, -12])
  })
})
