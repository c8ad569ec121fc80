/** The only writer thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { keepHeapSmall } from '../../core/thread-heap.js'
import { serveWrites } from './serve-writes.js'

keepHeapSmall()
// `thread.ts` starts this thread and passes the data.
if (parentPort) serveWrites(parentPort, workerData)
