/** Events of memories, as pages of the log and as a stream over a socket. */

import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hourMs, masterKey, startService, type TestService } from '../support/harness.js'
import { startReading } from './event-reader.js'

interface Event {
  readonly id: string
  readonly type: string
  readonly memory_id: string
  readonly project: string | null
  readonly checksum: string | null
  readonly related_memory_ids: readonly string[]
}
interface Page {
  readonly events: readonly Event[]
  readonly next: string
  readonly more: boolean
  readonly missed: boolean
}

const brief = ({ type, memory_id }: Event) => `${type} ${memory_id}`

describe('a page of the event log', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startService()
  })
  afterEach(() => service.close())
  const page = (query: Record<string, string | number> = {}) =>
    service.ok<Page>('GET', '/events', { query: { user_id: 'alice', ...query } })

  it('lists the events of a memory, and continues after the last one read', async () => {
    const { id, checksum } = await service.storeOne({ content: 'Ann likes red tea', user_id: 'alice', project: 'p' })
    const first = await page()
    expect(first).toMatchObject({
      more: false,
      missed: false,
      events: [{ type: 'memory.stored', checksum, project: 'p' }],
    })
    await service.ok('PUT', `/memories/${id}`, { body: { content: 'Ann likes green tea' } })
    await service.ok('DELETE', '/memories', { body: { memory_ids: [id] } })
    const rest = await page({ since: first.next })
    expect(rest.events.map(brief)).toEqual([`memory.forgotten ${id}`])
    expect(rest.events[0]).toMatchObject({ project: null, checksum: null, related_memory_ids: [] })
    expect((await page({ since: rest.next })).events).toEqual([])
  })

  it('names the superseding and the superseded memory', async () => {
    const old = await service.storeOne({ content: 'Maria lives in Oslo', user_id: 'alice' })
    const now = await service.storeOne({ content: 'Maria lives in Rome', user_id: 'alice' })
    const { events } = await page()
    expect(events.map(brief)).toEqual([
      `memory.stored ${old.id}`,
      `memory.stored ${now.id}`,
      `memory.superseded ${old.id}`,
    ])
    expect(events[1]?.related_memory_ids).toEqual([old.id])
    expect(events[2]?.related_memory_ids).toEqual([now.id])
  })

  it('contains an expiry once, whether the schedule, a reader or a cleanup detects it', async () => {
    const { id } = await service.storeOne({ content: 'The kettle is on', user_id: 'alice', ttl: '1h' })
    service.clock.advance(hourMs)
    await service.live.tick()
    const { events, next } = await page()
    expect(events.map(brief)).toEqual([`memory.stored ${id}`, `memory.expired ${id}`])
    await service.live.tick()
    expect((await page({ since: next })).events).toEqual([])
    await service.ok('POST', '/cleanup-expired', { body: { user_id: 'alice' } })
    expect((await page()).events.map(brief)).toEqual([`memory.expired ${id}`, `memory.forgotten ${id}`])
  })

  it('reports missed events if the log no longer has them', async () => {
    await service.storeOne({ content: 'The kettle is on', user_id: 'alice' })
    service.clock.advance(8 * 24 * hourMs)
    await service.storeOne({ content: 'The tea is ready', user_id: 'alice' })
    await service.live.tick()
    expect(await page({ since: '0' })).toMatchObject({ missed: true, events: [{ id: '2-0' }] })
  })

  it('requires a user and a valid event id', async () => {
    expect((await service.fails(400, 'GET', '/events')).details).toMatchObject([{ path: 'user_id' }])
    const query = { user_id: 'alice', since: 'yesterday' }
    expect((await service.fails(400, 'GET', '/events', { query })).details).toMatchObject([{ path: 'since' }])
    const headers = { 'last-event-id': 'x' }
    await service.fails(400, 'GET', '/events', { query: { user_id: 'alice' }, headers })
  })
})

