/**
 * Decides which web pages may call, by the Fetch standard (https://fetch.spec.whatwg.org/#http-cors-protocol). Keys are in the
 * Authorization header, which a page sets itself, so credentials of the browser are never allowed.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'

const allowedMethods = 'GET, HEAD, POST, PUT, DELETE'
/** The last three are for an MCP client in a page. */
const allowedHeaders =
  'authorization, content-type, idempotency-key, last-event-id, mcp-protocol-version, mcp-method, mcp-name'
const exposedHeaders =
  'x-request-id, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, retry-after, idempotency-replayed, www-authenticate'
const preflightSeconds = 600

/** A hook for `onRequest`. Returns undefined to continue, or the reply if it answered a preflight. */
export function crossOrigin(origins: readonly string[]) {
  const anyOrigin = origins.includes('*')
  const known = new Set(origins)
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined => {
    // Even if the origin is refused or absent: a cache must not serve the response for one page to another.
    if (!anyOrigin) reply.header('vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined || !(anyOrigin || known.has(origin))) return undefined
    reply.header('access-control-allow-origin', anyOrigin ? '*' : origin)
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) {
      reply.header('access-control-expose-headers', exposedHeaders)
      return undefined
    }
    return reply
      .headers({
        'access-control-allow-methods': allowedMethods,
        'access-control-allow-headers': allowedHeaders,
        'access-control-max-age': preflightSeconds,
      })
      .code(204)
      .send()
  }
}
