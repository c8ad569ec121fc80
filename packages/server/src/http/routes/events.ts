import { invalid, unavailable } from '../../core/errors.js'
import { type EventMark, eventIdOf, readEventId } from '../../core/memory-event.js'
import { auditedUser } from '../../core/scope.js'
import { readEvents } from '../../service/events.js'
import { type Caller, scopeForOneUser } from '../access/caller-scope.js'
import { replyEndpoint } from '../endpoint.js'
import { serveStream } from '../events/event-stream.js'
import { eventView } from '../events/event-views.js'
import { eventExample } from '../openapi/examples.js'
import { eventsAnswer, eventsQuery } from '../schemas/event.js'

export const eventsEndpoint = replyEndpoint({
  method: 'GET',
  path: '/events',
  operationId: 'listEvents',
  summary: 'Follow changes to memories and items',
  description:
    'With `Accept: text/event-stream` the response is a stream of server-sent events that stays open. It starts now, or after the event in `since` or in the `Last-Event-ID` header. Any other `Accept` returns one page of the log as JSON, by default from the oldest event that is kept. Events have ids, names of items, times and checksums, never content.',
  tag: 'Events',
  access: 'user',
  needs: 'read',
  forApplications: 'all',
  limit: 'default',
  streams: true,
  query: eventsQuery,
  answer: eventsAnswer,
  example: { answer: { events: [eventExample], next: '17', more: false, missed: false } },
  async handle({ deps, options, actor, caller, query, reply }) {
    const scope = scopeForOneUser(caller, query.user_id, query.project)
    const { headers, method } = reply.request
    const after = markOf(headers['last-event-id'], query.since)
    if (method === 'HEAD' || !wantsStream(headers.accept)) {
      const { events, mark, more, missedUpTo } = await readEvents(deps, scope, after, query.limit)
      return { events: events.map(eventView), next: eventIdOf(mark), more, missed: missedUpTo !== null }
    }
    const { live, metrics } = options
    if (live === undefined) throw unavailable('Event streams are not available here')
    const stream = await live.streams.open({
      scope,
      after,
      countedAs: countedAs(caller, query.user_id),
      keyId: actor.keyId,
    })
    deps.audit.record(
      actor,
      { event: 'events.opened', user_id: auditedUser(scope), key_id: actor.keyId },
      scope.kind === 'user' ? 'success' : 'not_found',
    )
    // Runs until the reader leaves, so it is not awaited.
    serveStream({ reply, stream, meter: metrics, now: () => deps.clock.now() }).catch((error: unknown) => {
      deps.log.warn({ err: error, request_id: actor.requestId }, 'an event stream broke')
      stream.close('gone')
      reply.raw.destroy()
    })
    return reply
  },
})

/** A stream for another user gets no events, and counts towards the caller's own streams. */
export function countedAs(caller: Caller, userId: string | undefined): string {
  if (caller.kind === 'application') return caller.keyId
  return caller.kind === 'user' ? caller.userId : (userId ?? '')
}

function wantsStream(accept: string | undefined): boolean {
  return accept !== undefined && /(?:^|[\s,])text\/event-stream(?:[\s;,]|$)/i.test(accept)
}

/** A reader that reconnects sends its position in the header. Its URL is still that of the first request. */
function markOf(header: string | readonly string[] | undefined, since: string | undefined): EventMark | null {
  const text = typeof header === 'string' && header !== '' ? header : since
  if (text === undefined) return null
  const mark = readEventId(text)
  if (mark === undefined) throw invalid('Last-Event-ID', 'must be the id of an event')
  return mark
}

export const eventEndpoints = [eventsEndpoint]