describe('an event stream', () => {
  let service: TestService
  let url = ''
  let alice = ''
  beforeEach(async () => {
    service = await startService({
      auth: true,
      env: { SERVICE_EVENT_STREAMS_PER_USER: '2', SERVICE_EVENT_STREAMS: '3' },
    })
    await service.app.listen({ host: '127.0.0.1', port: 0 })
    url = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}/api/v1/events`
    alice = (await service.createKey('alice')).key
  })
  afterEach(() => service.close())
  const read = (key: string, query = '', headers: Record<string, string> = {}) =>
    startReading(`${url}${query}`, { authorization: `Bearer ${key}`, ...headers })

  it('sends new events as they happen, and can be resumed without a gap', async () => {
    await service.storeOne({ content: 'Before the stream' }, { key: alice })
    const reader = await read(alice)
    expect(reader.contentType).toBe('text/event-stream; charset=utf-8')
    expect(await reader.next()).toMatchObject({ event: 'events.opened', id: '1' })
    const one = await service.storeOne({ content: 'While it is open' }, { key: alice })
    const told = await reader.next()
    expect(told).toMatchObject({ event: 'memory.stored', id: '2-0', data: { memory_id: one.id, user_id: 'alice' } })
    await reader.close()
    const two = await service.storeOne({ content: 'While nobody listened' }, { key: alice })
    const again = await read(alice, '?since=1', { 'last-event-id': told.id ?? '' })
    expect(await again.next()).toMatchObject({ event: 'events.opened' })
    expect(await again.next()).toMatchObject({ id: '3-0', data: { memory_id: two.id } })
    await again.close()
    expect(service.audit('events.opened')).toMatchObject([{ user_id: 'alice' }, { user_id: 'alice' }])
  })

  it('contains neither text nor metadata of memories', async () => {
    const reader = await read(alice)
    await service.storeOne({ content: 'The canary sings at dawn', metadata: { bird: 'canary' } }, { key: alice })
    await reader.next()
    await reader.next()
    expect(reader.text()).not.toContain('canary')
    await reader.close()
  })

  it('never sends an event of another user, even if the request names that user', async () => {
    const bob = (await service.createKey('bob')).key
    const [own, foreign] = await Promise.all([read(bob), read(bob, '?user_id=alice&since=0')])
    const theirs = await service.storeOne({ content: 'Of alice alone' }, { key: alice })
    const mine = await service.storeOne({ content: 'Of bob alone' }, { key: bob })
    await own.next()
    expect(await own.next()).toMatchObject({ data: { memory_id: mine.id } })
    service.live.streams.close()
    await Promise.all([own.ended, foreign.ended])
    expect(own.text()).not.toContain(theirs.id)
    expect(foreign.text()).not.toContain('mem_')
  })

  it('sends only events of the requested project', async () => {
    const reader = await read(alice, '?project=p')
    await service.storeOne({ content: 'In another project', project: 'q' }, { key: alice })
    const { id } = await service.storeOne({ content: 'In this project', project: 'p' }, { key: alice })
    await reader.next()
    expect(await reader.next()).toMatchObject({ data: { memory_id: id, project: 'p' } })
    await reader.close()
  })

  it('is refused beyond the limits: 429 per user, 503 in total', async () => {
    const bob = (await service.createKey('bob')).key
    const open = await Promise.all([read(alice), read(alice)])
    const third = await fetch(url, { headers: { authorization: `Bearer ${alice}`, accept: 'text/event-stream' } })
    expect(third.status).toBe(429)
    expect(third.headers.get('retry-after')).toBe('30')
    expect(await third.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } })
    const bobs = await read(bob)
    const fourth = await fetch(url, { headers: { authorization: `Bearer ${bob}`, accept: 'text/event-stream' } })
    expect(fourth.status).toBe(503)
    await Promise.all([...open, bobs].map((reader) => reader.close()))
  })

  it('ends with a reason when its key expires', async () => {
    const body = { user_id: 'alice', name: 'short', access: 'read', ttl: '1h' }
    const { key } = await service.ok<{ key: string }>('POST', '/keys', { key: masterKey, body })
    const doomed = await read(key)
    await doomed.next()
    service.clock.advance(3_600_000)
    await service.live.tick()
    expect(await doomed.next()).toMatchObject({ event: 'events.closed', data: { reason: 'key_expired' } })
    await doomed.ended
  })

  it('ends with a reason as soon as its key is revoked', async () => {
    const { id, key } = await service.createKey('alice', 'to revoke')
    const [doomed, other] = await Promise.all([read(key), read(alice)])
    await doomed.next()
    await service.ok('DELETE', `/keys/${id}`, { key: masterKey })
    expect(await doomed.next()).toMatchObject({ event: 'events.closed', data: { reason: 'key_revoked' } })
    await doomed.ended
    const { id: memoryId } = await service.storeOne({ content: 'Still told to the other' }, { key: alice })
    await other.next()
    expect(await other.next()).toMatchObject({ data: { memory_id: memoryId } })
    expect(doomed.text()).not.toContain(memoryId)
    await other.close()
  })

  it('ends with a reason when the service stops', async () => {
    const reader = await read(alice)
    await reader.next()
    const closing = service.close()
    expect(await reader.next()).toMatchObject({ event: 'events.closed', data: { reason: 'shutting_down' } })
    await reader.ended
    await closing
    service = await startService()
  })

  it('does not delay the stop of the service, and neither does an idle connection', async () => {
    const { hostname, port } = new URL(url)
    const silent = connect(Number(port), hostname)
    await new Promise((resolve) => silent.once('connect', resolve))
    const ended = new Promise((resolve) => silent.once('close', resolve))
    await service.close()
    await ended
    service = await startService()
  })

  it('is counted in the metrics', async () => {
    const reader = await read(alice)
    await reader.next()
    const metrics = () => service.callRoot<string>('GET', '/metrics', { key: masterKey })
    expect((await metrics()).text).toContain('keepsake_event_streams 1')
    await reader.close()
    await expect.poll(async () => (await metrics()).text, { timeout: 20_000 }).toContain('keepsake_event_streams 0')
  })

  it('is not opened by HEAD', async () => {
    const answer = await fetch(url, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${alice}`, accept: 'text/event-stream' },
    })
    expect(answer.status).toBe(200)
    expect(service.live.streams.count()).toBe(0)
  })

  it('is closed when the client disconnects without notice', async () => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.write(
      `GET /api/v1/events HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\nauthorization: Bearer ${alice}\r\n\r\n`,
    )
    await new Promise((resolve) => socket.once('data', resolve))
    expect(service.live.streams.count()).toBe(1)
    socket.destroy()
    await expect.poll(() => service.live.streams.count(), { timeout: 20_000 }).toBe(0)
  })
})
