/** A server on a real socket that misbehaves as configured. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../src/clock.js'
import { Keepsake } from '../src/index.js'
import type { KeepsakeOptions } from '../src/options.js'

export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void

export interface StubServer {
  readonly url: string
  readonly seen: SeenRequest[]
  /** Behaviours for the next requests, in order. The last one repeats. */
  behave(...behaviours: readonly Behaviour[]): void
  close(): Promise<void>
}

export async function startStub(): Promise<StubServer> {
  const seen: SeenRequest[] = []
  let next: readonly Behaviour[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString('utf8') })
      const [behaviour = json(200, {}), ...rest] = next
      if (rest.length > 0) next = rest
      behaviour(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    behave(...behaviours) {
      next = behaviours
      seen.length = 0
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/* ------------------------------------------------------------------ behaviours */

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Behaviour {
  return text(status, 'application/json', JSON.stringify(body), headers)
}

export function text(
  status: number,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Behaviour {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': type, ...headers }).end(body)
  }
}

export function failure(status: number, code: string, headers: Readonly<Record<string, string>> = {}): Behaviour {
  return json(status, { error: { code, message: `it is ${code}`, request_id: 'req-1' } }, headers)
}

export const resets: Behaviour = (request) => {
  request.socket.resetAndDestroy()
}

/** Announces more data and then closes the connection. */
export const breaksOff: Behaviour = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"memories":[', () => response.destroy())
}

/** Never answers, or never completes the answer. `left` resolves when the client disconnects. */
export function hangs(
  afterHeaders = false,
): Behaviour & { readonly left: Promise<void>; readonly reached: Promise<void> } {
  let leave: () => void = () => undefined
  let reach: () => void = () => undefined
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const behaviour: Behaviour = (_request, response) => {
    response.on('close', leave)
    if (afterHeaders) response.writeHead(200, { 'content-type': 'application/json' }).write('{"memories":', reach)
    else reach()
  }
  return Object.assign(behaviour, { left, reached })
}

/** Sends data endlessly. Counts the sent bytes; `left` resolves when the client disconnects. */
export function floods(): Behaviour & { readonly left: Promise<void>; sentBytes(): number } {
  let leave: () => void = () => undefined
  let sent = 0
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  const chunk = `"${'x'.repeat(64 * 1024)}",`
  const behaviour: Behaviour = (_request, response) => {
    response.on('close', leave)
    response.writeHead(200, { 'content-type': 'application/json' })
    const pour = () => {
      let more = !response.destroyed
      while (more) {
        sent += chunk.length
        more = response.write(chunk)
      }
    }
    response.on('drain', pour)
    response.write('{"memories":[', pour)
  }
  return Object.assign(behaviour, { left, sentBytes: () => sent })
}

/* ------------------------------------------------------------------ a client with a manual clock */

export const timeoutMs = 30_000

export interface TestClock extends Clock {
  /** How long the client waited before each retry. */
  readonly waits: number[]
  /** Triggers the timeout of the running call. */
  expire(): void
}

export function testClock(startMs = Date.parse('2026-03-01T09:30:00Z')): TestClock {
  const waits: number[] = []
  let now = startMs
  let expire: () => void = () => undefined
  return {
    waits,
    now: () => now,
    expire: () => expire(),
    sleep(ms, signal) {
      if (ms === timeoutMs) {
        return new Promise<void>((resolve) => {
          expire = resolve
          signal.addEventListener('abort', () => resolve())
        })
      }
      waits.push(ms)
      now += ms
      return Promise.resolve()
    },
  }
}

export function clientOf(stub: StubServer, clock: Clock, options: Partial<KeepsakeOptions> = {}): Keepsake {
  return new Keepsake({ url: stub.url, userId: 'ana', timeoutMs, clock, random: () => 1, ...options })
}
