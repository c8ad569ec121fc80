/** An ONNX session over a model's weights file, run batch by batch. */
import { realpath } from 'node:fs/promises'
import type { EncoderGraph } from './encoder-graph.js'
import { type LocalModel, ModelFileError } from './model-files.js'
import { type InferenceSession, onnxRuntime } from './onnx-runtime.js'
import { readSafetensors, type Safetensors, withShared } from './safetensors.js'

export interface TokenRow {
  readonly tokens: readonly number[]
  /** Start of the second segment (a reranker's text); without it everything is the first segment. */
  readonly secondSegment?: number
  /** For a tagger: the shape of each token's word. */
  readonly looks?: readonly number[]
}

export interface EncoderSession {
  /** The values of all rows, one row after the other. */
  run(rows: readonly TokenRow[]): Promise<Float32Array>
  close(): Promise<void>
}

const wordTable = 'embeddings.word_embeddings.weight'

/** The checksums were verified before, so a failure here means that this version can't run the model. */
export async function openEncoderSession(
  model: LocalModel,
  intraOpThreads: number,
  graphOf: (weights: Safetensors) => EncoderGraph,
): Promise<EncoderSession> {
  // The runtime opens the weights by folder and file name, and accepts no symbolic links on the way.
  const path = await realpath(model.weights.path)
  const words = model.words && (await realpath(model.words.path))
  const { InferenceSession } = onnxRuntime()
  try {
    const own = await readSafetensors(path)
    const weights = words ? withShared(own, await readSafetensors(words), 'encoder.', wordTable) : own
    const { model: bytes, width } = graphOf(weights)
    if (width !== model.dimensions)
      throw new Error(`it returns ${width} values, but model.json says ${model.dimensions}`)
    const session = await InferenceSession.create(bytes, sessionOptions(weights.folder, intraOpThreads))
    return { run: (rows) => run(session, rows), close: () => session.release() }
  } catch (error) {
    throw new ModelFileError(path, `cannot be run (${error instanceof Error ? error.message : String(error)})`)
  }
}

function sessionOptions(weightsFolder: string, intraOpThreads: number): InferenceSession.SessionOptions {
  return {
    intraOpNumThreads: intraOpThreads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    // Batches are bounded, so the arena is too; in measurements the system allocator kept more memory.
    enableCpuMemArena: true,
    enableMemPattern: false,
    logSeverityLevel: 3,
    extra: {
      // Fusing bias and GELU into one operation is slower than two operations.
      optimization: { disable_specified_optimizers: 'BiasGeluFusion' },
      session: {
        // A thread that spins between operations would take the core from the rest of the service.
        'intra_op.allow_spinning': '0',
        // Converts int8 weights to float32 once, at load; otherwise the runtime converts them in every run.
        disable_quant_qdq: '1',
        model_external_initializers_file_folder_path: weightsFolder,
      },
    },
  }
}

async function run(session: InferenceSession, rows: readonly TokenRow[]): Promise<Float32Array> {
  const length = Math.max(...rows.map((row) => row.tokens.length))
  const size = rows.length * length
  const [tokens, mask, types, looks] = Array.from({ length: 4 }, () => new Int32Array(size)) as [
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
  ]
  for (const [index, row] of rows.entries()) {
    const start = index * length
    const end = start + row.tokens.length
    tokens.set(row.tokens, start)
    mask.fill(1, start, end)
    if (row.looks) looks.set(row.looks, start)
    types.fill(1, start + (row.secondSegment ?? row.tokens.length), end)
  }
  const inputs: Record<string, Int32Array> = { tokens, mask, types, looks }
  const { Tensor } = onnxRuntime()
  const feeds = Object.fromEntries(
    session.inputNames.map((name) => [name, new Tensor('int32', inputs[name] ?? tokens, [rows.length, length])]),
  )
  const { values } = await session.run(feeds)
  if (!(values?.data instanceof Float32Array)) throw new Error('the model returned no values')
  return values.data
}
