/** Requests with a key, from any address in this machine's loopback network. */
import { Agent, request } from 'node:http'

export interface Outcome {
  readonly status: number
  readonly text: string
  readonly ms: number
}

export interface BearerClient {
  send(method: 'GET' | 'POST', path: string, key: string, body?: object): Promise<Outcome>
  close(): void
}

const timeoutMs = 60_000

export function bearerClient(root: string, localAddress = '127.0.0.1', connections = 1): BearerClient {
  const { hostname, port } = new URL(root)
  const agent = new Agent({ keepAlive: true, maxSockets: connections, localAddress })
  return {
    send: (method, path, key, body) =>
      new Promise((resolve, reject) => {
        const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
        const headers = {
          authorization: `Bearer ${key}`,
          ...(payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': payload.length }),
        }
        const startedAt = performance.now()
        const sent = request({ hostname, port, method, path, headers, agent, localAddress, timeout: timeoutMs })
        sent.on('response', (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const ms = performance.now() - startedAt
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8'), ms })
          })
        })
        sent.on('timeout', () => sent.destroy(new Error(`${method} ${path}: no answer within ${timeoutMs} ms`)))
        sent.on('error', reject)
        sent.end(payload)
      }),
    close: () => agent.destroy(),
  }
}

/** 127.0.0.0/8 is all this machine; the first addresses are left to other uses. */
export function loopbackAddress(index: number): string {
  return `127.${1 + ((index >> 16) & 127)}.${(index >> 8) & 255}.${1 + (index & 127) + ((index >> 7) & 1) * 100}`
}
