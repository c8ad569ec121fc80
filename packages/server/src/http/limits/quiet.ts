/** Knows whether requests are under way, and waits until none has been for a moment. */
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** Whoever was answered last, and comes again at once, does so within this. */
const quietMs = 200
/** Streams may never end, and some callers never tire. */
const longestMs = 5_000

export interface Quiet {
  /** Resolves when nobody has asked for anything for a moment, or after five seconds. */
  wait(): Promise<void>
}

export function watchQuiet(app: FastifyInstance): Quiet {
  let open = 0
  let lastAt = 0
  app.addHook('onRequest', async () => {
    open += 1
    lastAt = performance.now()
  })
  app.addHook('onResponse', async () => {
    open -= 1
    lastAt = performance.now()
  })
  return {
    async wait() {
      const end = performance.now() + longestMs
      while (performance.now() < end && (open > 0 || performance.now() - lastAt < quietMs)) await delay(10)
    },
  }
}
