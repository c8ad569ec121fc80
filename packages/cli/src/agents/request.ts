/** One JSON request. Over http without `node:http`, and never with `fetch`: loading them takes longer than the request. */
import type { IncomingMessage, RequestOptions } from 'node:http'
import type { Service } from './place.js'
import { sendPlain } from './plain-http.js'

const maxAnswerBytes = 4 * 1024 * 1024

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

export interface Sent {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

/** Rejects on a refused connection, on a timeout and on an answer that is too long. */
export async function send({ url, apiKey }: Pick<Service, 'url' | 'apiKey'>, sent: Sent): Promise<Answer> {
  const target = new URL(`${url}${sent.path}`)
  const body = sent.body === undefined ? undefined : JSON.stringify(sent.body)
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    ...sent.headers,
  }
  const { method, timeoutMs } = sent
  if (target.protocol === 'http:') return sendPlain(target, { method, headers, body, timeoutMs, maxAnswerBytes })
  const options = { method, agent: false, signal: AbortSignal.timeout(timeoutMs), headers } as const
  return sendSecurely(target, options, body)
}

async function sendSecurely(target: URL, options: RequestOptions, body: string | undefined): Promise<Answer> {
  const { request } = await import('node:https')
  return new Promise((resolve, reject) => {
    const outgoing = request(target, options, (incoming) => {
      const chunks: Buffer[] = []
      let bytes = 0
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        chunks.push(chunk)
        if (bytes > maxAnswerBytes) incoming.destroy(new Error('the answer is too long'))
      })
      incoming.once('error', reject)
      incoming.once('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}

/** The answer’s fields. Rejects if the service refused. */
export async function sendJson(service: Pick<Service, 'url' | 'apiKey'>, sent: Sent): Promise<Record<string, unknown>> {
  const { status, text } = await send(service, sent)
  if (status < 200 || status > 299) throw new RefusedError(status)
  const parsed: unknown = JSON.parse(text)
  if (typeof parsed !== 'object' || parsed === null) throw new RefusedError(status)
  // The service answers with objects only.
  return parsed as Record<string, unknown>
}

export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  constructor(readonly status: number) {
    super(`the service answered ${status}`)
  }
}
