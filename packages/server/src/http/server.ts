/** The HTTP door: every hook and every route, in the order in which a request meets them. */
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { ServiceError, unavailable } from '../core/errors.js'
import { answerHeaders } from './answer-headers.js'
import type { Caller } from './authenticate.js'
import { acceptJsonOnly, maxBodyBytes } from './body/json-body.js'
import { ajvOptions, validationError } from './body/validation.js'
import { authenticator } from './credentials.js'
import { crossOrigin } from './cross-origin.js'
import type { Endpoint } from './endpoint.js'
import { listEndpoints } from './endpoints.js'
import { answerClientError, answerUnmetExpectation, sendError } from './error-response.js'
import { knownRoutes } from './known-routes.js'
import { clientAddress } from './limits/client-address.js'
import { limitSubject, takeFromLimit } from './limits/limits.js'
import { watchQuiet } from './limits/quiet.js'
import { WorkInFlight } from './limits/work-in-flight.js'
import { registerMcp } from './mcp-route.js'
import type { HttpOptions } from './options.js'
import { isBounded, readUrl, register } from './register.js'
import { reportRequest } from './request-log.js'
import { registerDashboard } from './routes/dashboard.js'

export type { HttpOptions } from './options.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by authentication, before anything else looks at the request. */
    caller: Caller
  }
  interface FastifyContextConfig {
    /** Absent where nothing is served. */
    endpoint?: Endpoint
  }
}

/** Long enough to read what has arrived, too short to be noticed in a restart. */
const drainMs = 250

/** Serves the table of endpoints, the MCP door and the dashboard, and nothing else. */
export async function buildServer(
  options: HttpOptions,
  endpoints: readonly Endpoint[] = listEndpoints(options.version),
): Promise<FastifyInstance> {
  const { settings, lifecycle, logger } = options
  const app = createApp(options)
  const authenticate = authenticator(options)
  const known = knownRoutes(endpoints)
  const inFlight = new WorkInFlight(settings.maxRequests)
  const sockets = openSockets(app)
  let closing = false
  const draining = () => closing || lifecycle.draining()

  if (options.validatorCompiler) app.setValidatorCompiler(options.validatorCompiler)
  const quiet = watchQuiet(app)
  acceptJsonOnly(app)
  app.decorateRequest('caller')
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, logger))
  app.setNotFoundHandler((request, reply) => {
    throw known.notFound(request.url, reply)
  })

  app.addHook('onResponse', async (request, reply) => reportRequest(options, request, reply))
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(answerHeaders).header('x-request-id', request.id)
    request.caller = { kind: 'nobody' }
  })
  if (settings.corsOrigins.length > 0) {
    const allow = crossOrigin(settings.corsOrigins)
    app.addHook('onRequest', async (request, reply) => allow(request, reply))
  }
  app.addHook('onRequest', async (request, reply) => {
    const { endpoint } = request.routeOptions.config
    if (draining() && !endpoint?.whileDraining) throw unavailable('The service is shutting down')
    if (endpoint && isBounded(endpoint)) inFlight.requireRoom()
    refuseUnclearHost(request, reply)
    if (endpoint === undefined) {
      await takeFromLimit(options, 'default', clientAddress(request), reply)
      // Here, not in the handler: the body of a request to nowhere is not read.
      throw known.notFound(request.url, reply)
    }
    request.caller = await authenticate(endpoint.access, request, reply)
    if (endpoint.limit === 'none') return
    await takeFromLimit(options, endpoint.limit, limitSubject(request.caller, clientAddress(request)), reply)
  })
  app.addHook('preValidation', async (request) => readUrl(request))
  app.addHook('onSend', async (_request, reply) => {
    // A connection that is kept alive would keep the service from stopping.
    if (draining()) reply.header('connection', 'close')
  })
  app.addHook('preClose', async () => {
    closing = true
    // Closing resets connections whose request has arrived but was not read yet: read them first, and
    // answer them with a 503.
    if (!app.server.listening) return
    await delay(drainMs)
    // Callers that waited for a slow answer come again the moment they have it: they are told as well.
    await quiet.wait()
    // Browsers and fetch open connections ahead of need: Node waits for a first request on each of them.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  })

  for (const endpoint of endpoints) register(app, options, endpoint, inFlight)
  if (options.mcp !== undefined) registerMcp(app, options, options.mcp, endpoints, inFlight)
  registerDashboard(app)
  app.server.on('checkExpectation', answerUnmetExpectation)
  await app.ready()
  return app
}

function openSockets(app: FastifyInstance): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

/** By the HTTP standard: a proxy before us may have chosen by another Host than the one that we would read. */
function refuseUnclearHost({ raw, headers }: FastifyRequest, reply: FastifyReply): void {
  const hosts = raw.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length
  if (hosts === 1 || (hosts === 0 && (raw.httpVersion === '1.0' || headers.host !== undefined))) return
  reply.header('connection', 'close')
  throw new ServiceError('validation_error', `The Host header ${hosts === 0 ? 'is missing' : 'is there twice'}`)
}

function createApp(options: HttpOptions): FastifyInstance {
  const { settings, logger, metrics } = options
  return Fastify({
    loggerInstance: logger,
    // One line a request is written by `request-log.ts`, with the route's pattern in place of the URL.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (parent) => parent,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    trustProxy: settings.trustedProxies.length > 0 ? [...settings.trustedProxies] : false,
    bodyLimit: maxBodyBytes,
    // A client that sends or reads slowly holds a socket, not the service, and not for ever.
    connectionTimeout: 120_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    // Node would answer a missing Host header without a body; a hook does it in our shape.
    http: { headersTimeout: 15_000, connectionsCheckingInterval: 5_000, requireHostHeader: false },
    forceCloseConnections: 'idle',
    // The hook answers in our shape while the service drains.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 256, querystringParser: () => ({}) },
    ajv: { customOptions: ajvOptions },
    schemaErrorFormatter: validationError,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      sendError(error, request, reply, logger)
      metrics.request(request.method, undefined, reply.statusCode, reply.elapsedTime / 1000)
    },
  })
}
