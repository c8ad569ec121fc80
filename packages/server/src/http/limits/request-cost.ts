import type { FastifyRequest } from 'fastify'
import { maxBodyBytes } from '../body/json-body.js'

/** A long text takes as much work as many short ones. */
const bytesPerRequest = 10_000

/** A request counts once, and once more for every 10,000 bytes of its body. */
function costOf(bodyBytes: number): number {
  return 1 + Math.floor(Math.min(bodyBytes, maxBodyBytes) / bytesPerRequest)
}

/** Before the body is read. A body of unknown length counts as a short one. */
export function announcedCost({ headers }: Pick<FastifyRequest, 'headers'>): number {
  return costOf(Number(headers['content-length'] ?? 0))
}

/** What a body of unknown length costs, beyond the short one that it was counted as. */
export function unannouncedCost({ headers, bodyBytes }: Pick<FastifyRequest, 'headers' | 'bodyBytes'>): number {
  return headers['content-length'] === undefined ? costOf(bodyBytes) - 1 : 0
}
