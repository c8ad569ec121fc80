/** The one thread that writes. */
import { parentPort, workerData } from 'node:worker_threads'
import { serveWrites } from './serve-writes.js'

// Data from `thread.ts`, which starts this thread.
if (parentPort) serveWrites(parentPort, workerData)
