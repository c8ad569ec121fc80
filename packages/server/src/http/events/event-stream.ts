/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) over one connection. */
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { isoTimestamp } from '../../core/clock.js'
import { eventIdOf } from '../../core/memory-event.js'
import type { LiveMeter } from '../../core/meter.js'
import type { EventStream, Fed } from '../../service/event-streams.js'
import { eventView } from './event-views.js'

interface StreamTimes {
  /** After so much silence a comment is sent, so that nobody in between takes the connection for dead. */
  readonly heartbeatMs: number
  /** A reader that has not taken what was sent after this long is cut off. */
  readonly slowMs: number
  /** For the last words to a reader that is cut off. */
  readonly lastWordsMs: number
}

const usualTimes: StreamTimes = { heartbeatMs: 15_000, slowMs: 15_000, lastWordsMs: 5_000 }
/** How long a reader waits before it comes back. */
const retryMs = 3_000

export interface Streaming {
  readonly reply: FastifyReply
  readonly stream: EventStream
  readonly meter: LiveMeter
  readonly now: () => number
  readonly times?: StreamTimes
}

/** Takes the reply over, and writes to it until its reader or the stream ends. */
export async function serveStream({ reply, stream, meter, now, times = usualTimes }: Streaming): Promise<void> {
  reply.hijack()
  const { raw } = reply
  const { socket } = raw
  raw.on('close', () => stream.close('gone'))
  // Node's types of headers know no undefined; there is none among these.
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    // Proxies that collect an answer before they pass it on would keep all of it.
    'x-accel-buffering': 'no',
    // Kept alive after its end, it would keep the service from stopping.
    connection: 'close',
  })
  const start = eventIdOf(stream.start)
  const opened = { id: start, type: 'events.opened', time: isoTimestamp(now()) }
  raw.write(`retry: ${retryMs}\n\n${block(opened.type, opened, start)}`)
  for (;;) {
    const fed = await stream.next(times.heartbeatMs)
    if (fed.kind === 'closed') {
      meter.streamClosed(fed.reason)
      const closed = { type: 'events.closed', reason: fed.reason, time: isoTimestamp(now()) }
      raw.end(block(closed.type, closed))
      setTimeout(() => socket?.destroy(), fed.reason === 'gone' ? 0 : times.lastWordsMs).unref()
      return
    }
    if (fed.kind === 'events') meter.eventsSent('stream', fed.slice.events.length)
    if (!(await written(raw, textOf(fed, now()), times.slowMs))) stream.close('slow_reader')
  }
}

function textOf(fed: Exclude<Fed, { readonly kind: 'closed' }>, now: number): string {
  if (fed.kind === 'quiet') return ': still here\n\n'
  const { events, missedUpTo } = fed.slice
  const id = missedUpTo ? eventIdOf(missedUpTo) : ''
  const missed = missedUpTo ? block('events.missed', { id, type: 'events.missed', time: isoTimestamp(now) }, id) : ''
  return missed + events.map((event) => block(event.type, eventView(event), eventIdOf(event.mark))).join('')
}

/** JSON has no line breaks of its own. */
function block(type: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}

/** False: the reader did not take it in time. */
function written(raw: ServerResponse, text: string, patienceMs: number): Promise<boolean> {
  if (raw.destroyed || raw.write(text)) return Promise.resolve(true)
  return new Promise((resolve) => {
    const end = (isTaken: boolean) => {
      clearTimeout(timer)
      raw.off('drain', onTaken)
      raw.off('close', onTaken)
      resolve(isTaken)
    }
    const onTaken = () => end(true)
    const timer = setTimeout(() => end(false), patienceMs)
    raw.on('drain', onTaken)
    raw.on('close', onTaken)
  })
}
