/** Against servers that are not Redis, or a broken one. The tests in test/services use a real one. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { Log } from '../../core/log.js'
import { openRedisCounters, type SharedCounters } from './redis-counters.js'

const servers: { readonly server: Server; readonly sockets: Set<Socket> }[] = []
const opened: SharedCounters[] = []

afterEach(async () => {
  for (const counters of opened.splice(0)) await counters.close()
  for (const { server, sockets } of servers.splice(0)) {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
})

async function serverThat(answers: (socket: Socket, text: string) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('data', (chunk) => answers(socket, chunk.toString('utf8')))
    socket.on('error', () => socket.destroy())
  })
  servers.push({ server, sockets })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** One answer per command, as the protocol requires. */
const toEach = (answer: (text: string) => string) => (socket: Socket, text: string) => {
  for (const _ of text.matchAll(/AUTH|SELECT|PING|EVALSHA/g)) socket.write(answer(text))
}

async function open(port: number, startTimeoutMs = 10_000) {
  const lines: string[] = []
  const keep = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const log: Log = { info: keep, warn: keep, error: keep }
  const url = `redis://bob:hidden-password@127.0.0.1:${port}/1`
  const counters = await openRedisCounters({ url, log, answerTimeoutMs: 5000, startTimeoutMs })
  opened.push(counters)
  return { counters, lines }
}

describe('a server', () => {
  it.each<[what: string, reason: string, answers: (socket: Socket, text: string) => void]>([
    ['that never answers', 'TIMEOUT', () => undefined],
    ['that hangs up', 'SocketClosedUnexpectedlyError', (socket) => socket.destroy()],
    [
      'that repeats the password in its errors',
      'ERR',
      toEach((text) => `-ERR unknown command, with args beginning with: ${JSON.stringify(text)}\r\n`),
    ],
    ['that speaks something else', '', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['that is still loading', 'LOADING', toEach(() => '-LOADING Redis is loading the dataset in memory\r\n')],
  ])(
    '%s does not stop the start, counts nothing and is logged once, without the password',
    async (_what, reason, answers) => {
      const { counters, lines } = await open(await serverThat(answers), reason === 'TIMEOUT' ? 100 : undefined)
      expect(counters.available()).toBe(false)
      expect(await counters.add('recall:key_1', 1, 0, 60_000)).toBeUndefined()
      expect(await counters.look('recall:key_1')).toBeUndefined()
      expect(lines).toHaveLength(1)
      expect(lines[0]).toContain(reason)
      expect(lines.join()).not.toContain('hidden')
    },
  )

  it('that does not exist is logged with ECONNREFUSED', async () => {
    const port = await serverThat(() => undefined)
    await new Promise((resolve) => servers.pop()?.server.close(resolve))
    const { counters, lines } = await open(port)
    expect(counters.available()).toBe(false)
    expect(lines).toEqual([expect.stringContaining('ECONNREFUSED')])
  })

  it('that answers a count with nonsense counts as unavailable', async () => {
    let asked = 0
    const port = await serverThat((socket, text) => {
      // AUTH and SELECT are answered with OK. Counts are valid at first, then nonsense.
      for (const [command] of text.matchAll(/AUTH|SELECT|PING|EVALSHA/g)) {
        if (command !== 'EVALSHA') socket.write('+OK\r\n')
        else {
          asked += 1
          socket.write(asked <= 2 ? `*2\r\n:${asked}\r\n:60000\r\n` : '*2\r\n$4\r\nmany\r\n$5\r\nlater\r\n')
        }
      }
    })
    const { counters, lines } = await open(port)
    expect(counters.available()).toBe(true)
    expect(await counters.add('recall:key_1', 1, 0, 60_000)).toEqual({ count: 2, msLeft: 60_000 })
    expect(await counters.add('recall:key_1', 1, 0, 60_000)).toBeUndefined()
    expect(counters.available()).toBe(false)
    expect(lines).toEqual([expect.stringContaining('UNEXPECTED')])
  })
})
