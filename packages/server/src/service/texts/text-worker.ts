/** The inside of a thread of `text-pool.ts`: one job at a time. */
import { parentPort } from 'node:worker_threads'
import { asError } from '../../core/errors.js'
import { standBack } from '../../core/stand-back.js'
import { keepHeapSmall } from '../../core/thread-heap.js'
import { openStatementModel } from '../../facts/statements/model.js'
import { openContentGuard } from '../../guard/content-guard.js'
import { priority } from '../../models/runtime/serve-model.js'
import { textJobs } from './text-jobs.js'
import type { FromTextThread, ToTextThread } from './text-pool.js'

const port = parentPort
if (!port) throw new Error('Texts can only be read in a worker thread')
// Behind the models: a recall needs the embedder, but never this thread.
standBack(priority.ofStore)
keepHeapSmall()

async function load() {
  const [guard, statements] = await Promise.all([openContentGuard(), openStatementModel()])
  return textJobs({ guard, statements })
}

const loading = load()
// Each job reports it.
loading.catch(() => undefined)

async function answer({ kind, input }: ToTextThread): Promise<FromTextThread> {
  try {
    const run = await loading
    return { output: run(kind, input) }
  } catch (error) {
    return { problem: asError(error).message }
  }
}

port.on('message', async (job: ToTextThread) => port.postMessage(await answer(job)))
