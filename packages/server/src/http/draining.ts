/** Stops the server without resetting a connection that still waits for a response. */
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** Long enough to read the requests that have arrived, too short to delay a restart noticeably. */
const readArrivedMs = 250
/** A client that sends its next request right after a response does so within this time. */
const quietMs = 200
/** Event streams may never end, and some clients never stop sending. */
const longestQuietWaitMs = 5_000

export interface Draining {
  /** The server is closing: it answers requests that arrive now with a 503. */
  hasBegun(): boolean
}

/** Closes in order when the app closes. Call it before any other hook is added, so that it counts every request. */
export function drainOnClose(app: FastifyInstance): Draining {
  const quiet = watchQuiet(app)
  const sockets = openSockets(app)
  let hasBegun = false
  app.addHook('preClose', async () => {
    hasBegun = true
    if (!app.server.listening) return
    // Closing resets connections whose request has arrived but was not read yet. Read those first, and answer them with a 503.
    await delay(readArrivedMs)
    // Clients that waited for a slow response send their next request as soon as they have it. They get a 503 too.
    await quiet.wait()
    // Browsers and fetch open connections ahead of need, and Node waits for a first request on each of them.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  })
  return { hasBegun: () => hasBegun }
}

interface Quiet {
  /** Resolves when no request has been in flight for a short while, or after five seconds. */
  wait(): Promise<void>
}

function watchQuiet(app: FastifyInstance): Quiet {
  let inFlight = 0
  let lastAt = 0
  app.addHook('onRequest', async (_request, reply) => {
    inFlight += 1
    lastAt = performance.now()
    // Not the hook `onResponse`: it is not called for an event stream whose reader has left.
    reply.raw.once('close', () => {
      inFlight -= 1
      lastAt = performance.now()
    })
  })
  return {
    async wait() {
      const end = performance.now() + longestQuietWaitMs
      while (performance.now() < end && (inFlight > 0 || performance.now() - lastAt < quietMs)) await delay(10)
    },
  }
}

function openSockets(app: FastifyInstance): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}
