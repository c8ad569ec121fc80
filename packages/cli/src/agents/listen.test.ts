import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { listen } from './listen.js'

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

async function serviceThat(answer: RequestListener): Promise<{ url: string; apiKey: string }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(() => server.close())
  // A listening TCP server has this kind of address.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'ks_1' }
}

const sent = { path: '/mcp', body: { id: 7 }, headers: { accept: 'text/event-stream' } }

describe('a subscription through the bridge', () => {
  it('passes messages on as they arrive, until it is cancelled', async () => {
    let isGone = false
    let asked: unknown
    const service = await serviceThat((request, response) => {
      asked = request.headers.authorization
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('event: message\ndata: {"a":1}\n\n: keepalive\n\nevent: message\nda')
      response.write('ta: {"b":2}\n\n')
      response.on('close', () => {
        isGone = true
      })
    })
    const heard: unknown[] = []
    const ended = new AbortController()
    const listening = listen(service, sent, ended.signal, (message) => heard.push(message))
    await vi.waitFor(() => expect(heard).toEqual([{ a: 1 }, { b: 2 }]))
    expect(asked).toBe('Bearer ks_1')
    ended.abort()
    await listening
    await vi.waitFor(() => expect(isGone).toBe(true))
  })

  it('passes a refusal of the protocol on, and rejects any other', async () => {
    const refusing = await serviceThat((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"error":{}}')
    })
    const heard: unknown[] = []
    const { signal } = new AbortController()
    await listen(refusing, sent, signal, (message) => heard.push(message))
    expect(heard).toEqual([{ error: {} }])
    const limited = await serviceThat((_request, response) => void response.writeHead(429).end('{}'))
    await expect(listen(limited, sent, signal, () => undefined)).rejects.toThrow('429')
  })
})
