/** Passes connections on to PostgreSQL and counts what the client sends. */
import { connect, createServer, type Socket } from 'node:net'

export interface Counted {
  /** Executions, whether by the simple or the extended protocol. */
  readonly statements: number
  /** How often a client sent something after it had received something. */
  readonly roundTrips: number
  readonly transactions: number
}

export interface Relay {
  readonly port: number
  counted(): Counted
  close(): void
}

const [simpleQuery, parse, execute] = ['Q', 'P', 'E'].map((letter) => letter.charCodeAt(0))

export async function startRelay(target: number): Promise<Relay> {
  const counted = { statements: 0, roundTrips: 0, transactions: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const database = connect({ port: target, host: '127.0.0.1' })
    const messages = messageReader((kind, body) => {
      if (kind === simpleQuery || kind === execute) counted.statements += 1
      // The text of a transaction's first statement is sent with `P` or `Q`, or names a prepared one with `B`.
      if ((kind === simpleQuery || kind === parse) && body.subarray(0, 80).includes('BEGIN')) counted.transactions += 1
    })
    let hasAnswered = true
    client.on('data', (chunk) => {
      if (hasAnswered) counted.roundTrips += 1
      hasAnswered = false
      messages(chunk)
      database.write(chunk)
    })
    database.on('data', (chunk) => {
      hasAnswered = true
      client.write(chunk)
    })
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the relay has no port')
  return {
    port: address.port,
    counted: () => ({ ...counted }),
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Splits a stream into the protocol's messages: a kind, a length that counts itself, and the body. */
function messageReader(read: (kind: number, body: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  /** The first message of a connection has no kind. */
  let isStarted = false
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (;;) {
      const head = isStarted ? 1 : 0
      if (rest.length < head + 4) return
      const end = head + rest.readUInt32BE(head)
      if (rest.length < end) return
      if (isStarted) read(rest[0] ?? 0, rest.subarray(head + 4, end))
      isStarted = true
      rest = rest.subarray(end)
    }
  }
}
