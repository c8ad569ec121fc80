/** Compares secrets with hashes in a thread of its own, behind everything else that the machine has to do. */
import { getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import bcrypt from 'bcrypt'
import type { Comparison, ComparisonAnswer } from './bcrypt-thread.js'

/** A core that this thread and another both want goes to the other three times of four. */
const lowPriority = 5

if (parentPort === null) throw new Error('bcrypt-worker.ts runs in a worker thread')
const port = parentPort
// Only there does it mean this thread; elsewhere it would be the whole process. A process that was started with less keeps
// what it has: more is root's to give, and the refusal would end this thread.
if (process.platform === 'linux') setPriority(0, Math.max(lowPriority, getPriority(0)))

port.on('message', ({ id, secret, hash }: Comparison) => {
  let answer: ComparisonAnswer
  try {
    answer = { id, isMatch: bcrypt.compareSync(secret, hash) }
  } catch (error) {
    answer = { id, problem: error instanceof Error ? error.message : String(error) }
  }
  port.postMessage(answer)
})
