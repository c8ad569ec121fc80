import type { FastifyReply, FastifyRequest } from 'fastify'
import { keyIdOf } from '../access/caller-scope.js'
import type { HttpOptions } from '../options.js'

/** Logs one line and counts one request. Never logs a body, a query, an id in a URL or a header. */
export function reportRequest(options: HttpOptions, request: FastifyRequest, reply: FastifyReply): void {
  const { endpoint } = request.routeOptions.config
  const route = endpoint === undefined ? undefined : request.routeOptions.url
  options.metrics.request(request.method, route, reply.statusCode, reply.elapsedTime / 1000)
  // Probes come every few seconds and are not interesting.
  const level = endpoint?.whileDraining ? 'debug' : 'info'
  options.logger[level](
    {
      method: request.method,
      route: route ?? 'unmatched',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      request_id: request.id,
      key_id: keyIdOf(request.caller),
      ...(request.span === undefined ? {} : { trace_id: request.span.context.traceId }),
    },
    'request',
  )
}
