/** A graph in the runtime: opened over its weights' file, run batch by batch. */
import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import type { EncoderGraph } from './encoder-graph.js'
import { type LocalModel, ModelFileError } from './model-files.js'
import { readSafetensors, type Safetensors } from './safetensors.js'

export interface TokenRow {
  readonly tokens: readonly number[]
  /** Where the second segment (a reranker's text) starts; without it all is the first. */
  readonly secondSegment?: number
  /** For a tagger: what each token's word looks like. */
  readonly looks?: readonly number[]
}

export interface EncoderSession {
  /** Values of each row, one row after the other. */
  run(rows: readonly TokenRow[]): Promise<Float32Array>
  close(): Promise<void>
}

/** The files' sums have been checked by now: what fails here is a model that this version can't run. */
export async function openEncoderSession(
  model: LocalModel,
  intraOpThreads: number,
  graphOf: (weights: Safetensors) => EncoderGraph,
): Promise<EncoderSession> {
  // The runtime opens the weights by folder and name, and wants no links on the way.
  const path = await realpath(model.weights.path)
  try {
    const { model: bytes, width } = graphOf(await readSafetensors(path))
    if (width !== model.dimensions) throw new Error(`it gives ${width} numbers, model.json names ${model.dimensions}`)
    const session = await InferenceSession.create(bytes, sessionOptions(dirname(path), intraOpThreads))
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
    // Batches are bounded, and so is what the arena keeps; the system's allocator was measured to keep more.
    enableCpuMemArena: true,
    enableMemPattern: false,
    logSeverityLevel: 3,
    extra: {
      // Adding the bias and GELU as one operation takes longer than the two.
      optimization: { disable_specified_optimizers: 'BiasGeluFusion' },
      session: {
        // A thread that spins between operations takes the core from the rest of the service.
        'intra_op.allow_spinning': '0',
        // Turns int8 weights to float32 once, at load; otherwise the runtime keeps them and turns them at each run.
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
  const feeds = Object.fromEntries(
    session.inputNames.map((name) => [name, new Tensor('int32', inputs[name] ?? tokens, [rows.length, length])]),
  )
  const { values } = await session.run(feeds)
  if (!(values?.data instanceof Float32Array)) throw new Error('the model gave no numbers')
  return values.data
}
