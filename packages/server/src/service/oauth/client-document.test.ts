import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentReader } from './client-document.js'

let respond: (request: IncomingMessage, response: ServerResponse) => void = () => undefined
const asked: string[] = []
const server = createServer((request, response) => {
  asked.push(request.url ?? '')
  respond(request, response)
})
let url = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A listening server has an address with a port.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/client.json`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const read = (timeoutMs = 5_000) => documentReader({ allowPrivate: true, version: '1', timeoutMs })(url)
const json = (response: ServerResponse) => response.setHeader('content-type', 'application/json; charset=utf-8')

describe('a client document', () => {
  it('is read as JSON, without cookies or keys', async () => {
    respond = ({ headers }, response) => {
      expect(headers).toMatchObject({ accept: 'application/json', 'user-agent': 'keepsake/1' })
      expect(headers).not.toHaveProperty('authorization')
      json(response).end('{"client_id":"x"}')
    }
    expect(await read()).toEqual({ client_id: 'x' })
  })

  it.each<[string, typeof respond]>([
    ['is not JSON', (_request, response) => json(response).end('{')],
    ['has another type', (_request, response) => response.setHeader('content-type', 'text/html').end('{}')],
    ['has no type', (_request, response) => response.end('{}')],
    ['is an error', (_request, response) => json(response).writeHead(404).end('{}')],
    ['is too long', (_request, response) => json(response).end(`{"a":"${'a'.repeat(10_000)}"}`)],
    ['never ends', (_request, response) => void json(response).write('{"a":')],
    ['never starts', () => undefined],
    ['breaks off', (request, response) => void json(response).write('{"a":', () => request.socket.destroy())],
  ])('is refused if it %s', async (_what, behaviour) => {
    respond = behaviour
    expect(await read(300)).toBeUndefined()
  })

  it('is not looked for where a redirect points to', async () => {
    asked.length = 0
    respond = (_request, response) => response.writeHead(302, { location: '/other.json' }).end()
    expect(await read()).toBeUndefined()
    expect(asked).toEqual(['/client.json'])
  })

  it('is not read from an address that is not public, whatever its name', async () => {
    asked.length = 0
    respond = (_request, response) => json(response).end('{}')
    const { port } = new URL(url)
    const resolve = (_name: string, done: (error: null, addresses: { address: string; family: number }[]) => void) =>
      done(null, [{ address: '127.0.0.1', family: 4 }])
    const careful = documentReader({ allowPrivate: false, version: '1', resolve })
    for (const each of [
      url,
      `https://127.0.0.1:${port}/x`,
      `https://[::1]:${port}/x`,
      `https://rebound.example:${port}/x`,
    ])
      expect(await careful(each)).toBeUndefined()
    expect(asked).toEqual([])
  })
})
