import type { ListEventsAnswer, MemoryEvent } from './api-types.generated.js'
import type { Caller } from './caller.js'
import { AuthenticationError, ConnectionError, type KeepsakeError, RateLimitError, UnavailableError } from './errors.js'
import { serverEvents } from './event-stream.js'
import type { EventsOptions, EventsPageOptions } from './options.js'
import { waitMs } from './retry.js'
import { fromWire } from './wire.js'

/** Some events were deleted before they could be read: list the memories again. */
export interface MissedEvents {
  id: string
  type: 'events.missed'
  time: string
}

/** Events about memories. */
export class Events {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** One page of the event log: from the oldest event kept, or after `since`. */
  async page(options: EventsPageOptions = {}): Promise<ListEventsAnswer> {
    const { since, limit } = options
    const query = { since, limit, ...this.#caller.userScope(options) }
    return this.#caller.send({ method: 'GET', path: '/events', query, repeat: 'safe' }, options)
  }

  /**
   * Yields events as they happen and never ends: leave the loop or abort the signal to stop. Reconnects after a lost
   * connection and continues after the last event read. Throws only errors that a retry would not fix.
   */
  async *follow(options: EventsOptions = {}): AsyncGenerator<MemoryEvent | MissedEvents, void, undefined> {
    const { signal = new AbortController().signal, since } = options
    const query = { since, ...this.#caller.userScope(options) }
    const place: Place = { lastId: since, failures: 0 }
    while (!signal.aborted) {
      try {
        yield* this.#connection(query, place, signal)
        // The service closed the stream because it is stopping. It may be back in a moment.
        await this.#caller.transport.pause(waitMs(0, new ConnectionError('ended'), Math.random), signal)
      } catch (error) {
        if (signal.aborted) return
        if (!isPassing(error)) throw error
        await this.#caller.transport.pause(waitMs(place.failures++, error, Math.random), signal)
      }
    }
  }

  async *#connection(query: object, place: Place, signal: AbortSignal): AsyncGenerator<MemoryEvent | MissedEvents> {
    const { transport } = this.#caller
    const body = await transport.stream('/events', { ...query, since: undefined }, place.lastId, signal)
    for await (const event of serverEvents(body)) {
      if (!event) continue
      place.failures = 0
      if (event.type === 'events.closed') {
        const { reason } = JSON.parse(event.data) as { readonly reason?: string }
        if (reason === 'key_revoked') throw new AuthenticationError('The API key was revoked')
        if (reason === 'key_expired') throw new AuthenticationError('The API key has expired')
        return
      }
      if (event.id !== undefined) place.lastId = event.id
      // The service's own tests check the shape of its events.
      if (event.type !== 'events.opened') yield fromWire(JSON.parse(event.data) as object) as MemoryEvent
    }
  }
}

interface Place {
  lastId: string | undefined
  failures: number
}

function isPassing(error: unknown): error is KeepsakeError {
  return error instanceof ConnectionError || error instanceof UnavailableError || error instanceof RateLimitError
}
