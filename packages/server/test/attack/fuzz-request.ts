/** Turns a test case, which is plain data, into the bytes to send. */
import fc from 'fast-check'
import type { Operation } from '../support/openapi-check.js'
import { nameOf } from '../support/samples.js'
import { type Breakage, breakage } from './fuzz-breakage.js'
import { fieldsValue, idPlaceholder } from './fuzz-values.js'
import { fieldsOf, type OperationFields } from './operation-fields.js'

export interface FuzzCase {
  readonly operation: string
  /** The index of the user who sends it. */
  readonly user: number
  readonly id: string
  readonly query: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>> | undefined
  /** Undefined: the request is valid. */
  readonly broken?: Breakage | undefined
}

export interface RawRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload: Buffer | undefined
}

export interface Filling {
  readonly key: string | null
  fill(text: string): string
}

const kindOfNoun: Readonly<Record<string, string>> = {
  memories: 'mem',
  memory: 'mem',
  entities: 'ent',
  contradictions: 'con',
  merges: 'mrg',
  webhooks: 'whk',
  keys: 'key',
}

export function fuzzCase(operation: Operation, users: number): fc.Arbitrary<FuzzCase> {
  const fields = fieldsOf(operation)
  const noun = /\/(\w+)\/\{id\}/.exec(operation.path)?.[1] ?? ''
  return fc
    .record({
      user: fc.nat({ max: users - 1 }),
      id: idPlaceholder(kindOfNoun[noun] ?? 'mem'),
      query: fieldsValue(fields.query),
      body: fields.body ? fieldsValue(fields.body) : fc.constant(undefined),
      broken: fc.option(breakage(fields.body !== undefined), { freq: 2, nil: undefined }),
    })
    .map((parts) => mended({ operation: nameOf(operation), ...parts }))
}

/** Most unbroken requests follow the rules that a schema can't express, so that they succeed. */
function mended(given: FuzzCase): FuzzCase {
  const { operation, query, body, user } = given
  const namesSpace = [query, body ?? {}].some((fields) => fields.space !== undefined || fields.spaces !== undefined)
  // Nobody has a space in which most requests could succeed.
  if (namesSpace && user % 6 !== 0) return mended({ ...given, query: inNoSpace(query), body: body && inNoSpace(body) })
  if (query.user_id !== undefined && body?.user_id !== undefined)
    return mended({ ...given, body: without(body, 'user_id') })
  if (operation.endsWith('POST /api/v1/store') && body?.content !== undefined)
    return { ...given, body: without(body, 'messages') }
  if (operation.endsWith('POST /api/v1/store/batch') && Array.isArray(body?.items)) {
    const items = body.items.map((item: Readonly<Record<string, unknown>>) =>
      item.content === undefined ? item : without(item, 'messages'),
    )
    return { ...given, body: { ...body, items } }
  }
  if (operation.endsWith('GET /api/v1/memories') && query.cursor !== undefined)
    return { ...given, query: without(without(query, 'page'), 'sort') }
  if (operation.endsWith('DELETE /api/v1/memories')) {
    const name = query.all === true && user === 0 ? 'memory_ids' : 'all'
    const hasQuery = Object.keys(query).length > 0
    return { ...given, query: without(query, name), body: hasQuery ? {} : without(body ?? {}, name) }
  }
  return given
}

function inNoSpace(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return without(without(fields, 'space'), 'spaces')
}

function without(fields: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name))
}

/** A field and its value as text: JSON in the body, URL-encoded in the query. */
type Entries = readonly (readonly [name: string, text: string])[]

