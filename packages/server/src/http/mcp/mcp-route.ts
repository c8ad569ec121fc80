/**
 * `/mcp`: authenticated, rate limited and bounded like every route, then passed to the MCP handler that `boot/` provides. It is
 * not in the table of endpoints, because that table describes an OpenAPI, and this speaks JSON-RPC.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { invalid, ServiceError } from '../../core/errors.js'
import { refuseForeignOrigins } from '../access/foreign-page.js'
import { namedUser } from '../access/named-user.js'
import { type Endpoint, endpoint } from '../endpoint.js'
import { countForUser, recount } from '../limits/limits.js'
import type { WorkInFlight } from '../limits/work-in-flight.js'
import type { HttpOptions } from '../options.js'
import { mayCall, type Performer, performer } from '../perform.js'
import { actorOf } from '../register.js'
import type { McpMessage } from '../traces/operation-span.js'
import { followMemories } from './follow.js'
import type { McpHandler } from './mcp-handler.js'

const address = '/mcp'
/** Tells the hooks what they need to know. It is never described or called as an endpoint. */
const door: Endpoint = endpoint({
  method: 'POST',
  path: address,
  base: 'root',
  operationId: 'mcp',
  summary: 'The Model Context Protocol',
  tag: 'Operations',
  access: 'user',
  // Each operation checks.
  needs: 'any',
  acceptsTokens: true,
  limit: 'default',
  answer: z.unknown(),
  handle: () => undefined,
})

export function registerMcp(app: FastifyInstance, options: HttpOptions, mcp: McpHandler, inFlight: WorkInFlight): void {
  // Created by the first request, because the validator exists only after all routes are registered.
  let performAs: Performer | undefined
  const refuseForeign = refuseForeignOrigins(options.settings)

  app.route({
    method: 'POST',
    url: address,
    // Counted before its body is read. A call then counts towards the limit of its operation instead.
    config: { endpoint: door },
    // Prevents DNS rebinding: browsers send the origin of a page with every POST, even if its host name points here.
    onRequest: async (request) => refuseForeign(request),
    async handler(request, reply) {
      const group = (await mcp.limitGroupOf(request.body)) ?? 'default'
      await recount(options, group, request, reply)
      await countForUser(options, group, userOfCall(request.body), request, reply)
      if (request.body === undefined) throw invalid('', 'a JSON body is required')
      if (Array.isArray(request.body))
        throw invalid('', 'send one message per request: batches are not part of the protocol')
      performAs ??= performer(app, options)
      const { caller } = request
      const actor = actorOf(caller, request)
      const defaultUser = caller.kind === 'anyone' ? options.settings.mcpUser : undefined
      const session = {
        perform: performAs({ caller, actor, trace: { span: request.span, mcp: messageOf(request.body) } }),
        defaultUser,
        requestId: request.id,
        mayCall: (operationId: string) => mayCall(caller, operationId),
        follow: () => followMemories(options, caller, actor, defaultUser),
      }
      const response = await inFlight.run(() => mcp.answer(webRequest(request, reply), request.body, session), caller)
      return reply.send(response)
    },
  })
  app.route({
    method: ['GET', 'DELETE'],
    url: address,
    config: { endpoint: door },
    async handler(_request, reply) {
      reply.header('allow', 'POST')
      const message = 'This address supports POST only: there are no sessions'
      throw new ServiceError('not_found', message, undefined, 405)
    },
  })
  app.addHook('preClose', () => mcp.close())
}

/** Of the messages that ask for an operation: the SDK has checked them by then. */
function messageOf(message: unknown): McpMessage {
  const { method, params } = (message ?? {}) as {
    readonly method?: unknown
    readonly params?: Readonly<Record<string, unknown>>
  }
  const tool = method === 'tools/call' ? params?.name : undefined
  return { method: String(method), meta: params?._meta, ...(typeof tool === 'string' ? { tool } : {}) }
}

/** The user that the arguments of a tool call name. */
function userOfCall(message: unknown): string | undefined {
  const { params } = (message ?? {}) as { readonly params?: { readonly arguments?: unknown } }
  return namedUser({ body: params?.arguments })
}

/** The headers that the protocol reads. No others are passed on, above all not the key. */
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
