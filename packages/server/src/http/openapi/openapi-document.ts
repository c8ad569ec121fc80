/** Endpoints described in OpenAPI 3.0.3 (https://spec.openapis.org/oas/v3.0.3). */
import { z } from 'zod'
import { errorTable } from '../../core/errors.js'
import { type JsonSchema, requestSchema } from '../body/validation.js'
import { type Access, apiPrefix, type Endpoint } from '../endpoint.js'
import { componentSchemas } from '../schemas/components.js'
import { errorAnswer } from '../schemas/error.js'

type Described = Readonly<Record<string, unknown>>

export function describeEndpoints(endpoints: readonly Endpoint[], version: string): object {
  const names = schemaNames(endpoints)
  return {
    openapi: '3.0.3',
    info: {
      title: 'Keepsake',
      version,
      description: introduction,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: apiPrefix }],
    tags: tags.map(([name, description]) => ({ name, description })),
    paths: pathsOf(endpoints, names),
    components: {
      schemas: names.schemas,
      headers: headerComponents,
      responses: errorResponses(names),
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: gives access to the memories of its user.',
        },
        masterKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'The master key: manages API keys and purges expired memories.',
        },
      },
    },
  }
}

const introduction = [
  'A memory service for AI applications: store text, recall it by meaning.',
  'While authentication is on, send an API key as `Authorization: Bearer <key>`. While it is off, no key is needed, and',
  '`user_id` selects the user.',
  'Every error has the same body: `{"error": {"code", "message", "details", "request_id"}}`.',
  'Timestamps are ISO 8601 in UTC with milliseconds. Unknown request fields are errors.',
].join(' ')

const tags = [
  ['Memories', 'Store, recall, read, update and delete memories'],
  ['Contradictions', 'Memories that cannot both be true, and how that was resolved'],
  ['Entities', 'People and things that memories are about'],
  ['Time', 'Decay and cleanup'],
  ['Events', 'Changes to memories as they happen: streams and webhooks'],
  ['Spaces', 'Memories of a group, and its members'],
  ['Keys', 'API keys; these operations need the master key'],
  ['Operations', 'Health, readiness and metrics'],
  ['Documentation', 'This document and its pages'],
] as const

/* ------------------------------------------------------------------ schemas */

interface SchemaNames {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  reference(schema: z.ZodType): Described
}

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** Names every body: shared nouns by their own name, the rest after their operation. */
function schemaNames(endpoints: readonly Endpoint[]): SchemaNames {
  const named = new Map<z.ZodType, string>(Object.entries(componentSchemas).map(([name, schema]) => [schema, name]))
  const give = (schema: z.ZodType | string | undefined, name: string) => {
    if (schema !== undefined && typeof schema !== 'string' && !named.has(schema)) named.set(schema, name)
  }
  for (const endpoint of endpoints) {
    const title = endpoint.operationId.replace(/^./, (letter) => letter.toUpperCase())
    give(endpoint.body, `${title}Request`)
    give(answerSchema(endpoint), `${title}Answer`)
    give(endpoint.unavailable, `${title}UnavailableAnswer`)
  }
  const registry = z.registry<{ id: string }>()
  for (const [schema, id] of named) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    target: 'openapi-3.0',
    io: 'input',
    uri: (id) => reference(id).$ref,
  })
  return {
    // JSON Schema names a schema by $id. OpenAPI 3.0 names it by its place in the document.
    schemas: Object.fromEntries(
      Object.entries(schemas).map(([name, { $id: _, ...schema }]) => [name, forGenerators(schema) as JsonSchema]),
    ),
    reference: (schema) => reference(named.get(schema) ?? ''),
  }
}

/**
 * Two habits of tools that read the document. A generated client takes a field with a default for one that is always there,
 * and requires it in requests; the description says the default instead. An enumeration excludes null unless it lists it.
 */
function forGenerators(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forGenerators)
  if (typeof value !== 'object' || value === null) return value
  const schema = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, forGenerators(part)]))
  if (schema.nullable === true && Array.isArray(schema.enum) && !schema.enum.includes(null)) schema.enum.push(null)
  // A field that is called default has a schema, which is an object.
  if (!('default' in schema) || typeof schema.default === 'object') return schema
  const { default: usual, description, ...rest } = schema
  return {
    ...rest,
    description: [...(description === undefined ? [] : [description]), `by default ${usual}`].join('; '),
  }
}

