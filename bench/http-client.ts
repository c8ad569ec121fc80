/** A small JSON client over keep-alive connections; it adds a tenth of a millisecond to a measured time. */
import { Agent, request } from 'node:http'

export interface Answer {
  readonly status: number
  readonly text: string
  /** Milliseconds per stage, as reported by the service. */
  readonly stages: ReadonlyMap<string, number>
  /** From the first byte sent to the last byte received, without serializing and parsing JSON. */
  readonly ms: number
}

export interface HttpClient {
  send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Answer>
  close(): void
}

const usualTimeoutMs = 60_000

export function httpClient(root: string, connections = 1, timeoutMs = usualTimeoutMs): HttpClient {
  const { hostname, port } = new URL(root)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })

  function send(method: string, path: string, body?: object): Promise<Answer> {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const headers =
      payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': payload.length }
    return new Promise((resolve, reject) => {
      const start = performance.now()
      const sent = request({ hostname, port, method, path, headers, agent, timeout: timeoutMs }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const ms = performance.now() - start
          // A process that is killed in the middle of an answer ends the stream too: only a complete answer counts.
          if (!response.complete) reject(new Error(`${method} ${path}: the answer is incomplete`))
          else {
            const stages = stagesOf(response.headers['server-timing'])
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8'), stages, ms })
          }
        })
      })
      sent.on('timeout', () => sent.destroy(new Error(`${method} ${path}: no answer within ${timeoutMs} ms`)))
      sent.on('error', reject)
      sent.end(payload)
    })
  }

  return { send, close: () => agent.destroy() }
}

function stagesOf(header: string | string[] | undefined): Map<string, number> {
  const text = Array.isArray(header) ? header.join(', ') : (header ?? '')
  return new Map([...text.matchAll(/([a-z_]+);dur=([\d.]+)/g)].map(([, stage = '', ms]) => [stage, Number(ms)]))
}

/** The JSON of the response; throws an error with the response for anything but a 2xx. */
export function accepted(answer: Pick<Answer, 'status' | 'text'>, what: string): Record<string, unknown> {
  if (answer.status < 200 || answer.status > 299) {
    throw new Error(`${what}: status ${answer.status}: ${answer.text.slice(0, 300)}`)
  }
  return asRecord(JSON.parse(answer.text), what)
}

export function asRecord(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${what}: not an object`)
  // Any object that is not an array can be read by string keys.
  return value as Record<string, unknown>
}

export function asRecords(value: unknown, what: string): Record<string, unknown>[] {
  if (!Array.isArray(value)) throw new Error(`${what}: not a list`)
  return value.map((item) => asRecord(item, what))
}
