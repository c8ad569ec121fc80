/** The HTTP server: every hook and every route, in the order in which a request meets them. */
import { randomUUID } from 'node:crypto'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import { ServiceError, unavailable } from '../core/errors.js'
import type { Span } from '../core/trace.js'
import { Authenticator } from './access/authenticate.js'
import type { Caller } from './access/caller-scope.js'
import { crossOrigin } from './access/cross-origin.js'
import { refuseForeignPages } from './access/foreign-page.js'
import { requirePermission } from './access/key-permission.js'
import { acceptJsonOnly, maxBodyBytes } from './body/json-body.js'
import { lazyValidators } from './body/lazy-validators.js'
import { validationError } from './body/validation.js'
import { drainOnClose } from './draining.js'
import type { Endpoint } from './endpoint.js'
import { listEndpoints } from './endpoints.js'
import { clientAddress } from './limits/client-address.js'
import { boundConnections } from './limits/connections.js'
import { countMistake, limitSubject, takeFromLimit } from './limits/limits.js'
import { announcedCost, unannouncedCost } from './limits/request-cost.js'
import { WorkInFlight } from './limits/work-in-flight.js'
import { registerMcp } from './mcp/mcp-route.js'
import { mem0Endpoints } from './mem0/mem0-endpoints.js'
import { reportRequest } from './metrics/request-log.js'
import { registerOAuth } from './oauth/oauth-routes.js'
import type { HttpOptions } from './options.js'
import { operationRunner } from './perform.js'
import { isBounded, readUrl, register, withoutTrailingSlash } from './register.js'
import { answerClientError, answerUnmetExpectation, sendError } from './response/error-response.js'
import { type KnownRoutes, knownRoutes } from './response/not-found.js'
import { responseHeaders } from './response/response-headers.js'
import { registerDashboard } from './routes/dashboard.js'
import { endRequestSpan, startRequestSpan } from './traces/request-span.js'

type CompilersFactory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>
type ValidatorFactory = NonNullable<CompilersFactory['buildValidator']>

export type { HttpOptions } from './options.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by authentication, before anything else looks at the request. */
    caller: Caller
    /** Set when the body was read; 0 before. */
    bodyBytes: number
    /** Set when a request of an application key was counted for its user. */
    isCounted: boolean
    /** Undefined where no span is recorded. */
    span: Span | undefined
  }
  interface FastifyContextConfig {
    /** Absent where nothing is served. */
    endpoint?: Endpoint
  }
}

/** Serves the table of endpoints, `/mcp`, OAuth and the dashboard, and nothing else. */
export async function buildServer(
  options: HttpOptions,
  endpoints: readonly Endpoint[] = listEndpoints(options.version),
): Promise<FastifyInstance> {
  const { settings, logger } = options
  const app = createApp(options)
  const authenticator = new Authenticator(options)
  const known = knownRoutes(endpoints)
  const inFlight = new WorkInFlight(settings.maxRequests)

  const closing = drainOnClose(app)
  // The work of a request goes on after its sender has hung up, and the storage closes after the app.
  app.addHook('onClose', () => inFlight.ended())
  const isDraining = () => closing.hasBegun() || options.lifecycle.draining()
  acceptJsonOnly(app)
  app.decorateRequest('caller')
  app.decorateRequest('bodyBytes', 0)
  app.decorateRequest('isCounted', false)
  app.decorateRequest('span', undefined)
  app.setErrorHandler(async (error, request, reply) =>
    sendError(await countMistake(options, error, request, reply), request, reply, logger),
  )
  app.setNotFoundHandler((request, reply) => {
    throw known.notFound(request.url, reply)
  })

  app.addHook('onResponse', async (request, reply) => {
    reportRequest(options, request, reply)
    endRequestSpan(request, reply)
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(responseHeaders).header('x-request-id', request.id)
    request.caller = { kind: 'nobody' }
    request.span = startRequestSpan(options.tracer, request)
  })
  boundConnections(app, settings.maxConnections)
  if (!settings.authEnabled) {
    const refuse = refuseForeignPages(settings)
    app.addHook('onRequest', async (request) => refuse(request))
  }
  if (settings.corsOrigins.length > 0) {
    const allow = crossOrigin(settings.corsOrigins)
    app.addHook('onRequest', async (request, reply) => allow(request, reply))
  }
  app.addHook('onRequest', admission(options, authenticator, known, inFlight, isDraining))
  app.addHook('preValidation', async (request) => readUrl(request))
  app.addHook('preValidation', (request, reply) => countUnannounced(options, request, reply))
  app.addHook('onSend', async (_request, reply) => {
    // A connection that is kept alive would keep the service from stopping.
    if (isDraining()) reply.header('connection', 'close')
  })

  for (const endpoint of endpoints) register(app, options, endpoint, inFlight)
  const run = operationRunner(app, options)
  for (const each of mem0Endpoints(run)) register(app, options, each, inFlight)
  if (options.mcp !== undefined) registerMcp(app, options, options.mcp, inFlight)
  if (options.deps.oauth !== undefined) registerOAuth(app, options, options.deps.oauth, authenticator, inFlight)
  registerDashboard(app)
  app.server.on('checkExpectation', answerUnmetExpectation)
  await app.ready()
  return app
}

