/** Compares secrets with hashes in a separate thread with low priority. */
import { parentPort } from 'node:worker_threads'
import bcrypt from 'bcrypt'
import { standBack } from '../../core/stand-back.js'
import type { Comparison, ComparisonAnswer } from './bcrypt-thread.js'

if (parentPort === null) throw new Error('bcrypt-worker.ts runs in a worker thread')
const port = parentPort
// Lower than the models: a flood of wrong secrets must not slow down callers with the right one.
standBack(10)

port.on('message', ({ id, secret, hash }: Comparison) => {
  let answer: ComparisonAnswer
  try {
    answer = { id, isMatch: bcrypt.compareSync(secret, hash) }
  } catch (error) {
    answer = { id, problem: error instanceof Error ? error.message : String(error) }
  }
  port.postMessage(answer)
})