/** The schema of a 200. Probes also have one for their 503. */
function answerSchema(endpoint: Endpoint): z.ZodType | string {
  const { answer, unavailable } = endpoint
  if (unavailable === undefined || !(answer instanceof z.ZodUnion)) return answer
  const [first] = answer.options
  return first instanceof z.ZodType ? first : answer
}

/* ------------------------------------------------------------------ paths */

function pathsOf(endpoints: readonly Endpoint[], names: SchemaNames): Described {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of endpoints) {
    const path = paths[endpoint.path] ?? serversOf(endpoint)
    path[endpoint.method.toLowerCase()] = operationOf(endpoint, names)
    paths[endpoint.path] = path
  }
  return paths
}

function serversOf(endpoint: Endpoint): Record<string, unknown> {
  if (endpoint.base === 'root') return { servers: [{ url: '/' }] }
  return endpoint.base === 'both' ? { servers: [{ url: apiPrefix }, { url: '/' }] } : {}
}

function operationOf(endpoint: Endpoint, names: SchemaNames): Described {
  const parameters = parametersOf(endpoint)
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    tags: [endpoint.tag],
    security: securityOf(endpoint.access),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(endpoint.body === undefined ? {} : { requestBody: requestBodyOf(endpoint, endpoint.body, names) }),
    responses: responsesOf(endpoint, names),
  }
}

function parametersOf(endpoint: Endpoint): Described[] {
  const places = [
    ['path', endpoint.params],
    ['query', endpoint.query],
  ] as const
  const described = places.flatMap(([place, fields]) => {
    if (fields === undefined) return []
    const required = new Set(requestSchema(fields).required)
    return Object.entries(openApiSchema(fields).properties ?? {}).map(([name, { description, ...schema }]) => ({
      name,
      in: place,
      required: place === 'path' || required.has(name),
      ...(description === undefined ? {} : { description }),
      schema,
    }))
  })
  return endpoint.idempotent ? [...described, idempotencyKeyParameter] : described
}

const idempotencyKeyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Chosen by the caller, one per operation. For 24 hours a request with the same key and body returns the same response and does nothing. With another body it is a 400, and while the first request is in progress a 409.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$', maxLength: 255 },
}

function openApiSchema(fields: z.ZodObject): JsonSchema {
  // zod's type for a JSON Schema allows booleans in places where these strict objects have none.
  return z.toJSONSchema(fields, { target: 'openapi-3.0', io: 'input', reused: 'inline' }) as JsonSchema
}

function requestBodyOf(endpoint: Endpoint, body: z.ZodType, names: SchemaNames): Described {
  const example = endpoint.example?.request
  const content = { schema: names.reference(body), ...(example === undefined ? {} : { example }) }
  return { required: !endpoint.bodyOptional, content: { 'application/json': content } }
}

function securityOf(access: Access): Described[] {
  const apiKey = { apiKey: [] }
  const masterKey = { masterKey: [] }
  switch (access) {
    case 'open':
      return []
    case 'probe':
      return [{}, apiKey, masterKey]
    case 'user':
      return [apiKey]
    case 'cleanup':
      return [apiKey, masterKey]
    case 'master':
    case 'metrics':
      return [masterKey]
  }
}

/* ------------------------------------------------------------------ responses */

