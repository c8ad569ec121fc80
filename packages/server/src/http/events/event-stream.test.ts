import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { FastifyReply } from 'fastify'
import { expect, it } from 'vitest'
import { endOf, type MemoryEvent } from '../../core/memory-event.js'
import type { CloseReason, EventStream } from '../../service/event-streams.js'
import { serveStream } from './event-stream.js'

const event: MemoryEvent = {
  mark: { revision: 1, position: 0 },
  userId: 'alice',
  type: 'memory.stored',
  action: 'ADD',
  memoryId: 'mem_1',
  item: null,
  project: 'p'.repeat(1000),
  checksum: null,
  relatedIds: [],
  at: 0,
}

it('disconnects a reader that does not read, with the reason, and requests no more events meanwhile', async () => {
  let asked = 0
  let reason: CloseReason | undefined
  const stream: EventStream = {
    start: endOf(0),
    async next() {
      if (reason) return { kind: 'closed', reason }
      asked += 1
      return { kind: 'events', slice: { events: Array(100).fill(event), mark: endOf(1), more: true, missedUpTo: null } }
    },
    close(why) {
      reason ??= why
    },
  }
  const closed: string[] = []
  const meter = {
    streamClosed: (why: string) => closed.push(why),
    eventsSent: () => undefined,
    delivery: () => undefined,
  }
  let ended: Promise<void> | undefined
  let response: ServerResponse | undefined
  const server = createServer((_request, raw) => {
    response = raw
    const reply = { raw, hijack: () => undefined, getHeaders: () => ({}) } as unknown as FastifyReply
    const times = { heartbeatMs: 1000, slowMs: 50, lastWordsMs: 50 }
    ended = serveStream({ reply, stream, meter, now: () => 0, times })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await new Promise((resolve) => server.once('request', resolve))
  await ended
  expect(reason).toBe('slow_reader')
  expect(closed).toEqual(['slow_reader'])
  const askedThen = asked
  await new Promise((resolve) => response?.once('close', resolve))
  expect(asked).toBe(askedThen)
  socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})
