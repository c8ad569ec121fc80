import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../core/errors.js'
import { readStrictJson } from './strict-json.js'

export const maxBodyBytes = 1024 * 1024

/** Accepts only uncompressed JSON in UTF-8. */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: { headers: object; bodyBytes: number }, body: Buffer) => {
      request.bodyBytes = body.length
      const { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' } = request.headers as Record<
        string,
        string
      >
      const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1]
      if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw unsupported('The body must be in UTF-8')
      if (encoding.toLowerCase() !== 'identity') throw unsupported('The body must not be compressed')
      // The route decides whether an empty body is allowed.
      return body.length === 0 ? undefined : readStrictJson(body)
    },
  )
}

function unsupported(message: string): ServiceError {
  return new ServiceError('validation_error', message, undefined, 415)
}
