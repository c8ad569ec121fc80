/** Checks that hold for the response to any request. */
import { Ajv, type ValidateFunction } from 'ajv'
import {
  asNode,
  describeErrorMismatch,
  describeMismatch,
  document,
  findOperation,
  type Operation,
} from '../support/openapi-check.js'
import { nameOf } from '../support/samples.js'
import type { RawRequest } from './fuzz-request.js'
import { bodySchema } from './operation-fields.js'

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

const inside =
  /node_modules|\.[jt]s:\d+|\bSQLITE_|SELECT .* FROM|\bat (?:async )?[\w.]+ \(|\/(?:home|root|tmp|usr|packages)\//

/** Returns the problem, or undefined. */
export function problemWith(request: RawRequest, answer: RawAnswer): string | undefined {
  const { status, text, headers } = answer
  if (status >= 500) return `it answered ${status}`
  if (Object.hasOwn(Object.prototype, 'polluted')) return 'the prototype of all objects was changed'
  // Node sends no body for these statuses, so there is nothing else to check.
  if (request.method === 'HEAD') return undefined
  const contentType = String(headers['content-type'] ?? '')
  const isJson = contentType.startsWith('application/json')
  const body: unknown = isJson ? JSON.parse(text) : text
  const path = plainPath(request.url)
  const operation = findOperation(request.method, path)
  const mismatch = operation
    ? describeMismatch({ method: request.method, path, status, contentType, body })
    : describeErrorMismatch(body)
  if (mismatch !== undefined) return mismatch
  if (status < 400) return operation && accepted(operation, request, body)
  if (!operation && ![400, 404, 405].includes(status)) return `nothing is there, and it answered ${status}`
  return errorProblem(answer, body)
}

/** Removes needless percent-encoding: `%31` equals `1` (RFC 3986, 6.2.2.2). */
function plainPath(url: string): string {
  // Concatenated, because URL would read a path that starts with two slashes as a host.
  const { pathname } = new URL(`http://localhost${url}`)
  return pathname.replace(/%([0-9a-f]{2})/gi, (encoded, code: string) => {
    const character = String.fromCharCode(Number.parseInt(code, 16))
    return /[\w.~-]/.test(character) ? character : encoded
  })
}

function errorProblem({ headers, text }: RawAnswer, body: unknown): string | undefined {
  if (inside.test(text)) return 'the error reveals internals'
  const { request_id: requestId } = asNode(asNode(body).error)
  return requestId === headers['x-request-id'] ? undefined : 'the request id is not that of the header'
}

const validators = new Map<string, ValidateFunction>()

/** An accepted body must be JSON that the document allows. */
function accepted(operation: Operation, { payload }: RawRequest, answer: unknown): string | undefined {
  const schema = bodySchema(operation.description)
  if (schema === undefined || payload === undefined || payload.length === 0) return undefined
  let validate = validators.get(nameOf(operation))
  if (!validate) {
    const ajv = new Ajv({ strict: false, validateFormats: false })
    // Requests use only OpenAPI 3.0 keywords that JSON Schema has too, and `nullable`, which AJV supports.
    validate = ajv.compile({ ...schema, components: document.components })
    validators.set(nameOf(operation), validate)
  }
  let value: unknown
  try {
    value = JSON.parse(payload.toString('utf8'))
  } catch (error) {
    return `it accepted a body that is not JSON: ${String(error)}`
  }
  if (nameOf(operation) === 'POST /api/v1/store/batch') value = withoutRefused(value, answer)
  return validate(value) ? undefined : `it accepted a body that the document forbids: ${ajvText(validate)}`
}

/** A batch may have items that the document forbids, but these are refused. One item must stay: the document forbids an empty list. */
function withoutRefused(request: unknown, answer: unknown): unknown {
  const { items, ...rest } = asNode(request)
  const { results } = asNode(answer)
  if (!Array.isArray(items) || !Array.isArray(results)) return request
  const taken = items.filter((_, index) => asNode(results[index]).status !== 'refused')
  return { ...rest, items: taken.length === 0 ? [{}] : taken }
}

function ajvText({ errors }: ValidateFunction): string {
  return (errors ?? []).map((error) => `${error.instancePath} ${error.message}`).join('; ')
}
