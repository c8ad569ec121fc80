import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/errors.js'
import { type Caller, keyIdOf, reaches } from '../access/caller-scope.js'
import type { Endpoint } from '../endpoint.js'
import type { HttpOptions } from '../options.js'
import { clientAddress } from './client-address.js'
import { type LimitGroup, type LimitState, type RouteLimitGroup, subjectOfUser } from './rate-limit.js'
import { announcedCost, unannouncedCost } from './request-cost.js'

/** Limits are counted per key, or per address where there is no key. */
export function limitSubject(caller: Caller, ip: string): string {
  return keyIdOf(caller) ?? (caller.kind === 'master' ? 'master' : ip)
}

/**
 * An application key is limited per user, so its request is counted when its user is known. A request that names no user, or one that it
 * does not reach, counts for the key itself.
 */
export async function countForUser(
  options: HttpOptions,
  group: RouteLimitGroup | 'none',
  userId: string | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { caller } = request
  if (caller.kind !== 'application' || group === 'none') return
  const isReached = userId !== undefined && reaches(caller, userId)
  const subject = isReached ? subjectOfUser(caller.keyId, userId) : caller.keyId
  request.isCounted = true
  await takeFromLimit(options, group, subject, reply, announcedCost(request) + unannouncedCost(request))
}

/**
 * A batch counts as one request per item. It was counted and admitted as one request before its body was read, so the rest only delays
 * the next ones.
 */
export async function countItems(
  options: HttpOptions,
  { itemsApart, limit }: Endpoint,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const items = itemsApart === undefined ? undefined : (request.body as Readonly<Record<string, unknown>>)[itemsApart]
  if (!Array.isArray(items) || items.length < 2 || limit === 'none') return
  const isForUser = request.caller.kind === 'application' && caller.kind === 'user'
  const subject = isForUser ? subjectOfUser(caller.keyId, caller.userId) : limitSubject(caller, clientAddress(request))
  showLimit(reply, await options.limiter.take(limit, subject, items.length - 1))
}

/** A request of an application key that failed before its user was known. Returns the error to answer with. */
async function countForKey(
  options: HttpOptions,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { caller } = request
  if (caller.kind !== 'application' || request.isCounted) return error
  try {
    await takeFromLimit(options, 'default', caller.keyId, reply)
    return error
  } catch (exceeded) {
    return exceeded
  }
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

/**
 * A caller without a key who makes a mistake is still trying things out. A request that was refused before any work counts towards
 * the default limit, not towards the lower one of its route. Returns the error to answer with.
 */
export async function countMistake(
  options: HttpOptions,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { caller } = request
  if (caller.kind === 'application') return countForKey(options, error, request, reply)
  const group = request.routeOptions.config.endpoint?.limit ?? 'none'
  if (caller.kind !== 'anyone' || group === 'none' || group === 'default' || !isMistake(error)) return error
  const subject = limitSubject(caller, clientAddress(request))
  await options.limiter.giveBack(group, subject, announcedCost(request) + unannouncedCost(request))
  try {
    await takeFromLimit(options, 'default', subject, reply)
    return error
  } catch (exceeded) {
    return exceeded
  }
}

/** Not a text that content protection has read and refused: that is work. Its problems have more fields. */
function isMistake(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.code !== 'validation_error' || error.status !== 400) return false
  return (error.details ?? []).every((problem) => Object.keys(problem).length === 2)
}

/** Counts a request that was counted as `default`, before its body was read, towards the limit that its body calls for. */
export async function recount(
  options: HttpOptions,
  group: RouteLimitGroup,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (group === 'default' || request.caller.kind === 'application') return
  const subject = limitSubject(request.caller, clientAddress(request))
  await options.limiter.giveBack('default', subject, announcedCost(request))
  await takeFromLimit(options, group, subject, reply, announcedCost(request) + unannouncedCost(request))
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
