import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { signatureOf, urlProblem, webhookCall } from './webhook-call.js'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function receiver(listener: RequestListener): Promise<string> {
  server = createServer(listener)
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?x=1`
}

const textOf = async (request: IncomingMessage) => {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

const delivery = (url: string) => ({
  url,
  secret: 'sixteen-or-more-characters',
  id: 'whk_1:2-0',
  body: '{"é":1}',
  sentAt: 1_700_000_000_999,
})
const call = webhookCall({ allowPrivate: true, version: '1', timeoutMs: 2000 })

describe('a delivery', () => {
  it('is a signed POST whose signature covers time and body', async () => {
    let seen: { headers: IncomingMessage['headers']; body: string; url: string | undefined } | undefined
    const url = await receiver(async (request, response) => {
      seen = { headers: request.headers, url: request.url, body: await textOf(request) }
      response.writeHead(204).end()
    })
    expect(await call(delivery(url))).toEqual({ status: 204, error: null, retryAfterSeconds: null })
    expect(seen).toMatchObject({
      url: '/hook?x=1',
      body: '{"é":1}',
      headers: {
        'keepsake-delivery': 'whk_1:2-0',
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'keepsake/1',
        'keepsake-signature': signatureOf('sixteen-or-more-characters', '{"é":1}', 1_700_000_000_000),
      },
    })
    expect(seen?.headers['keepsake-signature']).toMatch(/^t=1700000000,v1=[0-9a-f]{64}$/)
  })

  it('follows no redirect', async () => {
    const paths: (string | undefined)[] = []
    const url = await receiver((request, response) => {
      paths.push(request.url)
      response.writeHead(302, { location: '/elsewhere' }).end()
    })
    expect(await call(delivery(url))).toMatchObject({ status: 302, error: 'status 302' })
    expect(paths).toEqual(['/hook?x=1'])
  })

  it('returns the Retry-After of the receiver', async () => {
    const url = await receiver((_request, response) => response.writeHead(429, { 'retry-after': '120' }).end())
    expect(await call(delivery(url))).toEqual({ status: 429, error: 'status 429', retryAfterSeconds: 120 })
  })

  it('does not read an endless response: the status is enough', async () => {
    const url = await receiver((_request, response) => {
      response.writeHead(200)
      const more = () => response.write('x'.repeat(8192)) && setImmediate(more)
      more()
    })
    expect(await call(delivery(url))).toMatchObject({ status: 200, error: null })
  })

  it('gives up on a receiver that does not respond or does not exist', async () => {
    const url = await receiver(() => undefined)
    const hasty = webhookCall({ allowPrivate: true, version: '1', timeoutMs: 50 })
    expect(await hasty(delivery(url))).toMatchObject({ status: null, error: 'timeout' })
    server?.closeAllConnections()
    await new Promise((resolve) => server?.close(resolve))
    expect(await call(delivery(url))).toMatchObject({ status: null, error: 'connection refused' })
  })

  it('does not reveal whether a name exists that is not public', async () => {
    const failing = (code: string) => (_name: string, done: (error: Error, all: []) => void) =>
      done(Object.assign(new Error(code), { code }), [])
    for (const code of ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENODATA']) {
      const careful = webhookCall({ allowPrivate: false, version: '1', resolve: failing(code) })
      const result = await careful(delivery('https://internal.example/'))
      expect(result, code).toMatchObject({ status: null, error: 'no public address' })
    }
  })

  it('never connects to a private address, neither directly nor through a name that later resolves to one', async () => {
    let calls = 0
    const url = await receiver((_request, response) => {
      calls += 1
      response.end()
    })
    const { port } = new URL(url)
    const resolve = (_name: string, done: (error: null, all: { address: string; family: number }[]) => void) =>
      done(null, [{ address: '127.0.0.1', family: 4 }])
    const careful = webhookCall({ allowPrivate: false, version: '1', resolve })
    for (const host of ['127.0.0.1', '[::1]', '2130706433', 'rebound.example', '0x7f.1'])
      expect(await careful(delivery(`https://${host}:${port}/`)), host).toMatchObject({ error: 'no public address' })
    expect(calls).toBe(0)
  })
})

it.each([
  ['http://example.com/', 'https'],
  ['ftp://example.com/', 'https'],
  ['not a url', 'https'],
  ['https://user:secret@example.com/', 'credentials'],
  ['https://example.com/#x', 'fragment'],
  ['https://169.254.169.254/latest', 'public'],
])('rejects %s: %s', (url, why) => {
  expect(urlProblem(url, false)).toContain(why)
})
