/** Cases that need a real socket: slow clients, ambiguous request boundaries, endless bodies. */
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/harness.js'

let service: TestService
let port = 0
let key = ''
const sockets = new Set<Socket>()

beforeAll(async () => {
  service = await startService({ auth: true })
  key = (await service.createKey('ana')).key
  const { server } = service.app
  // Node reads this interval once, when the server starts to listen, and checks for slow clients that often.
  Object.assign(server, { connectionsCheckingInterval: 25 })
  port = Number(new URL(await service.app.listen({ host: '127.0.0.1', port: 0 })).port)
})
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
})
afterAll(() => service.close())

function open(): Socket {
  const socket = connect(port, '127.0.0.1')
  sockets.add(socket)
  // Some of these connections end with a reset.
  socket.on('error', () => undefined)
  return socket
}

/** Unlike Node's `once`, this does not reject on an error: a reset is a normal end here. */
const next = (socket: Socket, event: 'close' | 'drain') => new Promise((resolve) => socket.once(event, resolve))

/** Sends the text and returns all that arrives until the server closes the connection. */
async function conversation(text: string | Buffer, socket = open()): Promise<string> {
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1')
  })
  socket.write(text)
  await next(socket, 'close')
  return answer
}

const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
const healthy = async () => (await fetch(`http://127.0.0.1:${port}/livez`)).status === 200

