/** Writes server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) to one connection. */
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { isoTimestamp } from '../../core/clock.js'
import { eventIdOf } from '../../core/memory-event.js'
import type { LiveMeter } from '../../core/meter.js'
import type { EventStream, Fed } from '../../service/event-streams.js'
import { eventView } from './event-views.js'

interface StreamTimes {
  /** After this much silence a comment is sent, so that no proxy considers the connection dead. */
  readonly heartbeatMs: number
  /** A reader that has not read what was sent after this time is disconnected. */
  readonly slowMs: number
  /** How long a disconnected reader has to read the closing event. */
  readonly lastWordsMs: number
}

const usualTimes: StreamTimes = { heartbeatMs: 15_000, slowMs: 15_000, lastWordsMs: 5_000 }
/** How long a reader waits before it reconnects. */
const retryMs = 3_000

export interface Streaming {
  readonly reply: FastifyReply
  readonly stream: EventStream
  readonly meter: LiveMeter
  readonly now: () => number
  readonly times?: StreamTimes
}

/** Takes over the reply, and writes to it until the reader leaves or the stream ends. */
export async function serveStream({ reply, stream, meter, now, times = usualTimes }: Streaming): Promise<void> {
  reply.hijack()
  const { raw } = reply
  const { socket } = raw
  raw.on('close', () => stream.close('gone'))
  // Node's type for headers excludes undefined, and none of these is undefined.
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    // A proxy that buffers responses would hold the stream back.
    'x-accel-buffering': 'no',
    // A connection that is kept alive would keep the service from stopping.
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

/** JSON.stringify writes no line breaks, so the data is one line. */
function block(type: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}

/** False if the reader did not read it in time. */
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
