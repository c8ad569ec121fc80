/**
 * Performs operations for callers that do not use HTTP routes, such as MCP clients. Checks, access rules and answers are those of
 * the routes. The caller of this function counts the rate limit.
 */
import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import type { Actor } from '../core/actor.js'
import { errorTable, invalid, ServiceError } from '../core/errors.js'
import type { Caller } from './access/caller-scope.js'
import { denialOf, requirePermission } from './access/key-permission.js'
import { actingFor, namedUser } from './access/named-user.js'
import { readStrictJson } from './body/strict-json.js'
import { checkValue, requestSchema } from './body/validation.js'
import type { Operation } from './endpoint.js'
import type { CallerOperations, Fields, OperationInput } from './mcp/mcp-handler.js'
import type { HttpOptions } from './options.js'
import { entityRelationshipsEndpoint, listEntitiesEndpoint } from './routes/entities.js'
import { getItemEndpoint, putItemEndpoint, searchItemsEndpoint } from './routes/items.js'
import {
  deleteMemoriesEndpoint,
  getMemoryEndpoint,
  listMemoriesEndpoint,
  updateMemoryEndpoint,
} from './routes/memories.js'
import { profileEndpoint } from './routes/profile.js'
import { recallEndpoint } from './routes/recall.js'
import { listSpacesEndpoint } from './routes/spaces.js'
import { storeEndpoint } from './routes/store.js'
import { type OperationTrace, traced } from './traces/operation-span.js'

interface Asker {
  readonly caller: Caller
  readonly actor: Actor
  readonly trace?: OperationTrace | undefined
}

export type Performer = (asker: Asker) => CallerOperations

/** Performs any operation, for interfaces that translate requests. */
export function operationRunner(app: FastifyInstance, options: HttpOptions) {
  const checks = new RequestChecks(app)
  return ({ caller, actor, trace }: Asker, operation: Operation, input: OperationInput) =>
    perform(options, checks, operation, { caller, actor, trace }, input)
}

export function performer(app: FastifyInstance, options: HttpOptions): Performer {
  const checks = new RequestChecks(app)
  return (asker) => {
    const as = (operation: Operation) => (input: OperationInput) => perform(options, checks, operation, asker, input)
    return {
      storeMemories: as(offered.storeMemories),
      recallMemories: as(offered.recallMemories),
      updateMemory: as(offered.updateMemory),
      deleteMemories: as(offered.deleteMemories),
      listMemories: as(offered.listMemories),
      getMemory: as(offered.getMemory),
      getProfile: as(offered.getProfile),
      listEntities: as(offered.listEntities),
      listSpaces: as(offered.listSpaces),
      getEntityRelationships: as(offered.getEntityRelationships),
      putItem: as(offered.putItem),
      getItem: as(offered.getItem),
      searchItems: as(offered.searchItems),
    }
  }
}

const offered: Readonly<Record<keyof CallerOperations, Operation>> = {
  storeMemories: storeEndpoint,
  recallMemories: recallEndpoint,
  updateMemory: updateMemoryEndpoint,
  deleteMemories: deleteMemoriesEndpoint,
  listMemories: listMemoriesEndpoint,
  getMemory: getMemoryEndpoint,
  getProfile: profileEndpoint,
  listEntities: listEntitiesEndpoint,
  listSpaces: listSpacesEndpoint,
  getEntityRelationships: entityRelationshipsEndpoint,
  putItem: putItemEndpoint,
  getItem: getItemEndpoint,
  searchItems: searchItemsEndpoint,
}

/** Whether the key of the caller allows an operation, by its id. */
export function mayCall(caller: Caller, operationId: string): boolean {
  const operation = Object.values(offered).find((each) => each.operationId === operationId)
  return operation !== undefined && denialOf(caller, operation) === undefined
}

async function perform(
  options: HttpOptions,
  checks: RequestChecks,
  operation: Operation,
  { caller, actor, trace = {} }: Asker,
  input: OperationInput,
): Promise<Fields> {
  try {
    requirePermission(options.deps, caller, operation, actor)
    const checkOf = checks.of(operation)
    const parts = {
      params: checkOf.params(input.params),
      query: checkOf.query(input.query),
      body: checkOf.body(input.body),
    }
    const answered = await traced(options.tracer, trace, operation, parts.params, options.deps.meter, (meter) =>
      operation.handle({
        options,
        deps: { ...options.deps, meter },
        caller: actingFor(caller, namedUser(parts)),
        actor,
        ...parts,
        setHeader: () => undefined,
      }),
    )
    // An operation with a schema for its answer returns an object of JSON.
    return answered as Fields
  } catch (error) {
    if (error instanceof ServiceError) throw error
    options.logger.error({ err: error, request_id: actor.requestId }, 'a request failed')
    throw new ServiceError('internal_error', errorTable.internal_error.meaning)
  }
}

type Part = 'params' | 'query' | 'body'
type Check = (value: unknown) => Fields

/**
 * The compiled checks of each operation. Fastify's own validator makes them, so that every interface has the same rules and
 * messages.
 */
class RequestChecks {
  readonly #app: FastifyInstance
  readonly #compiled = new Map<Operation, Readonly<Record<Part, Check>>>()

  constructor(app: FastifyInstance) {
    this.#app = app
  }

  of(operation: Operation): Readonly<Record<Part, Check>> {
    const known = this.#compiled.get(operation)
    if (known !== undefined) return known
    const made = {
      params: this.#compile('params', operation.params),
      query: this.#compile('query', operation.query),
      body: this.#compile('body', operation.body),
    }
    this.#compiled.set(operation, made)
    return made
  }

  #compile(part: Part, schema: z.ZodObject | undefined): Check {
    if (schema === undefined) return refuseAnyField
    const asJson = requestSchema(schema)
    const compile = this.#app.validatorCompiler
    if (compile === undefined) throw new Error('the server has no validator yet')
    const validate = compile({ schema: asJson, method: 'POST', url: '', httpPart: part })
    return (value) => {
      // Parsed again: input from another interface has not passed the strict reader, and defaults are filled into the copy.
      const read: unknown = readStrictJson(Buffer.from(JSON.stringify(value ?? {})))
      checkValue(validate as Parameters<typeof checkValue>[0], asJson, read, part)
      // It passed the schema of an object.
      return read as Fields
    }
  }
}

function refuseAnyField(value: unknown): Fields {
  const [first] = Object.keys(value ?? {})
  if (first !== undefined) throw invalid(first, 'is not a known field')
  return {}
}
