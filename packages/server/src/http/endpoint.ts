/**
 * A route as data: what registers it, validates it and documents it. A handler gets only what its
 * schemas let through.
 */
import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import type { Actor } from '../core/actor.js'
import type { Deps } from '../service/deps.js'
import type { Caller } from './access/caller-scope.js'
import type { RouteLimitGroup } from './limits/rate-limit.js'
import type { HttpOptions } from './options.js'
import { noFields } from './schemas/common.js'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * - `user`: an API key; `master`: the master key; `cleanup`: either.
 * - `probe`: no key needed, but a wrong one is refused; a good one is told more.
 * - `metrics`: the master key, or nothing where authentication is off.
 * - `open`: never a key.
 */
export type Access = 'open' | 'probe' | 'user' | 'master' | 'cleanup' | 'metrics'

/** One call of an operation, after its request was validated. */
export interface Call<Params, Query, Body> {
  readonly options: HttpOptions
  readonly deps: Deps
  readonly caller: Caller
  readonly actor: Actor
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Only on routes with `idempotent`. */
  readonly idempotencyKey?: string | undefined
  /** Sets a header of the HTTP response. Does nothing for a call through MCP. */
  setHeader(name: string, value: string): void
}

interface HttpCall<Params, Query, Body> extends Call<Params, Query, Body> {
  readonly reply: FastifyReply
}

export const apiPrefix = '/api/v1'

/** Where a route is served: under `apiPrefix`, at the root, or both. */
type Base = 'api' | 'root' | 'both'

interface Described {
  readonly method: Method
  /** As OpenAPI writes it: `/memories/{id}`. */
  readonly path: string
  readonly base?: Base
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tag: 'Memories' | 'Contradictions' | 'Entities' | 'Time' | 'Events' | 'Keys' | 'Operations' | 'Documentation'
  readonly access: Access
  readonly limit: RouteLimitGroup | 'none'
  /** Answers 404 for an id that is not there. */
  readonly notFound?: boolean
  /** Takes an `Idempotency-Key`: sent again with the same one, it is answered again and not done again. */
  readonly idempotent?: boolean
  /** Query parameters are passed over: probes and browsers add some. */
  readonly anyQuery?: boolean
  /** A request without a body is one with all defaults. */
  readonly bodyOptional?: boolean
  /** Served while the service drains: probes must see it. */
  readonly whileDraining?: boolean
  readonly status?: 200 | 201
  /** Answers with server-sent events as well, to who asks for them. */
  readonly streams?: boolean
  /** Another answer with the status 503 than the plain error. */
  readonly unavailable?: z.ZodType
  readonly example?: { readonly request?: unknown; readonly answer?: unknown }
}

export interface Endpoint extends Described {
  readonly params: z.ZodObject | undefined
  /** Undefined: the query string is ignored. */
  readonly query: z.ZodObject | undefined
  readonly body: z.ZodObject | undefined
  /** A schema for JSON, or a media type for anything else. */
  readonly answer: z.ZodType | string
  readonly handle: (call: HttpCall<unknown, unknown, unknown>) => Promise<unknown>
}

/** An endpoint that needs no HTTP reply, so that MCP can offer it too. */
export interface Operation extends Endpoint {
  readonly handle: (call: Call<unknown, unknown, unknown>) => Promise<unknown>
}

type NoFields = typeof noFields

interface Schemas<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Answer extends z.ZodType,
> extends Described {
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  readonly answer: Answer
}

/** Every address that an endpoint is served at, with parameters as OpenAPI writes them. */
export function addressesOf({ base = 'api', path }: Endpoint): string[] {
  return [...(base === 'root' ? [] : [`${apiPrefix}${path}`]), ...(base === 'api' ? [] : [path])]
}

/** A route that takes and returns JSON. */
export function endpoint<
  Answer extends z.ZodType,
  Params extends z.ZodObject = NoFields,
  Query extends z.ZodObject = NoFields,
  Body extends z.ZodObject = NoFields,
>(
  definition: Schemas<Params, Query, Body, Answer> & {
    readonly handle: (
      call: Call<z.output<Params>, z.output<Query>, z.output<Body>>,
    ) => Promise<z.input<Answer>> | z.input<Answer>
  },
): Operation {
  const { handle } = definition
  return {
    ...withSchemas(definition),
    // AJV has checked the request against JSON Schemas made from these very schemas.
    handle: async (call) => handle(call as Call<z.output<Params>, z.output<Query>, z.output<Body>>),
  }
}

/** A route that returns JSON, and also chooses its status or takes the reply over to write a stream. */
export function replyEndpoint<
  Answer extends z.ZodType,
  Params extends z.ZodObject = NoFields,
  Query extends z.ZodObject = NoFields,
  Body extends z.ZodObject = NoFields,
>(
  definition: Schemas<Params, Query, Body, Answer> & {
    readonly handle: (
      call: HttpCall<z.output<Params>, z.output<Query>, z.output<Body>>,
      // The reply itself says that it was taken over.
    ) => Promise<z.input<Answer> | FastifyReply>
  },
): Endpoint {
  const { handle } = definition
  return {
    ...withSchemas(definition),
    // As in `endpoint`.
    handle: async (call) => handle(call as HttpCall<z.output<Params>, z.output<Query>, z.output<Body>>),
  }
}

function withSchemas(definition: Schemas<z.ZodObject, z.ZodObject, z.ZodObject, z.ZodType>): Omit<Endpoint, 'handle'> {
  const { params, query, body } = definition
  return { ...definition, params, query: query ?? (definition.anyQuery ? undefined : noFields), body }
}

/** A route that returns a page, a script or a document: anything but JSON. Its query string is ignored. */
export function rawEndpoint(
  definition: Described & {
    readonly mediaType: string
    readonly handle: (call: HttpCall<unknown, unknown, unknown>) => Promise<string | Buffer>
  },
): Endpoint {
  const { mediaType, ...described } = definition
  return { ...described, params: undefined, query: undefined, body: undefined, answer: mediaType }
}
