import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../core/actor.js'
import { invalid } from '../core/errors.js'
import { type Caller, keyIdOf } from './access/caller-scope.js'
import { actingFor, namedUser } from './access/named-user.js'
import { readIdempotencyKey } from './body/idempotency-key.js'
import { type ParameterType, readQueryString } from './body/query-string.js'
import { textProblem } from './body/text-problem.js'
import {
  checkValue,
  type JsonSchema,
  parameterTypes,
  refuseFarTooMuch,
  requestSchema,
  withoutItems,
} from './body/validation.js'
import { addressesOf, type Endpoint } from './endpoint.js'
import { clientAddress } from './limits/client-address.js'
import { countForUser, countItems } from './limits/limits.js'
import type { WorkInFlight } from './limits/work-in-flight.js'
import { requestTimings } from './metrics/server-timing.js'
import type { HttpOptions } from './options.js'
import { traced } from './traces/operation-span.js'

/** Registers an endpoint at its addresses. Fastify adds HEAD to GET. */
export function register(app: FastifyInstance, options: HttpOptions, endpoint: Endpoint, inFlight: WorkInFlight): void {
  const { body, item } = bodySchemas(endpoint)
  const checkItem = item && itemCheck(app, item)
  const query = endpoint.query === undefined ? undefined : requestSchema(endpoint.query)
  const types = query === undefined ? undefined : parameterTypes(query)
  for (const address of addressesOf(endpoint)) {
    app.route({
      method: endpoint.method,
      url: address.replace(/\{(\w+)\}/g, ':$1'),
      config: { endpoint },
      schema: {
        ...(body === undefined ? {} : { body }),
        ...(query === undefined ? {} : { querystring: query }),
      },
      preValidation: async (request) => readRequest(request, endpoint, types, body),
      handler: (request, reply) => {
        const work = () => answer(options, endpoint, request, reply, checkItem)
        return isBounded(endpoint) ? inFlight.run(work, request.caller) : work()
      },
    })
  }
}

function bodySchemas({ body, itemsApart }: Endpoint): { readonly body?: JsonSchema; readonly item?: JsonSchema } {
  if (body === undefined) return {}
  return itemsApart === undefined ? { body: requestSchema(body) } : withoutItems(requestSchema(body), itemsApart)
}

type CheckItem = (item: unknown) => void

function itemCheck(app: FastifyInstance, schema: JsonSchema): CheckItem {
  let validate: Parameters<typeof checkValue>[0] | undefined
  return (item) => {
    // Fastify's own validator has the rules and messages of every other route.
    validate ??= app.validatorCompiler?.({ schema, method: 'POST', url: '', httpPart: 'body' }) as typeof validate
    if (!validate) throw new Error('the server has no validator yet')
    checkValue(validate, schema, item, 'body')
  }
}

/** Probes and metrics are not bounded: they matter most while the service is overloaded. */
export function isBounded({ whileDraining, access }: Endpoint): boolean {
  return !whileDraining && access !== 'metrics'
}

/** `/memories/` is `/memories`. Not for pages, whose files are relative to their address. */
export function withoutTrailingSlash(url: string): string {
  const end = url.search(/[?#]/)
  const path = end === -1 ? url : url.slice(0, end)
  if (!/[^/]\/$/.test(path) || /\/(?:dashboard|docs|redoc)\/$/.test(path)) return url
  return path.slice(0, -1) + (end === -1 ? '' : url.slice(end))
}

/** Checks the path parameters of every route. A text that no store could keep is a broken request, not an unknown id. */
export function readUrl(request: FastifyRequest): void {
  const { params } = request
  if (typeof params !== 'object' || params === null) return
  for (const [name, value] of Object.entries(params)) {
    const problem = typeof value === 'string' ? textProblem(value) : undefined
    if (problem) throw invalid(name, problem)
  }
}

function readRequest(
  request: FastifyRequest,
  endpoint: Endpoint,
  types: ReadonlyMap<string, ParameterType> | undefined,
  body: JsonSchema | undefined,
): void {
  if (types !== undefined) request.query = readQueryString(request.url, types)
  if (body === undefined) return
  if (request.body === undefined) {
    if (!endpoint.bodyOptional) throw invalid('', 'a JSON body is required')
    request.body = {}
  }
  refuseFarTooMuch(body, request.body)
}

async function answer(
  options: HttpOptions,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  checkItem: CheckItem | undefined,
): Promise<unknown> {
  const { params, query, body } = request
  const caller = await actingCaller(options, endpoint, request, reply)
  await countItems(options, endpoint, caller, request, reply)
  const actor = actorOf(caller, request)
  if (endpoint.status !== undefined) reply.code(endpoint.status)
  if (typeof endpoint.answer === 'string') reply.type(endpoint.answer)
  const timings = requestTimings(options.deps.meter)
  const trace = { span: request.span }
  const idempotencyKey = endpoint.idempotent ? readIdempotencyKey(request) : undefined
  const answered = await traced(options.tracer, trace, endpoint, params, timings.meter, (meter) =>
    endpoint.handle({
      options,
      deps: { ...options.deps, meter },
      caller,
      actor,
      params,
      query,
      body,
      trace,
      idempotencyKey,
      checkItem,
      reply,
      setHeader: (name, value) => void reply.header(name, value),
    }),
  )
  const timing = timings.header()
  if (timing !== undefined) reply.header('server-timing', timing)
  return answered
}

/** An application key acts for the user of the request, and is counted for this user. */
async function actingCaller(
  options: HttpOptions,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller> {
  const { caller } = request
  if (caller.kind !== 'application') return caller
  const asking = { deps: options.deps, caller }
  const userId = endpoint.userOf === undefined ? namedUser(request) : await endpoint.userOf(asking, request)
  await countForUser(options, endpoint.limit, userId, request, reply)
  // An operation that needs nothing concerns no user.
  return endpoint.needs === 'any' ? caller : actingFor(caller, userId)
}

export function actorOf(caller: Caller, request: FastifyRequest): Actor {
  return {
    role: roleOf(caller),
    keyId: keyIdOf(caller),
    ip: clientAddress(request),
    requestId: request.id,
  }
}

function roleOf({ kind }: Caller): Actor['role'] {
  if (kind === 'application') return 'user'
  return kind === 'user' || kind === 'master' ? kind : 'anonymous'
}
