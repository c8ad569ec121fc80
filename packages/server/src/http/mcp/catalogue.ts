/** The operations of the table as JSON Schemas, for a door that offers some of them in another protocol. */
import { z } from 'zod'
import { isTextFormat } from '../body/text-formats.js'
import { type JsonSchema, requestSchema } from '../body/validation.js'
import type { Endpoint } from '../endpoint.js'

export interface OperationCatalogue {
  /** All fields of an operation, wherever they travel. */
  inputOf(operationId: string): {
    readonly type: 'object'
    readonly properties: Readonly<Record<string, JsonSchema>>
    readonly required: readonly string[]
    readonly additionalProperties: false
  }
  answerOf(operationId: string): JsonSchema
}

export function operationCatalogue(endpoints: readonly Endpoint[]): OperationCatalogue {
  const find = (operationId: string) => endpointOf(endpoints, operationId)
  return {
    inputOf(operationId) {
      const { params, query, body } = find(operationId)
      const parts = [params, query, body].flatMap((part) => (part === undefined ? [] : [requestSchema(part)]))
      return {
        type: 'object',
        properties: Object.fromEntries(
          parts.flatMap((part) => Object.entries(part.properties ?? {})).map(([name, field]) => [name, plain(field)]),
        ),
        required: parts.flatMap((part) => part.required ?? []),
        additionalProperties: false,
      }
    },
    answerOf(operationId) {
      const { answer } = find(operationId)
      if (typeof answer === 'string') throw new Error(`${operationId} does not answer with JSON`)
      const { $schema: _, ...schema } = z.toJSONSchema(answer, { target: 'draft-7', reused: 'inline' })
      return plain(schema)
    },
  }
}

export function endpointOf(endpoints: readonly Endpoint[], operationId: string): Endpoint {
  const found = endpoints.find((endpoint) => endpoint.operationId === operationId)
  if (found === undefined) throw new Error(`there is no operation ${operationId}`)
  return found
}

/** Formats of our own are left out: a strict reader of schemas refuses those that it does not know. */
function plain(schema: object): JsonSchema {
  const entries = Object.entries(schema).filter(([keyword, value]) => keyword !== 'format' || !isTextFormat(value))
  return Object.fromEntries(entries.map(([keyword, value]) => [keyword, plainValue(value)]))
}

function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue)
  return typeof value === 'object' && value !== null ? plain(value) : value
}
