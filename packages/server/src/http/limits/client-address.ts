import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * The client of a request: the nearest address that is not a trusted proxy. If the proxy's header has no IP address in that place, the
 * proxy itself counts as the client, so that nobody can choose the name under which they are counted and logged.
 */
export function clientAddress(request: FastifyRequest): string {
  return isIP(request.ip) === 0 ? (request.socket.remoteAddress ?? '') : request.ip
}
