/**
 * What must hold for all that one user is told, whatever the door: no word of another user's, no id that another
 * user was told, no `user_id` but the own, no count of what is not the own, no trace in a limit.
 */
import { canariesIn, type Member } from './crowd.js'
import type { Attempt, Outcome } from './door.js'

const idPattern = /\b(mem|ent|rel|doc|key|con|mrg|whk)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g
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
  /** Throws when something of another user came out; else what the user was told of. */
  check(member: Member, attempt: Attempt, outcome: Outcome): Told
}

export function leakCheck(): LeakCheck {
  /** The first user who was told an id owns it: told to a second one, it is a leak, whosever it was. */
  const owners = new Map<string, Member>()
  const limits = new Map<string, number>()
  return {
    check(member, attempt, outcome) {
      const { status, answer, aside } = outcome
      if (status >= 500) throw new Error('the service failed')
      const accepted = status < 400
      // An error may repeat what was sent; an answer never does.
      const sent = accepted ? '' : JSON.stringify([attempt.id, attempt.query, attempt.body])
      const cursor = nextCursor(outcome.body)
      const told = `${withoutUnknown(answer, attempt)}\n${aside}\n${cursor === undefined ? '' : Buffer.from(cursor, 'base64url').toString()}`
      checkWords(member, told, sent)
      const ids = [...new Set(told.match(idPattern))]
      for (const id of ids) {
        const owner = owners.get(id)
        if (owner !== undefined && owner !== member && !sent.includes(id)) throw new Error(`${id} is another user's`)
        if (accepted) owners.set(id, member)
      }
      checkOwners(member, outcome.body)
      if (accepted) checkCounts(member, attempt, outcome.body)
      checkLimit(limits, attempt, outcome)
      return accepted ? { ids, cursor } : { ids: [], cursor: undefined }
    },
  }
}

/** Who asks why a memory was not returned is told its id again, with no more than that there is none. */
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
    if (index !== member.index && !allowed.has(index)) throw new Error(`words of user ${index} came out`)
  }
}

/** Every `user_id` in an answer is the asker's own. */
function checkOwners(member: Member, body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  for (const [name, value] of Object.entries(body)) {
    if (name === 'user_id' && value !== member.userId) throw new Error(`user_id is ${JSON.stringify(value)}`)
    checkOwners(member, value)
  }
}

/** Whoever names another user is told of nothing. */
function checkCounts(member: Member, attempt: Attempt, body: unknown): void {
  const named = [attempt.query.user_id, fieldOf(attempt.body, 'user_id')].filter((userId) => userId !== undefined)
  if (named.every((userId) => userId === member.userId)) return
  for (const name of counters) {
    const count = fieldOf(body, name)
    if (count !== undefined && count !== 0) throw new Error(`${name} of another user is ${String(count)}`)
  }
}

/** One less than before, or the first of a new window: requests of others take nothing. */
function checkLimit(limits: Map<string, number>, { key }: Attempt, { left, status }: Outcome): void {
  if (left === undefined || status === 401 || status === 429) return
  const name = `${key} ${left.limit}`
  const before = limits.get(name)
  limits.set(name, left.remaining)
  const isFirst = left.remaining === Number(left.limit) - 1
  if (!isFirst && before !== undefined && left.remaining !== before - 1) {
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
