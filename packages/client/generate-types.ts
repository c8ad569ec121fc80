/**
 * Writes `src/api-types.generated.ts` from the service's OpenAPI document: `npm run generate -w packages/client`.
 * Names become camelCase, as in the client. Fields with arbitrary keys, such as metadata, keep their keys. The list of these
 * fields is written beside the types, because the client must not rename their keys either.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { openApiDocument } from '../server/src/http/openapi/openapi.js'
import { camelCase, snakeCase } from './src/wire-names.js'

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly nullable?: boolean
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export const typesFile = fileURLToPath(new URL('./src/api-types.generated.ts', import.meta.url))

const header = `// Generated from the OpenAPI document by generate-types.ts; do not edit.
// biome-ignore-all format: generated`

const openFieldsComment = '/** Fields whose keys are user data. The client does not rename keys inside them. */'

/** The generated file for the service in this checkout. */
export function currentTypes(): string {
  // The service's own tests validate the document against the OpenAPI schema.
  return generateTypes(JSON.parse(JSON.stringify(openApiDocument('0.0.0'))) as Document)
}

export function generateTypes(document: Document): string {
  const operations = operationsOf(document).filter(isForClients)
  const names = reachable(document, operations)
  const schemas = [...names].sort().map((name) => declaration(typeName(name), schemaNamed(document, name)))
  const queries = operations.flatMap((operation) => queryDeclaration(operation))
  const open = openFields(document, names)
  return [
    header,
    `${openFieldsComment}\nexport const openFields: ReadonlySet<string> = new Set([${open.map(literal).join(', ')}])`,
    ...schemas,
    ...queries,
  ]
    .map((part) => `${part}\n`)
    .join('\n')
}

function operationsOf(document: Document): Operation[] {
  const methods = ['get', 'post', 'put', 'delete']
  return Object.values(document.paths)
    .flatMap((path) => methods.flatMap((method) => path[method] ?? []))
    .sort((a, b) => (a.operationId < b.operationId ? -1 : 1))
}

/** The client does not need probes, metrics and documentation pages. */
function isForClients({ operationId, tags }: Operation): boolean {
  return operationId === 'getHealth' || !tags.some((tag) => tag === 'Operations' || tag === 'Documentation')
}

/* ------------------------------------------------------------------ which schemas */

const referencePrefix = '#/components/schemas/'

function schemaNamed(document: Document, name: string): Schema {
  const schema = document.components.schemas[name]
  if (schema === undefined) throw new Error(`the document has no schema ${name}`)
  return schema
}

function reachable(document: Document, operations: readonly Operation[]): Set<string> {
  const names = new Set<string>(['Error'])
  const waiting = [...names, ...operations.flatMap((operation) => bodySchemas(operation).flatMap(references))]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    names.add(name)
    waiting.push(...references(schemaNamed(document, name)).filter((other) => !names.has(other)))
  }
  return names
}

function bodySchemas({ requestBody, responses }: Operation): Schema[] {
  return [requestBody, ...Object.values(responses)].flatMap((body) =>
    Object.values(body?.content ?? {}).map(({ schema }) => schema),
  )
}

function references(schema: Schema): string[] {
  const own = schema.$ref === undefined ? [] : [schema.$ref.slice(referencePrefix.length)]
  return [...own, ...parts(schema).flatMap(references)]
}

function parts(schema: Schema): Schema[] {
  const { items, additionalProperties } = schema
  return [
    ...(schema.anyOf ?? []),
    ...(schema.allOf ?? []),
    ...Object.values(schema.properties ?? {}),
    ...(items === undefined ? [] : [items]),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ]
}

/** Names of fields with arbitrary keys. A name must not be open in one schema and closed in another. */
function openFields(document: Document, names: ReadonlySet<string>): string[] {
  const open = new Set<string>()
  const closed = new Set<string>()
  const look = (schema: Schema): void => {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (isOpen(field)) open.add(name)
      // A scalar has no keys.
      else if (!['string', 'number', 'integer', 'boolean'].includes(field.type ?? '')) closed.add(name)
    }
    parts(schema).forEach(look)
  }
  for (const name of names) look(schemaNamed(document, name))
  const both = [...open].filter((name) => closed.has(name))
  if (both.length > 0) throw new Error(`open in one schema and closed in another: ${both.join(', ')}`)
  return [...open].sort()
}

