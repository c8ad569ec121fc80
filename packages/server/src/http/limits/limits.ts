import type { FastifyReply } from 'fastify'
import { ServiceError } from '../../core/errors.js'
import type { Caller } from '../access/caller-scope.js'
import type { HttpOptions } from '../options.js'
import type { LimitGroup, LimitState } from './rate-limit.js'

/** Limits are counted per key, or per address where there is no key. */
export function limitSubject(caller: Caller, ip: string): string {
  if (caller.kind === 'user') return caller.keyId
  return caller.kind === 'master' ? 'master' : ip
}

export async function takeFromLimit(
  options: HttpOptions,
  group: LimitGroup,
  subject: string,
  reply: FastifyReply,
  cost = 1,
): Promise<void> {
  const state = await options.limiter.take(group, subject, cost)
  showLimit(reply, state)
  enforce(options, group, state)
}

export function showLimit(reply: FastifyReply, state: LimitState): void {
  // Limits are off, so there is nothing to show.
  if (!Number.isFinite(state.limit)) return
  reply.header('x-ratelimit-limit', state.limit)
  reply.header('x-ratelimit-remaining', state.remaining)
  reply.header('x-ratelimit-reset', state.resetSeconds)
}

export function enforce(options: HttpOptions, group: LimitGroup, state: LimitState): void {
  if (state.allowed) return
  options.metrics.rateLimited(group)
  const what = group === 'auth_failed' ? 'failed authentications' : 'requests'
  throw new ServiceError(
    'rate_limit_exceeded',
    `Too many ${what}: at most ${state.limit} per minute; try again in ${state.resetSeconds} s`,
    undefined,
    undefined,
    Math.max(1, state.resetSeconds),
  )
}
