import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { send } from './request.js'

const open: { close(): unknown }[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

async function listening(server: Server, host = '127.0.0.1'): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  open.push(server)
  const { port } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
const answering = (listener: RequestListener, host?: string) => listening(createServer(listener), host)
const saying = (text: string, isEnded = true) =>
  listening(
    createSocketServer((socket: Socket) => {
      socket.on('error', () => undefined)
      if (isEnded) socket.end(text)
      else socket.write(text)
    }),
  )
const ask = { method: 'GET', path: '/x', timeoutMs: 5_000 } as const

describe('a request over http', () => {
  it('sends method, path, body, key and host, and returns status, headers and text', async () => {
    const seen: unknown[] = []
    const url = await answering(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { method, url: path, headers } = request
      seen.push(method, path, headers.authorization, headers.host, Buffer.concat(chunks).toString())
      response.writeHead(201, { 'X-Kind': 'test' })
      // In two parts, without a length.
      response.write('{"a":"ß')
      response.end(' 日本"}')
    })
    const sent = { method: 'POST', path: '/a?b=c%20d', body: { text: 'ü\n' }, timeoutMs: 5_000 } as const
    const answer = await send({ url, apiKey: 'key' }, sent)
    expect(answer).toMatchObject({ status: 201, text: '{"a":"ß 日本"}', headers: { 'x-kind': 'test' } })
    expect(seen).toEqual(['POST', '/a?b=c%20d', 'Bearer key', url.slice(7), '{"text":"ü\\n"}'])
  })

  it('waits for an answer that takes a while', async () => {
    const url = await answering((_, response) => setTimeout(() => response.end('late'), 100))
    expect((await send({ url }, ask)).text).toBe('late')
  })

  it('reads an answer of a megabyte', async () => {
    const text = 'x'.repeat(1_000_000)
    const url = await answering((_, response) => response.end(text))
    expect((await send({ url }, ask)).text).toBe(text)
  })

  it('reaches an IPv6 address', async () => {
    const url = await answering((_, response) => response.end('six'), '::1')
    expect((await send({ url }, ask)).text).toBe('six')
  })

  it.each([
    ['no HTTP', 'hello\r\n\r\nworld'],
    ['a head without an end', 'HTTP/1.1 200 OK\r\ncontent-type: text/plain'],
    ['a text that is cut off', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort'],
    [
      'chunks, which HTTP/1.0 does not have',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
    ],
    ['nothing', ''],
  ])('rejects an answer that is %s', async (_name, text) => {
    await expect(send({ url: await saying(text) }, ask)).rejects.toThrow('not complete')
  })

  it('rejects an endless answer, a silent service and a closed port', async () => {
    const endless = await answering((_, response) => response.end('x'.repeat(5 * 1024 * 1024)))
    await expect(send({ url: endless }, ask)).rejects.toThrow('too long')
    const silent = await saying('HTTP/1.1 200 OK\r\n', false)
    await expect(send({ url: silent }, { ...ask, timeoutMs: 50 })).rejects.toThrow('in time')
    await expect(send({ url: 'http://127.0.0.1:1' }, ask)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('refuses a header that would end the head', async () => {
    const url = await answering((_, response) => response.end())
    await expect(send({ url, apiKey: 'a\r\nx: y' }, ask)).rejects.toThrow('line break')
  })
})
