/** The span of an HTTP request, by the conventions of OpenTelemetry. It has the pattern of the route, never the address. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Span, type Tracer, traceContextOf } from '../../core/trace.js'

/** Undefined for probes, which come every few seconds, and where the trace is not sampled. */
export function startRequestSpan(tracer: Tracer | undefined, request: FastifyRequest): Span | undefined {
  const { endpoint } = request.routeOptions.config
  if (tracer === undefined || endpoint?.whileDraining || endpoint?.access === 'metrics') return undefined
  const route = endpoint === undefined ? undefined : request.routeOptions.url
  const { traceparent, tracestate } = request.headers
  return tracer.start(
    route === undefined ? request.method : `${request.method} ${route}`,
    'server',
    traceContextOf(traceparent, tracestate),
    {
      'http.request.method': request.method,
      ...(route === undefined ? {} : { 'http.route': route }),
      'url.scheme': request.protocol,
    },
  )
}

export function endRequestSpan({ span, id }: FastifyRequest, { statusCode }: FastifyReply): void {
  span?.set({ 'http.response.status_code': statusCode, 'keepsake.request_id': id })
  // By the conventions, only a failure of the server is an error of its span.
  span?.end(statusCode >= 500 ? String(statusCode) : undefined)
}
