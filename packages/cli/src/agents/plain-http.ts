/**
 * One HTTP request over a plain socket, for hooks: loading `node:http` takes about as long as the rest of the hook. HTTP/1.0, so that
 * the answer ends with the connection and has no chunks.
 */
import { connect } from 'node:net'
import type { Answer } from './request.js'

export interface PlainRequest {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: string | undefined
  readonly timeoutMs: number
  readonly maxAnswerBytes: number
}

/** Rejects on a refused connection, on a timeout, and on an answer that is too long or not complete. */
export function sendPlain(target: URL, request: PlainRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // The brackets of an IPv6 address belong to the URL.
    const host = target.hostname.replace(/^\[|\]$/g, '')
    const socket = connect({ host, port: Number(target.port || 80) })
    const timer = setTimeout(() => socket.destroy(new Error('the service did not answer in time')), request.timeoutMs)
    const chunks: Buffer[] = []
    let bytes = 0
    socket.on('data', (chunk) => {
      bytes += chunk.length
      chunks.push(chunk)
      if (bytes > request.maxAnswerBytes) socket.destroy(new Error('the answer is too long'))
    })
    socket.once('error', reject)
    socket.once('end', () => socket.end())
    socket.once('close', () => {
      clearTimeout(timer)
      const answer = answerIn(Buffer.concat(chunks))
      // After an error this changes nothing.
      if (answer === undefined) reject(new Error('the answer is not complete'))
      else resolve(answer)
    })
    // Not its end: a server takes that for a client that has gone away.
    socket.write(headOf(target, request) + (request.body ?? ''))
  })
}

function headOf({ pathname, search, host }: URL, { method, headers }: PlainRequest): string {
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  if (lines.some((line) => /[\r\n]/.test(line.slice(0, -2)))) throw new Error('a header has a line break')
  return `${method} ${pathname}${search} HTTP/1.0\r\n${lines.join('')}\r\n`
}

function answerIn(bytes: Buffer): Answer | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes.toString('latin1', 0, Math.max(0, end)).split('\r\n')
  const [, status] = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first) ?? []
  if (end === -1 || status === undefined) return undefined
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const at = line.indexOf(':')
    headers[line.slice(0, at).toLowerCase()] = line.slice(at + 1).trim()
  }
  const body = bytes.subarray(end + 4)
  const isWhole = headers['content-length'] === undefined || Number(headers['content-length']) === body.length
  if (!isWhole || headers['transfer-encoding'] !== undefined) return undefined
  return { status: Number(status), headers, text: body.toString('utf8') }
}
