/** Converts zod schemas to JSON Schemas for AJV, and the errors of AJV to ours. */
import type { FastifySchemaValidationError } from 'fastify'
import { z } from 'zod'
import { type FieldProblem, invalid, ServiceError } from '../../core/errors.js'
import { unknownField } from '../../core/nearest-field.js'
import { fieldPath } from './field-path.js'
import type { ParameterType } from './query-string.js'
import { isTextFormat, textFormats } from './text-formats.js'

const maxProblems = 20

/** The parts of a JSON Schema that `http/` reads. */
export interface JsonSchema {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: unknown
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly maxItems?: number
  readonly description?: string
  readonly [keyword: string]: unknown
}

const requestSchemas = new WeakMap<z.ZodObject, JsonSchema>()

/** Returns the same object for the same schema: three callers read it, and AJV compiles an object once. */
export function requestSchema(schema: z.ZodObject): JsonSchema {
  const known = requestSchemas.get(schema)
  if (known) return known
  // zod's type for JSON Schema allows booleans in places where these strict objects have none.
  const made = z.toJSONSchema(schema, { target: 'draft-7', io: 'input', reused: 'inline' }) as JsonSchema
  requestSchemas.set(schema, made)
  return made
}

/** The schema of a body whose `list` is checked item by item, so that a wrong item does not refuse the others. */
export function withoutItems(
  schema: JsonSchema,
  list: string,
): { readonly body: JsonSchema; readonly item: JsonSchema } {
  const { [list]: items, ...others } = schema.properties ?? {}
  if (items?.items === undefined) throw new Error(`${list} is not a list`)
  return { body: { ...schema, properties: { ...others, [list]: { ...items, items: {} } } }, item: items.items }
}

type Validate = ((value: unknown) => unknown) & { readonly errors?: readonly FastifySchemaValidationError[] | null }

/** @throws ServiceError for a value that does not match. Fills in defaults. */
export function checkValue(validate: Validate, schema: JsonSchema, value: unknown, part: string): void {
  refuseFarTooMuch(schema, value)
  if (validate(value) !== true) throw validationError(validate.errors ?? [], part)
}

/** For Fastify's AJV: it coerces and removes nothing, fills in defaults, and reports the value with each error. */
export const ajvOptions = {
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: true,
  allErrors: true,
  verbose: true,
  strict: false,
  formats: Object.fromEntries(
    Object.entries(textFormats).map(([name, problem]) => [name, (text: string) => problem(text) === undefined]),
  ),
} as const

export function parameterTypes(schema: JsonSchema): ReadonlyMap<string, ParameterType> {
  return new Map(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [name, parameterType(property.type)]),
  )
}

function parameterType(type: unknown): ParameterType {
  return type === 'integer' || type === 'number' || type === 'boolean' ? type : 'string'
}

/** Refuses lists and objects that are far too long, before AJV sees them: it lists every error, even a hundred thousand. */
export function refuseFarTooMuch(schema: JsonSchema | undefined, value: unknown, path: (string | number)[] = []): void {
  if (schema === undefined) return
  if (Array.isArray(value)) {
    if (schema.maxItems === undefined || schema.items === undefined) return
    if (value.length > schema.maxItems) throw invalid(fieldPath(path), `must have at most ${schema.maxItems} items`)
    for (const [index, item] of value.entries()) refuseFarTooMuch(schema.items, item, [...path, index])
  } else if (typeof value === 'object' && value !== null && schema.additionalProperties === false) {
    const known = schema.properties ?? {}
    const names = Object.keys(value)
    const unknown = names.filter((name) => !Object.hasOwn(known, name))
    if (unknown.length > maxProblems) throw unknownFields(path, unknown.slice(0, maxProblems), Object.keys(known))
    for (const [name, property] of Object.entries(value)) {
      if (Object.hasOwn(known, name)) refuseFarTooMuch(known[name], property, [...path, name])
    }
  }
}

function unknownFields(
  path: readonly (string | number)[],
  names: readonly string[],
  known: readonly string[],
): ServiceError {
  return problemsAsError(
    names.map((name) => ({ path: fieldPath([...path, name]), message: unknownField(name, known) })),
  )
}

export function validationError(errors: readonly FastifySchemaValidationError[], part: string): ServiceError {
  const problems = errors.slice(0, maxProblems).map((error): FieldProblem => {
    const path = error.instancePath
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      .map((step) => (/^(?:0|[1-9][0-9]*)$/.test(step) ? Number(step) : step))
    return problemOf(error, path, part)
  })
  return problemsAsError(problems)
}

function problemOf(
  error: FastifySchemaValidationError,
  path: readonly (string | number)[],
  part: string,
): FieldProblem {
  const { keyword, params } = error
  if (keyword === 'additionalProperties') {
    const name = String(params.additionalProperty)
    // AJV's `verbose` option adds the schema, which the error type of this version omits.
    const { properties = {} } = (error as { parentSchema?: JsonSchema }).parentSchema ?? {}
    return { path: fieldPath([...path, name]), message: unknownField(name, Object.keys(properties)) }
  }
  if (keyword === 'required')
    return { path: fieldPath([...path, String(params.missingProperty)]), message: 'is required' }
  return { path: fieldPath(path), message: messageOf(error, path.length === 0 ? part : undefined) }
}

function messageOf(error: FastifySchemaValidationError, wholePart: string | undefined): string {
  const { keyword, params } = error
  if (wholePart === 'body' && keyword === 'type') return 'the body must be a JSON object'
  if (keyword === 'format' && isTextFormat(params.format)) {
    // AJV's `verbose` option adds the value, which the error type of this version omits.
    const value = (error as { data?: unknown }).data
    return (typeof value === 'string' ? textFormats[params.format](value) : undefined) ?? 'is not valid'
  }
  if (keyword === 'enum' && Array.isArray(params.allowedValues))
    return `must be one of ${params.allowedValues.join(', ')}`
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue)}`
  if (keyword === 'type' && Array.isArray(params.type)) return `must be ${params.type.join(' or ')}`
  return (error.message ?? 'is not valid').replace('NOT', 'not')
}

/** Reports only the first error of each field (for example if both `minLength` and a format fail). */
function problemsAsError(problems: readonly FieldProblem[]): ServiceError {
  const byPath = new Map<string, FieldProblem>()
  for (const problem of problems) if (!byPath.has(problem.path)) byPath.set(problem.path, problem)
  const details = [...byPath.values()]
  const [first] = details
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : ''
  const message =
    first === undefined
      ? 'The request is not valid'
      : `${[first.path, first.message].filter(Boolean).join(': ')}${more}`
  return new ServiceError('validation_error', message, details)
}
