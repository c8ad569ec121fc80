/** Compares secrets with hashes in a thread of its own, behind everything else that the machine has to do. */
import { parentPort } from 'node:worker_threads'
import bcrypt from 'bcrypt'
import { standBack } from '../../core/stand-back.js'
import type { Comparison, ComparisonAnswer } from './bcrypt-thread.js'

if (parentPort === null) throw new Error('bcrypt-worker.ts runs in a worker thread')
const port = parentPort
// Also behind the models: a flood of wrong secrets must not slow down those who have the right one.
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
