/** The query and body fields of an operation of the OpenAPI document. */
import { asNode, type Operation, resolved } from '../support/openapi-check.js'

export type Schema = Readonly<Record<string, unknown>>

export interface Field {
  readonly name: string
  readonly required: boolean
  readonly schema: Schema
}

export interface OperationFields {
  readonly query: readonly Field[]
  /** Undefined: the operation has no body. */
  readonly body: readonly Field[] | undefined
  readonly bodyRequired: boolean
}

export function fieldsOf({ description }: Operation): OperationFields {
  const parameters = Array.isArray(description.parameters) ? description.parameters.map(asNode) : []
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, required, schema }) => ({
      name: String(name),
      required: required === true,
      schema: resolved(schema) ?? {},
    }))
  const schema = bodySchema(description)
  return {
    query,
    body: schema && objectFields(schema),
    bodyRequired: resolved(description.requestBody)?.required === true,
  }
}

export function bodySchema(description: Operation['description']): Schema | undefined {
  const content = resolved(description.requestBody)?.content
  return content === undefined ? undefined : resolved(asNode(asNode(content)['application/json']).schema)
}

export function objectFields(schema: Schema): Field[] {
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(asNode(schema.properties ?? {})).map(([name, property]) => ({
    name,
    required: required.includes(name),
    schema: resolved(property) ?? {},
  }))
}
