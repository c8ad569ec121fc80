/** Bounds on what one process accepts before it knows who is asking. */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { unavailable } from '../../core/errors.js'

/** Requests of one connection that wait for their response. Browsers and HTTP libraries send one at a time. */
const mostPipelined = 16

export function boundConnections(app: FastifyInstance, most: number | undefined): void {
  if (most !== undefined) app.server.maxConnections = most
  const waiting = new WeakMap<Socket, number>()
  app.addHook('onRequest', async ({ raw: { socket } }, reply) => {
    const count = (waiting.get(socket) ?? 0) + 1
    waiting.set(socket, count)
    reply.raw.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1))
    if (count <= mostPipelined) return
    // The connection ends after this response, and with it everything that was sent behind it.
    reply.header('connection', 'close')
    throw unavailable(`At most ${mostPipelined} requests may wait on one connection`)
  })
}
