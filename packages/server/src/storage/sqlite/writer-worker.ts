/** The one thread that writes. */
import { parentPort, workerData } from 'node:worker_threads'
import { keepHeapSmall } from '../../core/thread-heap.js'
import { serveWrites } from './serve-writes.js'

keepHeapSmall()
// Data from `thread.ts`, which starts this thread.
if (parentPort) serveWrites(parentPort, workerData)