/** Decides, before any body is read, whether a request is served: not draining, room for it, one Host, a valid key, within its limit. */
function admission(
  options: HttpOptions,
  authenticator: Authenticator,
  known: KnownRoutes,
  inFlight: WorkInFlight,
  isDraining: () => boolean,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { endpoint } = request.routeOptions.config
    if (isDraining() && !endpoint?.whileDraining) throw unavailable('The service is shutting down')
    if (endpoint && isBounded(endpoint)) inFlight.requireRoom()
    refuseUnclearHost(request, reply)
    if (endpoint === undefined) {
      await takeFromLimit(options, 'default', clientAddress(request), reply)
      // Here and not in the handler, so that the body of a request to an unknown address is not read.
      throw known.notFound(request.url, reply)
    }
    request.caller = await authenticator.authenticate(endpoint, request, reply)
    // An application key is counted for its user, whom the body may name.
    if (endpoint.limit !== 'none' && request.caller.kind !== 'application') {
      const subject = limitSubject(request.caller, clientAddress(request))
      await takeFromLimit(options, endpoint.limit, subject, reply, announcedCost(request))
    }
    const actor = { ip: clientAddress(request), requestId: request.id }
    requirePermission(options.deps, request.caller, endpoint, actor)
  }
}

/** Without a Content-Length, the size of a body is known only after it was read. */
async function countUnannounced(options: HttpOptions, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const group = request.routeOptions.config.endpoint?.limit ?? 'none'
  const cost = unannouncedCost(request)
  if (group === 'none' || cost === 0 || request.caller.kind === 'application') return
  await takeFromLimit(options, group, limitSubject(request.caller, clientAddress(request)), reply, cost)
}

/** The HTTP standard requires this: a proxy in front of us may have routed by another Host header than the one that we would read. */
function refuseUnclearHost({ raw, headers }: FastifyRequest, reply: FastifyReply): void {
  const hosts = raw.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length
  if (hosts === 1 || (hosts === 0 && (raw.httpVersion === '1.0' || headers.host !== undefined))) return
  reply.header('connection', 'close')
  throw new ServiceError('validation_error', `The Host header ${hosts === 0 ? 'is missing' : 'is given twice'}`)
}

function createApp(options: HttpOptions): FastifyInstance {
  const { settings, logger, metrics, validatorCompiler = lazyValidators().compile } = options
  return Fastify({
    loggerInstance: logger,
    // `request-log.ts` writes one line per request, with the route's pattern instead of the URL.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (parent) => parent,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    trustProxy: settings.trustedProxies.length > 0 ? [...settings.trustedProxies] : false,
    bodyLimit: maxBodyBytes,
    // A client that sends or reads slowly holds a socket, not the service, and not forever.
    connectionTimeout: 120_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    // Node would answer a missing Host header without a body; a hook answers it with our error body.
    http: { headersTimeout: 15_000, connectionsCheckingInterval: 5_000, requireHostHeader: false },
    forceCloseConnections: 'idle',
    // The admission hook answers with our error body while the service drains.
    return503OnClosing: false,
    rewriteUrl: ({ url = '/' }) => withoutTrailingSlash(url),
    routerOptions: { maxParamLength: 256, querystringParser: () => ({}) },
    schemaController: {
      compilersFactory: {
        // Fastify calls the result with a route; the type is that of the compiler which it would load.
        buildValidator: (() => validatorCompiler) as unknown as ValidatorFactory,
        // No route has a schema for its response. Without this, Fastify loads a compiler for them at every start.
        buildSerializer: () => () => JSON.stringify,
      },
    },
    schemaErrorFormatter: validationError,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      sendError(error, request, reply, logger)
      metrics.request(request.method, undefined, reply.statusCode, reply.elapsedTime / 1000)
    },
  })
}
