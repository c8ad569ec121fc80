/** A reader thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { keepHeapSmall } from '../../core/thread-heap.js'
import { serveReads } from './serve-reads.js'

keepHeapSmall()
// `thread.ts` starts this thread and passes the data.
if (parentPort) serveReads(parentPort, workerData)