/** Any JSON at all, or an object with arbitrary keys. */
function isOpen({ type, properties, additionalProperties, $ref, anyOf, allOf }: Schema): boolean {
  if (type === undefined && $ref === undefined && anyOf === undefined && allOf === undefined) return true
  return type === 'object' && Object.keys(properties ?? {}).length === 0 && typeof additionalProperties === 'object'
}

/* ------------------------------------------------------------------ how they are written */

/** `Error` would shadow the built-in class. */
function typeName(name: string): string {
  return name === 'Error' ? 'ErrorAnswer' : name
}

function declaration(name: string, schema: Schema): string {
  const comment = schema.description === undefined ? '' : `${commented(schema.description)}\n`
  return `${comment}export interface ${name} ${objectBody(schema, '')}`
}

function queryDeclaration({ operationId, parameters = [] }: Operation): string[] {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  if (inQuery.length === 0) return []
  const schema: Schema = {
    type: 'object',
    properties: Object.fromEntries(
      inQuery.map(({ name, description, schema: own }) => [
        name,
        description === undefined ? own : { ...own, description },
      ]),
    ),
    required: inQuery.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  }
  return [declaration(`${operationId.replace(/^./, (letter) => letter.toUpperCase())}Query`, schema)]
}

function objectBody(schema: Schema, indent: string): string {
  const inner = `${indent}  `
  const required = new Set(schema.required)
  const lines = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const comment = field.description === undefined ? [] : [`${inner}${commented(field.description)}`]
    const type = typeOf(field, inner)
    return [...comment, `${inner}${ownName(name)}${required.has(name) ? `: ${type}` : `?: ${type} | undefined`}`]
  })
  if (typeof schema.additionalProperties === 'object') lines.push(`${inner}[extra: string]: unknown`)
  return lines.length === 0 ? 'Record<string, never>' : `{\n${lines.join('\n')}\n${indent}}`
}

function commented(text: string): string {
  return `/** ${text.replaceAll('*/', '* /')} */`
}

function ownName(name: string): string {
  const own = camelCase(name)
  if (snakeCase(own) !== name) throw new Error(`${name} does not survive the round trip through ${own}`)
  return own
}

function typeOf(schema: Schema, indent: string): string {
  const type = plainType(schema, indent)
  return schema.nullable && type !== 'null' ? `${type} | null` : type
}

function plainType(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return typeName(schema.$ref.slice(referencePrefix.length))
  if (schema.enum !== undefined) return enumeration(schema.enum)
  if (schema.anyOf !== undefined) return schema.anyOf.map((option) => typeOf(option, indent)).join(' | ')
  if (schema.allOf !== undefined) return schema.allOf.map((option) => typeOf(option, indent)).join(' & ')
  switch (schema.type) {
    case 'array':
      return arrayOf(typeOf(schema.items ?? {}, indent))
    case 'object':
      return isOpen(schema) ? `Record<string, ${valueType(schema, indent)}>` : objectBody(schema, indent)
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
      return schema.type
    default:
      return 'unknown'
  }
}

/** Null is added to nullable types separately. */
function enumeration(values: readonly unknown[]): string {
  const others = values.filter((value) => value !== null)
  return (others.length === 0 ? values : others).map(literal).join(' | ')
}

function valueType({ additionalProperties }: Schema, indent: string): string {
  return typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown'
}

function arrayOf(item: string): string {
  return item.includes(' ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const text = currentTypes()
  const changed = readFileSync(typesFile, { encoding: 'utf8', flag: 'a+' }) !== text
  if (changed) writeFileSync(typesFile, text)
  console.log(changed ? 'src/api-types.generated.ts was updated.' : 'src/api-types.generated.ts is up to date.')
}
