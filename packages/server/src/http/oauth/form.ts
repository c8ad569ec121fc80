/** Reads forms (`application/x-www-form-urlencoded`), in a body or a query string. */
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../core/errors.js'
import type { Parameters } from '../../service/oauth/authorize.js'
import { textProblem } from '../body/text-problem.js'

export const mostFormBytes = 16_384

/** For the routes of this instance only: the API accepts JSON alone. */
export function acceptForms(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer', bodyLimit: mostFormBytes },
    async (_request: unknown, body: Buffer) => new URLSearchParams(body.toString('utf8')),
  )
}

/** @throws ServiceError if the body is not a form. */
export function formOf(body: unknown): Parameters {
  if (body instanceof URLSearchParams) return parametersOf(body)
  const message = 'The body must be sent as Content-Type: application/x-www-form-urlencoded'
  throw new ServiceError('validation_error', message, undefined, 415)
}

export function queryOf(url: string): Parameters {
  const start = url.indexOf('?')
  return parametersOf(new URLSearchParams(start === -1 ? '' : url.slice(start + 1)))
}

/** An empty value counts as absent (RFC 6749, 3.1). */
function parametersOf(given: URLSearchParams): Parameters {
  const names = [...new Set(given.keys())]
  const repeated = names.filter((name) => given.getAll(name).length > 1)
  return {
    repeated,
    get(name) {
      const value = repeated.includes(name) ? null : given.get(name)
      return value === null || value === '' || textProblem(value) !== undefined ? undefined : value
    },
  }
}
