/** A route as data, from which it is registered, validated and documented. A handler only sees values that passed its schemas. */
import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import type { Actor } from '../core/actor.js'
import type { Permission } from '../core/key-access.js'
import type { Deps } from '../service/deps.js'
import type { Asking, Caller } from './access/caller-scope.js'
import type { RequestParts } from './access/named-user.js'
import type { RouteLimitGroup } from './limits/rate-limit.js'
import type { HttpOptions } from './options.js'
import { noFields } from './schemas/common.js'
import type { OperationTrace } from './traces/operation-span.js'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * - `user`: an API key; `master`: the master key; `cleanup`: either.
 * - `probe`: needs no key, but refuses a wrong one. A valid key gets a more detailed response.
 * - `metrics`: the master key, or nothing while authentication is off.
 * - `open`: never needs a key.
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
  /** Where spans of operations that the handler performs belong. */
  readonly trace?: OperationTrace
  /** Only on routes with `idempotent`. */
  readonly idempotencyKey?: string | undefined
  /** Only on routes with `itemsApart`: checks one item. @throws ServiceError */
  readonly checkItem?: ((item: unknown) => void) | undefined
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
  readonly tag:
    | 'Memories'
    | 'Items'
    | 'Contradictions'
    | 'Entities'
    | 'Time'
    | 'Events'
    | 'Spaces'
    | 'Keys'
    | 'Operations'
    | 'Documentation'
  readonly access: Access
  /** What an API key must be allowed to do. Absent: limited keys are refused. `any`: the operation itself checks, or there is nothing to check. */
  readonly needs?: Permission | 'any'
  /** Concerns all projects of a user: refuses a key of one project. */
  readonly spansProjects?: boolean
  /** Open to application keys; to those without a prefix, if it may show other users. Absent: application keys are refused. */
  readonly forApplications?: 'all' | 'without prefix'
  readonly limit: RouteLimitGroup | 'none'
  /** The user of a request that names none in `user_id`, for application keys only. Gets a request that passed its schemas. */
  readonly userOf?: (asking: Asking, request: RequestParts) => Promise<string | undefined>
  /** Also accepts `Authorization: Token <key>`. */
  readonly tokenScheme?: boolean
  /** Also accepts OAuth access tokens, if the operator has enabled OAuth. */
  readonly acceptsTokens?: boolean
  /** Returns 404 for an unknown id. */
  readonly notFound?: boolean
  /** Takes an `Idempotency-Key`: a repeated request with the same key returns the same response and does nothing. */
  readonly idempotent?: boolean
  /** Returns 409 if the caller expects another version. */
  readonly versioned?: boolean
  /** A list in the body. The handler checks its items one by one, and each of them counts as a request. */
  readonly itemsApart?: string
  /** Unknown query parameters are ignored, because probes and browsers add some. */
  readonly anyQuery?: boolean
  /** A request without a body counts as one with all defaults. */
  readonly bodyOptional?: boolean
  /** Also served while the service drains, so that probes see its state. */
  readonly whileDraining?: boolean
  readonly status?: 200 | 201
  /** Also returns server-sent events, if the client accepts them. */
  readonly streams?: boolean
  /** The body of a 503, where it differs from the plain error. */
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
  const inApi = path === '/' ? apiPrefix : `${apiPrefix}${path}`
  return [...(base === 'root' ? [] : [inApi]), ...(base === 'api' ? [] : [path])]
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

/** A route that returns JSON, and can also choose its status or take over the reply to write a stream. */
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
    readonly handle: (call: HttpCall<unknown, unknown, unknown>) => Promise<string | Buffer | FastifyReply>
  },
): Endpoint {
  const { mediaType, ...described } = definition
  return { ...described, params: undefined, query: undefined, body: undefined, answer: mediaType }
}
