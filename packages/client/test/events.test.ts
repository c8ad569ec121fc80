import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { masterKey } from '../../server/test/support/harness.js'
import { AuthenticationError, Keepsake, ValidationError, verifyWebhook } from '../src/index.js'
import { type RealService, startRealService } from './real-service.js'

describe('events', () => {
  let service: RealService
  beforeEach(async () => {
    service = await startRealService({ auth: true })
  })
  afterEach(() => service.close())

  it('arrive as they happen, each exactly once even after a lost connection', async () => {
    const { key } = await service.createKey('ana')
    let connections = 0
    const breaking: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init)
      if (!String(input).includes('/events') || ++connections > 1 || !answer.body) return answer
      // The first connection breaks after its first event.
      const reader = answer.body.getReader()
      let chunks = 0
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { value } = await reader.read()
          if (value && !new TextDecoder().decode(value).includes('memory.') && chunks++ < 10) controller.enqueue(value)
          else {
            if (value) controller.enqueue(value)
            await reader.cancel()
            controller.close()
          }
        },
      })
      return new Response(body, { status: 200, headers: { 'content-type': 'text/event-stream' } })
    }
    const keepsake = new Keepsake({ url: service.url, apiKey: key, fetch: breaking })
    await keepsake.store('The first of three')
    await keepsake.store('The second of three')
    const seen: string[] = []
    for await (const event of keepsake.events({ since: '0' })) {
      seen.push(event.id)
      if (seen.length === 2) await keepsake.store('The third of three')
      if (seen.length === 3) break
    }
    expect(seen).toEqual(['1-0', '2-0', '3-0'])
    expect(connections).toBe(2)
    expect(await keepsake.eventsPage({ since: '2' })).toMatchObject({ events: [{ id: '3-0' }], more: false })
  })

  it('end quietly when the signal aborts, and with an error when the key is revoked', async () => {
    const { key, id } = await service.createKey('ana')
    const keepsake = new Keepsake({ url: service.url, apiKey: key })
    const left = new AbortController()
    const quiet = keepsake.events({ signal: left.signal }).next()
    left.abort()
    expect(await quiet).toEqual({ done: true, value: undefined })
    await keepsake.store('One to be sure that it is open')
    const stream = keepsake.events({ since: '0' })
    await stream.next()
    const next = stream.next()
    const refused = expect(next).rejects.toThrow(AuthenticationError)
    await service.ok('DELETE', `/keys/${id}`, { key: masterKey })
    await refused
  })
})

describe('verifyWebhook', () => {
  const secret = 'whsec_of-the-test'
  const body = '{"id":"1-0","memory_id":"mem_é"}'
  const sign = (seconds: number, text = body, by = secret) =>
    `t=${seconds},v1=${createHmac('sha256', by).update(`${seconds}.${text}`).digest('hex')}`
  const nowMs = 1_700_000_000_000

  it('returns the event of a signed delivery, given as text or bytes', async () => {
    const header = sign(1_700_000_000)
    expect(await verifyWebhook(body, header, secret, { nowMs })).toEqual({ id: '1-0', memoryId: 'mem_é' })
    expect(await verifyWebhook(new TextEncoder().encode(body), header, secret, { nowMs })).toMatchObject({ id: '1-0' })
  })

  it.each([
    ['another body', `${body} `, sign(1_700_000_000)],
    ['another secret', body, sign(1_700_000_000, body, 'other')],
    ['an old time', body, sign(1_700_000_000 - 301)],
    ['a time ahead', body, sign(1_700_000_000 + 301)],
    ['a changed time', body, sign(1_700_000_000).replace('t=1700000000', 't=1700000001')],
    ['no signature', body, null],
    ['a malformed signature', body, 't=1,v1=zz'],
  ])('rejects %s', async (_what, payload, header) => {
    await expect(verifyWebhook(payload, header, secret, { nowMs })).rejects.toThrow(ValidationError)
  })
})
