/**
 * `/mcp`: authenticated, limited and bounded like every route, then handed to the MCP door, which `main.ts` brings. It is not in the table
 * of endpoints: that describes an API in OpenAPI's terms, and this speaks JSON-RPC.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { invalid, ServiceError } from '../../core/errors.js'
import { type Endpoint, endpoint } from '../endpoint.js'
import { clientAddress } from '../limits/client-address.js'
import { limitSubject, takeFromLimit } from '../limits/limits.js'
import type { RouteLimitGroup } from '../limits/rate-limit.js'
import type { WorkInFlight } from '../limits/work-in-flight.js'
import type { HttpOptions } from '../options.js'
import { type Performer, performer } from '../perform.js'
import { actorOf } from '../register.js'
import type { McpHandler } from './mcp-handler.js'

const address = '/mcp'
/** What hooks need to know of it; it is never described or called as an endpoint. */
const door = (limit: RouteLimitGroup | 'none'): Endpoint =>
  endpoint({
    method: 'POST',
    path: address,
    base: 'root',
    operationId: 'mcp',
    summary: 'The Model Context Protocol',
    tag: 'Operations',
    access: 'user',
    limit,
    answer: z.unknown(),
    handle: () => undefined,
  })

export function registerMcp(app: FastifyInstance, options: HttpOptions, mcp: McpHandler, inFlight: WorkInFlight): void {
  const counted = new WeakSet<FastifyRequest>()
  const count = (request: FastifyRequest, reply: FastifyReply, group: RouteLimitGroup) => {
    counted.add(request)
    return takeFromLimit(options, group, limitSubject(request.caller, clientAddress(request)), reply)
  }
  // Compiled by the first request: the validator is there only when all routes are.
  let performAs: Performer | undefined

  app.route({
    method: 'POST',
    url: address,
    // A call counts as the route that it stands for, which its body tells.
    config: { endpoint: door('none') },
    onRequest: async (request) => refuseForeignPage(request, options.settings.corsOrigins),
    async handler(request, reply) {
      await count(request, reply, mcp.limitGroupOf(request.body) ?? 'default')
      if (request.body === undefined) throw invalid('', 'a JSON body is required')
      if (Array.isArray(request.body)) throw invalid('', 'one message a request: batches are not part of the protocol')
      performAs ??= performer(app, options)
      const { caller } = request
      const session = {
        perform: performAs({ caller, actor: actorOf(caller, request) }),
        defaultUser: caller.kind === 'anyone' ? options.settings.mcpUser : undefined,
        requestId: request.id,
      }
      const response = await inFlight.run(() => mcp.answer(webRequest(request, reply), request.body, session))
      return reply.send(response)
    },
    async errorHandler(error, request, reply) {
      // A body that could not even be read is not free either.
      if (!counted.has(request) && request.caller.kind !== 'nobody') await count(request, reply, 'default')
      throw error
    },
  })
  app.route({
    method: ['GET', 'DELETE'],
    url: address,
    config: { endpoint: door('default') },
    async handler(_request, reply) {
      reply.header('allow', 'POST')
      const message = 'This address answers POST only: there are no sessions and no streams to open or end'
      throw new ServiceError('not_found', message, undefined, 405)
    },
  })
  app.addHook('preClose', () => mcp.close())
}

/** A page whose name was made to point here (DNS rebinding) can't hide its origin: browsers send it with every POST. */
function refuseForeignPage({ headers }: FastifyRequest, origins: readonly string[]): void {
  const { origin } = headers
  if (origin === undefined || origins.includes('*') || origins.includes(origin)) return
  const message = 'Pages of this origin may not call; the operator names those that may in SERVICE_CORS_ORIGINS'
  throw new ServiceError('validation_error', message, undefined, 403)
}

/** What the protocol reads of a request, and nothing else: above all not the key. */
const passedHeaders = /^(?:accept|content-type|mcp-[a-z-]+)$/

function webRequest(request: FastifyRequest, reply: FastifyReply): Request {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    typeof value === 'string' && passedHeaders.test(name) ? [[name, value] as [string, string]] : [],
  )
  return new Request(`http://keepsake${address}`, { method: 'POST', headers, signal: gone.signal })
}
