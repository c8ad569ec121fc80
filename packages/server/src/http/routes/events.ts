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

const follow = replyEndpoint({
  method: 'GET',
  path: '/events',
  operationId: 'listEvents',
  summary: 'Follow what happens to memories',
  description:
    'With `Accept: text/event-stream` the answer is a stream of server-sent events that stays open, from now on or after the event that `since` or the header `Last-Event-ID` names. Without it, one page of the log as JSON, from the oldest that is kept. Events have ids, times and checksums, never content.',
  tag: 'Events',
  access: 'user',
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
    if (live === undefined) throw unavailable('Events cannot be followed here')
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
    // Until its reader leaves: nobody waits for that here.
    serveStream({ reply, stream, meter: metrics, now: () => deps.clock.now() }).catch((error: unknown) => {
      deps.log.warn({ err: error, request_id: actor.requestId }, 'an event stream broke')
      stream.close('gone')
      reply.raw.destroy()
    })
    return reply
  },
})

/** Streams in vain, for another's user, count among one's own. */
function countedAs(caller: Caller, userId: string | undefined): string {
  return caller.kind === 'user' ? caller.userId : (userId ?? '')
}

function wantsStream(accept: string | undefined): boolean {
  return accept !== undefined && /(?:^|[\s,])text\/event-stream(?:[\s;,]|$)/i.test(accept)
}

/** A reader that comes back says in the header where it was; its address is still that of its first time. */
function markOf(header: string | readonly string[] | undefined, since: string | undefined): EventMark | null {
  const text = typeof header === 'string' && header !== '' ? header : since
  if (text === undefined) return null
  const mark = readEventId(text)
  if (mark === undefined) throw invalid('Last-Event-ID', 'must be the id of an event')
  return mark
}

export const eventEndpoints = [follow]
