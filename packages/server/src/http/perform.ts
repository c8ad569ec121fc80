/**
 * Performs an operation of the table for a caller who came through another door than its route: the same checks, the same rules about whose
 * memories it may reach, the same answer. Limits are counted by whoever calls this.
 */
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { z } from 'zod'
import type { Actor } from '../core/actor.js'
import { errorTable, invalid, ServiceError } from '../core/errors.js'
import type { Caller } from './access/caller-scope.js'
import { readStrictJson } from './body/strict-json.js'
import { refuseFarTooMuch, requestSchema, validationError } from './body/validation.js'
import type { Endpoint } from './endpoint.js'
import { endpointOf } from './mcp/catalogue.js'
import type { HttpOptions } from './options.js'

type Fields = Readonly<Record<string, unknown>>
type Part = 'params' | 'query' | 'body'

interface Asker {
  readonly caller: Caller
  readonly actor: Actor
}

/** @throws ServiceError and nothing else. */
export type Perform = (operationId: string, input: { readonly [part in Part]?: Fields }) => Promise<Fields>
export type Performer = (asker: Asker) => Perform

type Check = (value: unknown) => Fields

export function performer(app: FastifyInstance, options: HttpOptions, endpoints: readonly Endpoint[]): Performer {
  const checks = new Map<string, Readonly<Record<Part, Check>>>()
  function checksOf(endpoint: Endpoint): Readonly<Record<Part, Check>> {
    const known = checks.get(endpoint.operationId)
    if (known !== undefined) return known
    const made = {
      params: checkOf(app, 'params', endpoint.params),
      query: checkOf(app, 'query', endpoint.query),
      body: checkOf(app, 'body', endpoint.body),
    }
    checks.set(endpoint.operationId, made)
    return made
  }
  return ({ caller, actor }) =>
    async (operationId, input) => {
      try {
        const endpoint = endpointOf(endpoints, operationId)
        const check = checksOf(endpoint)
        const [params, query, body] = [check.params(input.params), check.query(input.query), check.body(input.body)]
        const { deps } = options
        const answered = await endpoint.handle({ options, deps, caller, actor, params, query, body, reply: noReply })
        // What a route with a schema for its answer gives is an object, and JSON.
        return answered as Fields
      } catch (error) {
        if (error instanceof ServiceError) throw error
        options.logger.error({ err: error, request_id: actor.requestId }, 'a request failed')
        throw new ServiceError('internal_error', errorTable.internal_error.meaning)
      }
    }
}

/** Fastify's own validator, so that one set of rules and messages holds for all doors. */
function checkOf(app: FastifyInstance, part: Part, schema: z.ZodObject | undefined): Check {
  if (schema === undefined) return (value) => (value === undefined ? {} : refuse(value))
  const asJson = requestSchema(schema)
  const compile = app.validatorCompiler
  if (compile === undefined) throw new Error('the server has no validator yet')
  const validate = compile({ schema: asJson, method: 'POST', url: '', httpPart: part })
  return (value) => {
    // Read anew: what comes from elsewhere has passed no strict reader, and defaults are filled into the copy.
    const read: unknown = readStrictJson(Buffer.from(JSON.stringify(value ?? {})))
    refuseFarTooMuch(asJson, read)
    if (validate(read) !== true) {
      const { errors } = validate as { readonly errors?: Parameters<typeof validationError>[0] | null }
      throw validationError(errors ?? [], part)
    }
    // It passed the schema of an object.
    return read as Fields
  }
}

function refuse(value: unknown): Fields {
  const [first] = Object.keys(value ?? {})
  if (first !== undefined) throw invalid(first, 'is not a known field')
  return {}
}

/** Operations that answer with JSON don't touch it; one that does has no place behind another door. */
const noReply = new Proxy(
  {},
  {
    get() {
      throw new Error('this operation needs a reply of HTTP')
    },
  },
) as FastifyReply
