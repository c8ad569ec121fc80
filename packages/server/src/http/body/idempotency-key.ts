import type { FastifyRequest } from 'fastify'
import { invalid } from '../../core/errors.js'
import { isIdempotencyKey } from '../../core/once.js'

/** Set on a response that repeats an earlier one. */
export const replayedHeader = 'idempotency-replayed'

export function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  // Two headers arrive as one value, joined with a comma and a space, which is invalid.
  if (typeof key === 'string' && isIdempotencyKey(key)) return key
  throw invalid('idempotency-key', 'must be 1 to 255 visible ASCII characters')
}
