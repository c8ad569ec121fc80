/** A thread that reads. */
import { parentPort, workerData } from 'node:worker_threads'
import { keepHeapSmall } from '../../core/thread-heap.js'
import { serveReads } from './serve-reads.js'

keepHeapSmall()
// Data from `thread.ts`, which starts this thread.
if (parentPort) serveReads(parentPort, workerData)
