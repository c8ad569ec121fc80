/**
 * Event streams: readers that follow events as they happen. A stream holds only its position in the log. It reads on when it is woken
 * and its reader has consumed everything before, so a slow reader costs no memory.
 */
import { ServiceError, unavailable } from '../core/errors.js'
import { isId } from '../core/ids.js'
import { isExpired } from '../core/key-access.js'
import { type EventMark, endOf } from '../core/memory-event.js'
import type { NobodyScope, UserScope } from '../core/scope.js'
import type { EventSlice } from '../storage/ports/event-log.js'
import type { Deps } from './deps.js'
import { readEvents } from './events.js'

export type CloseReason = 'shutting_down' | 'key_revoked' | 'key_expired' | 'slow_reader' | 'unavailable' | 'gone'

export interface StreamLimits {
  readonly perUser: number
  readonly inAll: number
}

interface Follower {
  readonly scope: UserScope | NobodyScope
  /** Whose limit it counts against: the followed user, or the caller that asked for another one. */
  readonly countedAs: string
  readonly keyId: string | null
  /** Null: from now on. */
  readonly after: EventMark | null
}

export type Fed =
  | { readonly kind: 'events'; readonly slice: EventSlice }
  /** No event arrived in time. */
  | { readonly kind: 'quiet' }
  | { readonly kind: 'closed'; readonly reason: CloseReason }

export interface EventStream {
  /** The mark that it starts from. */
  readonly start: EventMark
  next(patienceMs: number): Promise<Fed>
  close(reason: CloseReason): void
}

export interface EventStreams {
  open(follower: Follower): Promise<EventStream>
  /** Null: all streams check for changes. */
  changed(userId: string | null): void
  revoked(keyId: string, reason?: 'key_revoked' | 'key_expired'): void
  /** Checks for changes that other instances have made to the store, and for keys that were revoked there or have expired. */
  look(): Promise<void>
  count(): number
  close(): void
}

type StreamDeps = Pick<Deps, 'storage' | 'clock' | 'log'>

const eventsAtOnce = 100
const secondsToWait = 30

export function eventStreams(deps: StreamDeps, limits: StreamLimits): EventStreams {
  const open = new Set<Stream>()
  const revisions = new Map<string, number>()
  let isClosed = false

  return {
    async open(follower) {
      if (isClosed) throw unavailable('The service is shutting down')
      const own = [...open].filter(({ follower: { countedAs } }) => countedAs === follower.countedAs).length
      if (own >= limits.perUser) throw tooMany(limits.perUser)
      if (open.size >= limits.inAll) throw unavailable('Too many event streams are open', secondsToWait)
      const stream = new Stream(deps, follower, () => open.delete(stream))
      open.add(stream)
      try {
        await stream.begin()
      } catch (error) {
        open.delete(stream)
        throw error
      }
      return stream
    },
    changed(userId) {
      for (const stream of open) if (userId === null || stream.userId === userId) stream.wake()
    },
    revoked(keyId, reason = 'key_revoked') {
      for (const stream of open) if (stream.follower.keyId === keyId) stream.close(reason)
    },
    async look() {
      const userIds = [...new Set([...open].flatMap(({ userId }) => (userId === undefined ? [] : [userId])))]
      for (const userId of revisions.keys()) if (!userIds.includes(userId)) revisions.delete(userId)
      if (userIds.length > 0) {
        const now = await deps.storage.revisionsOf(userIds)
        for (const [index, userId] of userIds.entries()) {
          if (revisions.get(userId) !== now[index]) this.changed(userId)
          revisions.set(userId, now[index] ?? 0)
        }
      }
      const keyIds = new Set([...open].flatMap(({ follower: { keyId } }) => (keyId === null ? [] : [keyId])))
      for (const keyId of keyIds) {
        const reason = await endOfKey(deps, keyId)
        if (reason !== undefined) this.revoked(keyId, reason)
      }
    },
    count: () => open.size,
    close() {
      isClosed = true
      for (const stream of open) stream.close('shutting_down')
    },
  }
}

/** Why streams of a key, or of an OAuth grant, must end. Undefined: it is valid. */
async function endOfKey(
  { storage, clock }: StreamDeps,
  id: string,
): Promise<'key_revoked' | 'key_expired' | undefined> {
  const now = clock.now()
  if (isId('grt', id)) {
    const grant = await storage.findGrant(id)
    if (grant === null || grant.revokedAt !== null) return 'key_revoked'
    // Without a refresh, no token works any longer.
    return now >= grant.accessExpiresAt ? 'key_expired' : undefined
  }
  const key = await storage.findKey(id)
  if (key === null || key.revokedAt !== null) return 'key_revoked'
  return isExpired(key, now) ? 'key_expired' : undefined
}

function tooMany(most: number): ServiceError {
  const message = `At most ${most} event streams of one user can be open at once`
  return new ServiceError('rate_limit_exceeded', message, undefined, undefined, secondsToWait)
}

class Stream implements EventStream {
  start = endOf(0)
  #mark = endOf(0)
  /** The log may have unread events. */
  #isBehind = true
  #reason: CloseReason | undefined
  #resume: (() => void) | undefined

  constructor(
    private readonly deps: StreamDeps,
    readonly follower: Follower,
    private readonly left: () => void,
  ) {}

  get userId(): string | undefined {
    return this.follower.scope.kind === 'user' ? this.follower.scope.userId : undefined
  }

  async begin(): Promise<void> {
    const { after } = this.follower
    this.start = after ?? (await this.#end())
    this.#mark = this.start
  }

  /** The current end of the log. */
  async #end(): Promise<EventMark> {
    const { userId } = this
    if (userId === undefined) return endOf(0)
    const [revision = 0] = await this.deps.storage.revisionsOf([userId])
    return endOf(revision)
  }

  wake(): void {
    this.#isBehind = true
    this.#resume?.()
  }

  close(reason: CloseReason): void {
    this.#reason ??= reason
    this.left()
    this.#resume?.()
  }

  async next(patienceMs: number): Promise<Fed> {
    const found = await this.#read()
    if (found) return found
    await this.#wait(patienceMs)
    return (await this.#read()) ?? { kind: 'quiet' }
  }

  async #read(): Promise<Fed | undefined> {
    if (this.#reason) return { kind: 'closed', reason: this.#reason }
    if (!this.#isBehind) return undefined
    this.#isBehind = false
    try {
      const slice = await readEvents(this.deps, this.follower.scope, this.#mark, eventsAtOnce)
      this.#mark = slice.mark
      if (slice.more) this.#isBehind = true
      // It may have been closed in the meantime: later events are not for its reader.
      if (this.#reason) return { kind: 'closed', reason: this.#reason }
      return slice.events.length > 0 || slice.missedUpTo ? { kind: 'events', slice } : undefined
    } catch (error) {
      this.deps.log.warn({ err: error }, 'an event stream could not read the log and was closed')
      this.close('unavailable')
      return { kind: 'closed', reason: 'unavailable' }
    }
  }

  async #wait(patienceMs: number): Promise<void> {
    if (this.#isBehind || this.#reason) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#resume = resolve
      timer = setTimeout(resolve, patienceMs)
      timer.unref()
    })
    clearTimeout(timer)
    this.#resume = undefined
  }
}
