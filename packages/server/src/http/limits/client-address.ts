import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * Whom a request comes from: the nearest address that is no trusted proxy. Where the proxy's header has something else
 * in that place, it is the proxy itself, so that nobody is counted, or logged, under a name of his own choice.
 */
export function clientAddress(request: FastifyRequest): string {
  return isIP(request.ip) === 0 ? (request.socket.remoteAddress ?? '') : request.ip
}
