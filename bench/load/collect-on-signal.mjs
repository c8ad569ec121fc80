/**
 * The soak test loads this file into the service: on a signal its threads run a garbage collection. Between two
 * collections, memory only shows when V8 will collect next; after one it shows what is retained. The SQLite threads
 * collect on their own and do not take part.
 */
import { BroadcastChannel, isMainThread } from 'node:worker_threads'

const channel = new BroadcastChannel('collect')
channel.onmessage = () => globalThis.gc()
channel.unref()
if (isMainThread) {
  process.on('SIGUSR2', () => {
    channel.postMessage('now')
    globalThis.gc()
  })
}
