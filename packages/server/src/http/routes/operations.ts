import { errorTable, unavailable } from '../../core/errors.js'
import { apiPrefix, endpoint, rawEndpoint, replyEndpoint } from '../endpoint.js'
import { errorBodyOf } from '../response/error-response.js'
import {
  healthAnswer,
  liveAnswer,
  notReadyAnswer,
  readyAnswer,
  rootAnswer,
  unhealthyAnswer,
} from '../schemas/operations.js'

const retryAfterSeconds = 5

const health = replyEndpoint({
  method: 'GET',
  path: '/health',
  operationId: 'getHealth',
  summary: 'Health check',
  description: 'Needs no key. With a valid key, or while authentication is off, the response has more detail.',
  tag: 'Operations',
  access: 'probe',
  limit: 'default',
  anyQuery: true,
  whileDraining: true,
  answer: healthAnswer.or(unhealthyAnswer),
  unavailable: unhealthyAnswer,
  example: { answer: { status: 'healthy' } },
  async handle({ options, deps, caller, actor, reply }) {
    const { healthy, checks, languages } = await options.health()
    const details =
      caller.kind === 'nobody'
        ? {}
        : {
            version: options.version,
            uptime_seconds: Math.max(0, Math.floor((deps.clock.now() - options.startedAt) / 1000)),
            checks: { ...checks },
            languages: [...languages],
          }
    if (healthy) return { status: 'healthy' as const, ...details }
    reply.code(errorTable.unavailable.status).header('retry-after', retryAfterSeconds)
    const { error } = errorBodyOf(unavailable('The service is not healthy'), actor.requestId)
    return { status: 'unhealthy' as const, ...details, error }
  },
})

const live = endpoint({
  method: 'GET',
  path: '/livez',
  base: 'root',
  operationId: 'getLiveness',
  summary: 'Liveness: whether the process runs',
  tag: 'Operations',
  access: 'open',
  limit: 'none',
  anyQuery: true,
  whileDraining: true,
  answer: liveAnswer,
  example: { answer: { status: 'alive' } },
  handle: () => ({ status: 'alive' as const }),
})

const ready = replyEndpoint({
  method: 'GET',
  path: '/readyz',
  base: 'root',
  operationId: 'getReadiness',
  summary: 'Readiness: whether this instance should receive requests',
  tag: 'Operations',
  access: 'open',
  limit: 'none',
  anyQuery: true,
  whileDraining: true,
  answer: readyAnswer.or(notReadyAnswer),
  unavailable: notReadyAnswer,
  example: { answer: { status: 'ready' } },
  async handle({ options, actor, reply }) {
    const { lifecycle } = options
    if (lifecycle.ready() && !lifecycle.draining() && (await options.health()).serves) {
      return { status: 'ready' as const }
    }
    reply.code(errorTable.unavailable.status).header('retry-after', retryAfterSeconds)
    const { error } = errorBodyOf(unavailable('The service is not ready'), actor.requestId)
    return { status: 'not ready' as const, error }
  },
})

const metrics = rawEndpoint({
  method: 'GET',
  path: '/metrics',
  base: 'root',
  operationId: 'getMetrics',
  summary: 'Metrics in the Prometheus text format',
  description: 'Needs the master key while authentication is on.',
  tag: 'Operations',
  access: 'metrics',
  limit: 'none',
  whileDraining: true,
  mediaType: 'text/plain',
  async handle({ options, reply }) {
    const { contentType, body } = await options.metrics.render()
    reply.type(contentType)
    return body
  },
})

const root = endpoint({
  method: 'GET',
  path: '/',
  base: 'both',
  operationId: 'getRoot',
  summary: 'List the addresses of the API and its pages',
  description: 'Needs no key. With a valid key, or while authentication is off, the response also has the version.',
  tag: 'Operations',
  access: 'probe',
  limit: 'default',
  anyQuery: true,
  answer: rootAnswer,
  handle: ({ options, caller }) => ({
    name: 'Keepsake' as const,
    ...(caller.kind === 'nobody' ? {} : { version: options.version }),
    api: apiPrefix,
    health: `${apiPrefix}/health`,
    dashboard: '/dashboard',
    docs: '/docs',
    redoc: '/redoc',
    openapi: '/openapi.json',
  }),
})

export const operationEndpoints = [health, live, ready, metrics, root]
