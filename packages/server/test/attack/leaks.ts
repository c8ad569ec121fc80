/**
 * Checks that hold for every response to a user, through any interface: no word of another user, no id that another user has seen, no
 * other `user_id`, no count of other users' data, and no effect of others on a rate limit.
 */
import { canariesIn, type Member } from './crowd.js'
import type { Attempt, Outcome } from './door.js'

const idPattern = /\b(mem|ent|rel|doc|key|con|mrg|whk|grt|spc)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g
const counters = [
  'total',
  'total_memories',
  'total_entities',
  'total_relationships',
  'healthy',
  'decaying',
  'expired',
  'deleted',
  'would_delete',
]

export interface Told {
  readonly ids: readonly string[]
  readonly cursor: string | undefined
}

export interface LeakCheck {
  /** Throws on a leak. Returns the ids that the user has seen. */
  check(member: Member, attempt: Attempt, outcome: Outcome): Told
}

export function leakCheck(): LeakCheck {
  /** The first user who sees an id owns it. If a second user sees it, that is a leak. */
  const owners = new Map<string, Member>()
  const limits = new Map<string, number>()
  return {
    check(member, attempt, outcome) {
      const { status, answer, aside } = outcome
      if (status >= 500) throw new Error(`the service failed: ${status} ${answer.slice(0, 300)} ${aside.slice(0, 300)}`)
      const accepted = status < 400
      // An error may repeat the request; other responses never do.
      const sent = accepted ? '' : JSON.stringify([attempt.id, attempt.query, attempt.body])
      const cursor = nextCursor(outcome.body)
      const told = `${withoutUnknown(answer, attempt)}\n${aside}\n${cursor === undefined ? '' : Buffer.from(cursor, 'base64url').toString()}`
      checkWords(member, told, sent)
      const ids = [...new Set(told.match(idPattern))]
      for (const id of ids) {
        const owner = owners.get(id)
        if (owner !== undefined && owner !== member && !sent.includes(id))
          throw new Error(`${id} belongs to another user`)
        if (accepted) owners.set(id, member)
      }
      if (!isEmptyProfile(attempt, outcome.body)) checkOwners(member, outcome.body, (id) => owners.get(id) === member)
      if (accepted) checkCounts(member, attempt, outcome.body)
      checkLimit(limits, attempt, outcome)
      return accepted ? { ids, cursor } : { ids: [], cursor: undefined }
    },
  }
}

/** The answer to why a memory was not returned repeats its id, and says only that it does not exist. */
function withoutUnknown(answer: string, { body }: Attempt): string {
  const asked = fieldOf(body, 'explain_memory_ids')
  if (!Array.isArray(asked)) return answer
  return asked.reduce(
    (text: string, id) => text.replace(`{"id":${JSON.stringify(id)},"reason":"not_found"}`, ''),
    answer,
  )
}

function checkWords(member: Member, told: string, sent: string): void {
  const allowed = canariesIn(sent)
  for (const index of canariesIn(told)) {
    if (index !== member.index && !allowed.has(index)) throw new Error(`the response contains words of user ${index}`)
  }
}

/** The profile of another user, whom the path names: it repeats the id and says nothing. */
function isEmptyProfile({ id, operation }: Attempt, body: unknown): boolean {
  if (!operation.path.includes('{user_id}') || fieldOf(body, 'user_id') !== id) return false
  return JSON.stringify([fieldOf(body, 'topics'), fieldOf(body, 'text'), fieldOf(body, 'tokens')]) === '[[],"",0]'
}

/** Every `user_id` in a response must be the caller's, or the id of a space of the caller. */
function checkOwners(member: Member, body: unknown, isOwnSpace: (id: string) => boolean): void {
  if (typeof body !== 'object' || body === null) return
  for (const [name, value] of Object.entries(body)) {
    const isOwn = value === member.userId || (String(value).startsWith('spc_') && isOwnSpace(String(value)))
    if (name === 'user_id' && !isOwn) throw new Error(`user_id is ${JSON.stringify(value)}`)
    checkOwners(member, value, isOwnSpace)
  }
}

/** A caller who names another user must get nothing. */
function checkCounts(member: Member, attempt: Attempt, body: unknown): void {
  const named = [attempt.query.user_id, fieldOf(attempt.body, 'user_id')].filter((userId) => userId !== undefined)
  if (named.every((userId) => userId === member.userId)) return
  for (const name of counters) {
    const count = fieldOf(body, name)
    if (count !== undefined && count !== 0) throw new Error(`${name} of another user is ${String(count)}`)
  }
}

/** The limit must go down by one, or by the items of a batch, or start a new window: requests of others do not count. */
function checkLimit(
  limits: Map<string, number>,
  { key, isApplication, body }: Attempt,
  { left, status }: Outcome,
): void {
  if (left === undefined || isApplication || status === 401 || status === 429) return
  const name = `${left.credential ?? key} ${left.limit}`
  const before = limits.get(name)
  limits.set(name, left.remaining)
  const items = fieldOf(body, 'items')
  // A batch whose fields are wrong counts as one request.
  const costs = Array.isArray(items) ? [items.length, 1] : [1]
  const isFirst = costs.some((cost) => left.remaining === Number(left.limit) - cost)
  if (!isFirst && before !== undefined && !costs.some((cost) => left.remaining === before - cost)) {
    throw new Error(`${left.remaining} requests are left after ${before}`)
  }
}

function nextCursor(body: unknown): string | undefined {
  const cursor = fieldOf(body, 'next_cursor')
  return typeof cursor === 'string' ? cursor : undefined
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).find(([key]) => key === name)?.[1]
}
