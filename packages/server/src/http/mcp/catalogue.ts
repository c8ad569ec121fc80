/** The operations that MCP offers, described in JSON Schema. */
import { z } from 'zod'
import { isTextFormat } from '../body/text-formats.js'
import { type JsonSchema, requestSchema } from '../body/validation.js'
import type { Operation } from '../endpoint.js'
import type { RouteLimitGroup } from '../limits/rate-limit.js'
import { entityRelationshipsEndpoint, listEntitiesEndpoint } from '../routes/entities.js'
import { getItemEndpoint, putItemEndpoint, searchItemsEndpoint } from '../routes/items.js'
import {
  deleteMemoriesEndpoint,
  getMemoryEndpoint,
  listMemoriesEndpoint,
  updateMemoryEndpoint,
} from '../routes/memories.js'
import { profileEndpoint } from '../routes/profile.js'
import { recallEndpoint } from '../routes/recall.js'
import { listSpacesEndpoint } from '../routes/spaces.js'
import { storeEndpoint } from '../routes/store.js'
import type { CallerOperations } from './mcp-handler.js'

interface DescribedOperation {
  readonly operationId: string
  readonly limitGroup: RouteLimitGroup
  /** All fields of the request, whichever part of it carries them. */
  readonly input: {
    readonly type: 'object'
    readonly properties: Readonly<Record<string, JsonSchema>>
    readonly required: readonly string[]
    readonly additionalProperties: false
  }
  readonly answer: JsonSchema
}

export type OperationCatalogue = { readonly [name in keyof CallerOperations]: DescribedOperation }

export function operationCatalogue(): OperationCatalogue {
  return {
    storeMemories: describe(storeEndpoint),
    recallMemories: describe(recallEndpoint),
    updateMemory: describe(updateMemoryEndpoint),
    deleteMemories: describe(deleteMemoriesEndpoint),
    listMemories: describe(listMemoriesEndpoint),
    getMemory: describe(getMemoryEndpoint),
    getProfile: describe(profileEndpoint),
    listEntities: describe(listEntitiesEndpoint),
    listSpaces: describe(listSpacesEndpoint),
    getEntityRelationships: describe(entityRelationshipsEndpoint),
    putItem: describe(putItemEndpoint),
    getItem: describe(getItemEndpoint),
    searchItems: describe(searchItemsEndpoint),
  }
}

function describe({ operationId, limit, params, query, body, answer }: Operation): DescribedOperation {
  const parts = [params, query, body].flatMap((part) => (part === undefined ? [] : [requestSchema(part)]))
  const fields = parts.flatMap((part) => Object.entries(part.properties ?? {}))
  return {
    operationId,
    limitGroup: limit === 'none' ? 'default' : limit,
    input: {
      type: 'object',
      properties: Object.fromEntries(fields.map(([name, field]) => [name, plain(field)])),
      required: parts.flatMap((part) => part.required ?? []),
      additionalProperties: false,
    },
    answer: answerSchema(operationId, answer),
  }
}

function answerSchema(operationId: string, answer: z.ZodType | string): JsonSchema {
  if (typeof answer === 'string') throw new Error(`${operationId} does not answer with JSON`)
  const { $schema: _, ...schema } = z.toJSONSchema(answer, { target: 'draft-7', reused: 'inline' })
  return plain(schema)
}

/** Leaves out our own formats: strict schema readers refuse formats that they do not know. */
function plain(schema: object): JsonSchema {
  const entries = Object.entries(schema).filter(([keyword, value]) => keyword !== 'format' || !isTextFormat(value))
  return Object.fromEntries(entries.map(([keyword, value]) => [keyword, plainValue(value)]))
}

function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue)
  return typeof value === 'object' && value !== null ? plain(value) : value
}
