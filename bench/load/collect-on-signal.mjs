/**
 * Loaded into the service by the soak: on a signal its threads collect their garbage. Between two collections memory tells when V8
 * will look, and after one what is kept. The threads of SQLite collect by themselves and take no part.
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
