import type { FastifyRequest } from 'fastify'
import { invalid } from '../../core/errors.js'
import { isIdempotencyKey } from '../../core/once.js'

/** On an answer that was given before. */
export const replayedHeader = 'idempotency-replayed'

export function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  // Two of them arrive as one with a comma and a blank in it.
  if (typeof key === 'string' && isIdempotencyKey(key)) return key
  throw invalid('idempotency-key', 'must be 1 to 255 visible ASCII characters')
}
