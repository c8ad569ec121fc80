/**
 * Checks every response of the suite against the OpenAPI document. The route, the status, the content type and the body must be
 * described, and a body may have no undocumented field.
 */
import { Ajv, type ValidateFunction } from 'ajv'
import { openApiDocument } from '../../src/http/openapi/openapi.js'

type Node = { readonly [key: string]: unknown }

export interface Operation {
  readonly method: string
  /** With the prefix: `/api/v1/memories/{id}`. */
  readonly path: string
  readonly description: Node
}

export interface AnswerToCheck {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly contentType: string
  readonly body: unknown
}

const methods = ['get', 'put', 'post', 'delete', 'patch']

export const document: Node = asNode(JSON.parse(JSON.stringify(openApiDocument('0.0.0'))))
export const operations: readonly Operation[] = operationsOf(document)

/** Returns what is wrong with the response, or undefined if it matches. */
export function describeMismatch(answer: AnswerToCheck): string | undefined {
  const operation = findOperation(answer.method, answer.path)
  if (!operation) return `no operation for ${answer.method} ${answer.path}`
  const name = `${operation.method} ${operation.path} ${answer.status}`
  const response = resolved(asNode(operation.description.responses)[String(answer.status)])
  if (response === undefined) return `${name} is not described`
  const content = asNode(response.content ?? {})
  const mediaType = answer.contentType.split(';')[0]?.trim() ?? ''
  const media = content[mediaType]
  if (media === undefined) return `${name} does not describe content of type ${mediaType}`
  const { schema } = asNode(media)
  if (schema === undefined || mediaType !== 'application/json') return undefined
  return bodyMismatch(name, asNode(schema), answer.body)
}

/** Checks a response outside all routes, which must still have the common error body. */
export function describeErrorMismatch(body: unknown): string | undefined {
  const described = operations.find((operation) => '401' in asNode(operation.description.responses))
  const response = described && resolved(asNode(described.description.responses)['401'])
  if (!response) return 'the document describes no error'
  const schema = asNode(asNode(asNode(response.content)['application/json']).schema)
  return bodyMismatch('error', schema, body)
}

export function findOperation(method: string, given: string): Operation | undefined {
  // A slash at the end makes no difference, except after another one and for pages.
  const path = /[^/]\/$/.test(given) && !/\/(?:docs|redoc)\/$/.test(given) ? given.slice(0, -1) : given
  const candidates = operations.filter((operation) => operation.method === method && matches(operation.path, path))
  // A literal path takes precedence over one with a parameter.
  return candidates.sort((left, right) => parameters(left.path) - parameters(right.path))[0]
}

function parameters(path: string): number {
  return path.split('{').length
}

function matches(template: string, path: string): boolean {
  const wanted = template.split('/')
  const given = path.split('/')
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith('{') || part === given[index])
}

const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })
const validators = new Map<string, ValidateFunction>()

function bodyMismatch(name: string, schema: Node, body: unknown): string | undefined {
  let validate = validators.get(name)
  if (!validate) {
    validate = ajv.compile({ ...strictSchema(schema), components: strictComponents() })
    validators.set(name, validate)
  }
  if (validate(body)) return undefined
  const problems = (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
  return `${name}: ${problems.join('; ')} in ${JSON.stringify(body).slice(0, 600)}`
}

function strictComponents(): unknown {
  const { schemas } = asNode(document.components ?? {})
  return { schemas: mapValues(asNode(schemas ?? {}), (schema) => strictSchema(schema)) }
}

/** Converts OpenAPI 3.0 to JSON Schema (`nullable`, boolean exclusive bounds) and forbids undocumented fields. */
function strictSchema(schema: unknown, insideAllOf = false): Node {
  if (typeof schema !== 'object' || schema === null) return {}
  const { nullable, exclusiveMinimum, exclusiveMaximum, ...rest } = asNode(schema)
  const converted: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(rest)) {
    if (key === 'properties') converted[key] = mapValues(asNode(value), (property) => strictSchema(property))
    else if (['items', 'not'].includes(key)) converted[key] = strictSchema(value)
    else if (key === 'additionalProperties' && typeof value === 'object') converted[key] = strictSchema(value)
    else if (['allOf', 'anyOf', 'oneOf'].includes(key) && Array.isArray(value))
      converted[key] = value.map((part) => strictSchema(part, key === 'allOf'))
    else converted[key] = value
  }
  if (exclusiveMinimum === true) converted.exclusiveMinimum = take(converted, 'minimum')
  else if (exclusiveMinimum !== undefined && exclusiveMinimum !== false) converted.exclusiveMinimum = exclusiveMinimum
  if (exclusiveMaximum === true) converted.exclusiveMaximum = take(converted, 'maximum')
  else if (exclusiveMaximum !== undefined && exclusiveMaximum !== false) converted.exclusiveMaximum = exclusiveMaximum
  const open = insideAllOf || 'additionalProperties' in converted || !('properties' in converted)
  if (!open) converted.additionalProperties = false
  return nullable === true ? { anyOf: [converted, { type: 'null' }] } : converted
}

function take(from: Record<string, unknown>, key: string): unknown {
  const value = from[key]
  delete from[key]
  return value
}

export function operationsOf(root: Node): Operation[] {
  const found: Operation[] = []
  for (const [path, item] of Object.entries(asNode(root.paths))) {
    const servers = asNode(item).servers ?? root.servers
    for (const method of methods) {
      const description = asNode(item)[method]
      if (description === undefined) continue
      for (const base of basePaths(asNode(description).servers ?? servers)) {
        const whole = path === '/' && base !== '' ? base : `${base}${path}`
        found.push({ method: method.toUpperCase(), path: whole, description: asNode(description) })
      }
    }
  }
  return found
}

function basePaths(servers: unknown): string[] {
  if (!Array.isArray(servers)) return ['']
  return servers.map((server) => new URL(String(asNode(server).url), 'http://localhost').pathname.replace(/\/$/, ''))
}

/** Resolves a `$ref` in the document. */
export function resolved(value: unknown): Node | undefined {
  if (value === undefined) return undefined
  const node = asNode(value)
  if (typeof node.$ref !== 'string') return node
  let target: unknown = document
  for (const part of node.$ref.replace('#/', '').split('/')) target = asNode(target)[part]
  return resolved(target)
}

export function asNode(value: unknown): Node {
  if (typeof value !== 'object' || value === null) throw new Error(`not an object: ${JSON.stringify(value)}`)
  // Every value stays unknown.
  return value as Node
}

function mapValues(node: Node, change: (value: unknown) => unknown): Node {
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value)]))
}
