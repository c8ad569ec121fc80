/** A thread that reads. */
import { parentPort, workerData } from 'node:worker_threads'
import { serveReads } from './serve-reads.js'

// Data from `thread.ts`, which starts this thread.
if (parentPort) serveReads(parentPort, workerData)