const headerComponents = {
  'X-Request-Id': { description: 'Identifies the request in the log', schema: { type: 'string' } },
  'X-RateLimit-Limit': { description: 'Requests per minute', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { description: 'Requests left in this window', schema: { type: 'integer' } },
  'X-RateLimit-Reset': { description: 'Seconds until the window ends', schema: { type: 'integer' } },
  'Idempotency-Replayed': {
    description: 'true: the response is a repetition, and nothing was done',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': { description: 'Seconds to wait before trying again', schema: { type: 'integer' } },
}

type HeaderName = keyof typeof headerComponents

function headers(...names: readonly HeaderName[]): Described {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

const limitHeaders: readonly HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

const errorKinds = {
  400: ['BadRequest', 'validation_error', 'The request is not valid; details name the fields'],
  401: ['Unauthorized', 'authentication_error', errorTable.authentication_error.meaning],
  403: [
    'Forbidden',
    'forbidden',
    'The API key is limited, or the role in the space is too low. While authentication is off (code validation_error): the Host or the origin is not allowed',
  ],
  404: ['NotFound', 'not_found', errorTable.not_found.meaning],
  409: ['Conflict', 'conflict', errorTable.conflict.meaning],
  413: ['TooLarge', 'validation_error', 'The body is larger than 1 MiB, or the user has no room left'],
  415: ['WrongContentType', 'validation_error', 'The body is not JSON in UTF-8'],
  429: ['TooManyRequests', 'rate_limit_exceeded', errorTable.rate_limit_exceeded.meaning],
  500: ['InternalError', 'internal_error', errorTable.internal_error.meaning],
  503: ['Unavailable', 'unavailable', errorTable.unavailable.meaning],
} as const

type ErrorStatus = keyof typeof errorKinds

function errorResponses(names: SchemaNames): Described {
  return Object.fromEntries(
    Object.entries(errorKinds).map(([status, [name, code, description]]) => {
      const details = status === '400' ? { details: [{ path: 'ttl', message: 'must be at most 100 years' }] } : {}
      const example = {
        error: { code, message: description, ...details, request_id: '0b6f1d0e-6c1f-4c55-9d0e-2f4f5a1c7e11' },
      }
      const own =
        status === '409' || status === '429' || status === '503'
          ? headers('X-Request-Id', 'Retry-After')
          : headers('X-Request-Id')
      const limits = status === '429' ? headers(...limitHeaders) : {}
      const content = { 'application/json': { schema: names.reference(errorAnswer), example } }
      return [name, { description, headers: { ...own, ...limits }, content }]
    }),
  )
}

/** A space without a membership does not exist. */
function takesSpace({ query, body }: Endpoint): boolean {
  return [query, body].some((schema) => schema !== undefined && ('space' in schema.shape || 'spaces' in schema.shape))
}

function errorStatuses(endpoint: Endpoint): ErrorStatus[] {
  // The body of a DELETE is read, and may be refused, even where none is expected.
  const hasBody = endpoint.body !== undefined || endpoint.method !== 'GET'
  const conditions: [ErrorStatus, boolean][] = [
    [400, hasBody || endpoint.query !== undefined],
    [401, endpoint.access !== 'open'],
    [403, true],
    [404, endpoint.notFound === true || takesSpace(endpoint)],
    [409, endpoint.idempotent === true || endpoint.versioned === true],
    [413, hasBody],
    [415, hasBody],
    [429, endpoint.limit !== 'none' || endpoint.access !== 'open'],
    [500, true],
    [503, endpoint.unavailable === undefined],
  ]
  return conditions.filter(([, applies]) => applies).map(([status]) => status)
}

function responsesOf(endpoint: Endpoint, names: SchemaNames): Described {
  const { limit, unavailable } = endpoint
  const shown = headers(
    'X-Request-Id',
    ...(limit === 'none' ? [] : limitHeaders),
    ...(endpoint.idempotent ? (['Idempotency-Replayed'] as const) : []),
  )
  const errors = errorStatuses(endpoint).map((status) => [
    String(status),
    { $ref: `#/components/responses/${errorKinds[status][0]}` },
  ])
  return {
    [endpoint.status ?? 200]: { description: endpoint.summary, headers: shown, content: contentOf(endpoint, names) },
    ...Object.fromEntries(errors),
    ...(unavailable === undefined
      ? {}
      : {
          503: {
            description: errorTable.unavailable.meaning,
            headers: headers('X-Request-Id', 'Retry-After'),
            content: { 'application/json': { schema: names.reference(unavailable) } },
          },
        }),
  }
}

function contentOf(endpoint: Endpoint, names: SchemaNames): Described {
  const answer = answerSchema(endpoint)
  if (typeof answer === 'string') {
    const mediaType = answer.split(';', 1)[0] ?? answer
    return { [mediaType]: { schema: { type: mediaType === 'application/json' ? 'object' : 'string' } } }
  }
  const example = endpoint.example?.answer
  return {
    'application/json': { schema: names.reference(answer), ...(example === undefined ? {} : { example }) },
    ...(endpoint.streams ? { 'text/event-stream': { schema: { type: 'string' } } } : {}),
  }
}