describe('a slow client', () => {
  it('has 15 s to send headers, 30 s to send the request, and 120 s of inactivity', () => {
    const { server } = service.app
    expect(server).toMatchObject({ headersTimeout: 15_000, requestTimeout: 30_000, timeout: 120_000 })
    expect(server.keepAliveTimeout).toBeLessThan(server.timeout)
  })

  /** Runs with shorter limits, which take effect at the server's next check. */
  async function withTimes(times: object, run: () => Promise<void>): Promise<void> {
    const { server } = service.app
    const { headersTimeout, requestTimeout, timeout } = server
    Object.assign(server, times)
    try {
      await run()
    } finally {
      Object.assign(server, { headersTimeout, requestTimeout, timeout })
    }
  }

  it.each([
    ['sends nothing', ''],
    ['stops within its headers', 'GET /livez HTTP/1.1\r\nHost: a\r\nX-Slow: '],
    [
      'stops within its body',
      'POST /api/v1/store HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"content":"',
    ],
    [
      'stops within a chunk',
      'POST /api/v1/store HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n{"con',
    ],
  ])('that %s gets 400 and is disconnected while others are served', async (_what, text) => {
    const slow = Array.from({ length: 20 }, () => conversation(text.replace('KEY', key)))
    expect(await healthy()).toBe(true)
    await withTimes({ headersTimeout: 100, requestTimeout: 150 }, async () => {
      const answers = await Promise.all(slow)
      for (const answer of answers) {
        // A client that sent nothing may be disconnected without a response.
        if (text !== '' || answer !== '') expect(statuses(answer)).toEqual([400])
      }
    })
  })

  it('that sends one byte at a time gets 400 and is disconnected', async () => {
    await withTimes({ headersTimeout: 100, requestTimeout: 150 }, async () => {
      const socket = open()
      const drip = setInterval(() => socket.write('x'), 10)
      const answer = await conversation('GET /livez HTTP/1.1\r\nHost: a\r\nX-Slow: ', socket)
      clearInterval(drip)
      expect(statuses(answer)).toEqual([400])
    })
  })

  it('that does not read the response is disconnected', async () => {
    await withTimes({ timeout: 150 }, async () => {
      const socket = open()
      socket.pause()
      const closed = new Promise<void>((resolve) =>
        service.app.server.once('connection', (each) => each.once('close', resolve)),
      )
      socket.write('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20))
      await closed
      expect(await healthy()).toBe(true)
    })
  })
})

describe('a request with an ambiguous boundary', () => {
  const smuggled = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'
  const post = (headers: string, body = '') =>
    `POST /api/v1/store HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`

  it.each<[string, () => string]>([
    ['a length and chunks', () => post('Content-Length: 4\r\nTransfer-Encoding: chunked', `0\r\n\r\n${smuggled}`)],
    ['chunks and a length', () => post('Transfer-Encoding: chunked\r\nContent-Length: 4', `0\r\n\r\n${smuggled}`)],
    ['two lengths', () => post('Content-Length: 2\r\nContent-Length: 40', `{}${smuggled}`)],
    ['two equal lengths', () => post('Content-Length: 2\r\nContent-Length: 2', `{}${smuggled}`)],
    ['a list of lengths', () => post('Content-Length: 2, 2', `{}${smuggled}`)],
    ['a signed length', () => post('Content-Length: +2', `{}${smuggled}`)],
    ['a length in hex', () => post('Content-Length: 0x2', `{}${smuggled}`)],
    ['a negative length', () => post('Content-Length: -2', `{}${smuggled}`)],
    ['a length of 40 digits', () => post(`Content-Length: ${'9'.repeat(40)}`, smuggled)],
    ['an unknown coding', () => post('Transfer-Encoding: xchunked', `0\r\n\r\n${smuggled}`)],
    ['chunked that is not the last coding', () => post('Transfer-Encoding: chunked, identity', `0\r\n\r\n${smuggled}`)],
    ['two codings', () => post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', `0\r\n\r\n${smuggled}`)],
    ['a folded coding', () => post('Transfer-Encoding:\r\n chunked', `0\r\n\r\n${smuggled}`)],
    ['a folded header', () => post('X-Folded: a\r\n b\r\nContent-Length: 2', `{}${smuggled}`)],
    ['a space before the colon', () => post('Content-Length : 2', `{}${smuggled}`)],
    ['a header without a name', () => post(': x\r\nContent-Length: 2', `{}${smuggled}`)],
    ['a NUL in a header', () => post('X: a\u0000b\r\nContent-Length: 2', `{}${smuggled}`)],
    ['a bare carriage return', () => post('X: a\rContent-Length: 2', `{}${smuggled}`)],
    ['bare line feeds', () => post('Content-Length: 2', `{}${smuggled}`).replaceAll('\r\n', '\n')],
    ['a bare line feed between headers', () => post('X: a\nContent-Length: 2', `{}${smuggled}`)],
    ['a chunk size in words', () => post('Transfer-Encoding: chunked', `two\r\n{}\r\n0\r\n\r\n${smuggled}`)],
    ['a chunk size with 0x', () => post('Transfer-Encoding: chunked', `0x2\r\n{}\r\n0\r\n\r\n${smuggled}`)],
    ['a negative chunk size', () => post('Transfer-Encoding: chunked', `-2\r\n{}\r\n0\r\n\r\n${smuggled}`)],
    [
      'a chunk size of 40 digits',
      () => post('Transfer-Encoding: chunked', `${'f'.repeat(40)}\r\n{}\r\n0\r\n\r\n${smuggled}`),
    ],
    ['a chunk longer than its size', () => post('Transfer-Encoding: chunked', `2\r\n{}xx\r\n0\r\n\r\n${smuggled}`)],
    ['chunks ended by bare line feeds', () => post('Transfer-Encoding: chunked', `2\n{}\n0\n\n${smuggled}`)],
    ['two Host headers', () => `GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n${smuggled}`],
    ['another protocol', () => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${smuggled}`],
    ['no version', () => `GET /livez\r\n\r\n${smuggled}`],
    ['an unknown version', () => `GET /livez HTTP/1.9\r\nHost: a\r\n\r\n${smuggled}`],
    ['a space in the path', () => `GET /live z HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`],
  ])('(%s) gets 400 and a closed connection, and the rest is never read as a request', async (_what, text) => {
    const before = service.audit('memory.store').length
    const answer = await conversation(text())
    expect(statuses(answer), answer).toEqual([400])
    expect(answer).toContain('validation_error')
    expect(answer.toLowerCase()).toContain('connection: close')
    expect(service.audit('memory.store')).toHaveLength(before)
  })

  it.each<[string, () => string, number]>([
    [
      'a refused request',
      () => `POST /api/v1/store HTTP/1.1\r\nHost: a\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
      401,
    ],
    [
      'a request to nowhere',
      () => `POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
      404,
    ],
    ['a GET', () => `GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`, 200],
    ['a broken body', () => post(`Content-Length: ${smuggled.length}`, smuggled), 400],
  ])('does not read the body of %s as the next request', async (_what, text, status) => {
    const last = 'GET /nothing-more HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    // The server may also close the connection.
    expect([[status, 404], [status]]).toContainEqual(statuses(await conversation(text() + last)))
  })

  it.each([
    'CONNECT a:80',
    'TRACE /livez',
    'GET http://169.254.169.254/latest/meta-data',
    'GET //evil.example/livez',
    'OPTIONS *',
  ])('does not serve %s', async (line) => {
    const answer = await conversation(`${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    expect(answer).not.toMatch(/^HTTP\/1\.1 (?:1|2|3|5)/)
  })

  it('does not upgrade the connection', async () => {
    const headers = 'Host: a\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'
    expect(statuses(await conversation(`GET /livez HTTP/1.1\r\n${headers}\r\n\r\n`))).not.toContain(101)
  })
})

describe('an oversized request', () => {
  const head = (headers: string) =>
    `POST /api/v1/store HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`

  it('gets 413 by its declared length before the body is sent', async () => {
    expect(statuses(await conversation(head('Content-Length: 1099511627776')))).toEqual([413])
  })

  it('gets 413 while it is sent if it declares no length', async () => {
    const socket = open()
    const answered = conversation(head('Transfer-Encoding: chunked'), socket)
    const chunk = `10000\r\n${'['.repeat(65_536)}\r\n`
    while (!socket.destroyed && !socket.readableEnded) {
      if (!socket.write(chunk)) await Promise.race([next(socket, 'drain'), next(socket, 'close')])
    }
    // The reset may discard the response.
    expect([[413], []]).toContainEqual(statuses(await answered))
    expect(await healthy()).toBe(true)
  })

  it('gets 415 if it is compressed, and is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000, ' '))
    for (const coding of ['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip']) {
      const text = Buffer.concat([
        Buffer.from(head(`Content-Encoding: ${coding}\r\nContent-Length: ${bomb.length}\r\nConnection: close`)),
        bomb,
      ])
      expect(statuses(await conversation(text))).toEqual([415])
    }
  })

  it.each([
    ['levels of nesting', '['.repeat(500_000)],
    ['nested objects', `{"metadata":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`],
    ['keys', `{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":1`).join(',')}}`],
    ['digits', `{"metadata":{"n":${'9'.repeat(900_000)}}}`],
    ['escapes', `{"content":"${'\\u0041'.repeat(150_000)}"}`],
  ])('gets 400 for too many %s', async (_what, body) => {
    expect(
      statuses(await conversation(`${head(`Content-Length: ${body.length}\r\nConnection: close`)}${body}`)),
    ).toEqual([400])
  })

  it('gets 400 for too many headers', async () => {
    const many = Array.from({ length: 3000 }, (_, index) => `X-${index}: 1\r\n`).join('')
    expect(statuses(await conversation(`GET /livez HTTP/1.1\r\nHost: a\r\n${many}\r\n`))).toEqual([400])
  })
})

describe('a client that asks for more than it reads', () => {
  const asset = '/docs/swagger-ui-bundle.js'

  it('gets at most 16 responses on one connection at a time', async () => {
    const asked = `GET ${asset} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(100)
    const answers = statuses(await conversation(asked))
    expect(answers.filter((status) => status === 200).length).toBeLessThanOrEqual(16)
    expect(answers.at(-1)).toBe(503)
    expect(await healthy()).toBe(true)
  })

  it('is served as usual when it sends one request after another', async () => {
    const socket = open()
    let [answered, answer] = [0, '']
    const one = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'
    const done = new Promise<void>((resolve) =>
      socket.on('data', (chunk) => {
        answer += chunk.toString('latin1')
        const count = statuses(answer).length
        if (count === 40) resolve()
        else if (count > answered && answer.endsWith('}')) socket.write(one)
        answered = count
      }),
    )
    socket.write(one)
    await done
    expect(new Set(statuses(answer))).toEqual(new Set([200]))
  })

  it('shares one copy of each asset with everybody', async () => {
    const bytes = async () => (await service.app.inject({ method: 'GET', url: asset })).rawPayload.length
    const size = await bytes()
    const before = process.memoryUsage().arrayBuffers
    const sends = Array.from({ length: 100 }, () => {
      const socket = open()
      socket.pause()
      socket.write(`GET ${asset} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(16))
      return socket
    })
    await Promise.all(sends.map((socket) => new Promise((resolve) => socket.once('readable', resolve))))
    expect(await healthy()).toBe(true)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * size)
  })

  it('is not sent what it already has', async () => {
    const first = await service.app.inject({ method: 'GET', url: asset })
    const headers = { 'if-none-match': String(first.headers.etag) }
    const second = await service.app.inject({ method: 'GET', url: asset, headers })
    expect([first.statusCode, second.statusCode, second.payload]).toEqual([200, 304, ''])
    const other = await service.app.inject({ method: 'GET', url: asset, headers: { 'if-none-match': '"other"' } })
    expect(other.statusCode).toBe(200)
  })
})

it('closes connections beyond the limit, and serves those within it', async () => {
  const { server } = service.app
  expect(server.maxConnections).toBe(5_000)
  server.maxConnections = 3
  try {
    for (let n = 0; n < 3; n++) {
      const socket = open()
      await new Promise((resolve) => socket.once('connect', resolve))
    }
    expect(await conversation('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')).toBe('')
  } finally {
    server.maxConnections = 5_000
  }
})