export function rawRequest(operation: Operation, given: FuzzCase, filling: Filling): RawRequest {
  const fields = fieldsOf(operation)
  const { broken } = given
  const inBody = fields.body !== undefined
  const json = (value: unknown) => filling.fill(JSON.stringify(value) ?? 'null')
  const url = (value: unknown) =>
    percent(filling.fill(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')))
  const bodyEntries = inBody ? entriesOf(given.body ?? {}, json) : undefined
  const queryEntries = entriesOf(given.query, url)
  const changedBody = bodyEntries && changed(bodyEntries, fields, broken, json)
  const changedQuery = inBody ? queryEntries : changed(queryEntries, fields, broken, url)
  const key = broken?.kind === 'key' ? broken.key : filling.key
  return {
    method: broken?.kind === 'method' ? broken.method : operation.method,
    url: `${pathOf(operation, given, filling)}${queryText(changedQuery, broken)}`,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...contentType(changedBody !== undefined, broken),
      ...(broken?.kind === 'header' ? { [broken.name]: broken.value } : {}),
    },
    payload:
      changedBody &&
      mangled(`{${changedBody.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`, broken),
  }
}

function entriesOf(fields: Readonly<Record<string, unknown>>, text: (value: unknown) => string): Entries {
  return Object.entries(fields).map(([name, value]) => [name, text(value)])
}

function changed(
  entries: Entries,
  { body, query }: OperationFields,
  broken: Breakage | undefined,
  text: (value: unknown) => string,
): Entries {
  if (broken === undefined) return entries
  if (broken.kind === 'unknown field') return [...entries, [broken.name, text(broken.value)]]
  if (!('field' in broken)) return entries
  const names = (body ?? query).map(({ name }) => name)
  const name = names[broken.field % Math.max(1, names.length)]
  if (name === undefined) return entries
  const others = entries.filter(([other]) => other !== name)
  const before = entries.find(([other]) => other === name)?.[1] ?? text('x')
  switch (broken.kind) {
    case 'missing':
      return others
    case 'twice':
      return [...others, [name, before], [name, before]]
    case 'value':
      return [...others, [name, text(broken.value)]]
    case 'literal':
      return [...others, [name, broken.literal]]
    case 'long text':
      return [...others, [name, text(broken.of.repeat(Math.ceil(broken.length / broken.of.length)))]]
    case 'long list':
      return [...others, [name, text(Array.from({ length: broken.length }, () => 'mem_01h455vb4pex5vsknk084sn02q'))]]
    case 'deep':
      return [
        ...others,
        [name, `${broken.open.repeat(broken.levels)}1${(broken.open === '[' ? ']' : '}').repeat(broken.levels)}`],
      ]
  }
}

function mangled(text: string, broken: Breakage | undefined): Buffer {
  const bytes = Buffer.from(text)
  if (broken?.kind === 'whole body') return Buffer.from(broken.text)
  if (broken?.kind === 'cut') return bytes.subarray(0, broken.at % bytes.length)
  if (broken?.kind !== 'junk') return bytes
  const at = broken.at % bytes.length
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(broken.bytes, 'latin1'), bytes.subarray(at)])
}

function contentType(hasBody: boolean, broken: Breakage | undefined): Record<string, string> {
  if (broken?.kind === 'content type') return broken.value === null ? {} : { 'content-type': broken.value }
  return hasBody ? { 'content-type': 'application/json' } : {}
}

function pathOf({ path }: Operation, { id, broken }: FuzzCase, filling: Filling): string {
  const named = () => (broken?.kind === 'id' ? broken.id : filling.fill(id))
  const plain = path
    .replace(/\{(?:user_)?id\}/, named)
    .replace('{namespace}/{key}', () => `fuzz/${encodeURIComponent(named())}`)
  if (broken?.kind !== 'path') return plain
  switch (broken.change) {
    case 'trailing slash':
      return `${plain}/`
    case 'double slash':
      return plain.replace('/v1/', '/v1//')
    case 'upper case':
      return plain.toUpperCase()
    case 'dots':
      return plain.replace('/v1/', '/v1/x/../')
    case 'encoded':
      return plain.replace('/v1/', '/v%31/')
    case 'fragment':
      return `${plain}#x`
  }
}

function queryText(entries: Entries, broken: Breakage | undefined): string {
  const parts = entries.map(([name, text]) => `${percent(name)}=${text}`)
  if (broken?.kind === 'query') parts.push(broken.text)
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

/** Encodes lone surrogates as bytes that are invalid in UTF-8. */
function percent(text: string): string {
  return text.replace(/[\ud800-\udbff][\udc00-\udfff]|[\s\S]/g, (character) =>
    /^[\ud800-\udfff]$/.test(character) ? '%ED%A0%80' : encodeURIComponent(character),
  )
}
