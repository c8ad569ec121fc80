/**
 * Reads the metadata document of a client whose id is a URL (draft-ietf-oauth-client-id-metadata-document). Anyone may name a URL, so
 * it is called as carefully as a webhook: public addresses only, checked for each connection, small, quick and never redirected.
 */
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { publicLookup, type Resolve, systemResolve } from '../webhooks/public-address.js'
import { urlProblem } from '../webhooks/webhook-call.js'

const mostBytes = 10_000

export interface DocumentSettings {
  /** Allows http and private addresses, as for webhooks. */
  readonly allowPrivate: boolean
  readonly version: string
  readonly timeoutMs?: number
  readonly resolve?: Resolve
}

/** Undefined: it cannot be read. The reason is not told, because it would reveal what this machine can reach. */
export type ReadDocument = (url: string) => Promise<unknown>

export function documentReader(settings: DocumentSettings): ReadDocument {
  const { allowPrivate, timeoutMs = 5_000, resolve = systemResolve } = settings
  return async (url) => {
    if (urlProblem(url, allowPrivate) !== undefined) return undefined
    const options = {
      // A new connection: the host of a kept-alive one was not resolved and checked for this call.
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: 'application/json', 'user-agent': `keepsake/${settings.version}` },
      ...(allowPrivate ? {} : { lookup: publicLookup(resolve) }),
    }
    try {
      return JSON.parse(await bodyOf(url, options))
    } catch {
      // Whatever failed, the client is unknown; the caller says so.
      return undefined
    }
  }
}

function bodyOf(url: string, options: Parameters<typeof httpsRequest>[1]): Promise<string> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      const isJson = /^application\/(?:[\w.-]+\+)?json\b/i.test(response.headers['content-type'] ?? '')
      const chunks: Buffer[] = []
      let read = 0
      const fail = (problem: string) => {
        reject(new Error(problem))
        sent.destroy()
      }
      if (response.statusCode !== 200 || !isJson) return fail('not a JSON document')
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        read += chunk.length
        if (read > mostBytes) fail('too long')
      })
      response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
      response.on('error', reject)
      response.on('aborted', () => fail('cut off'))
    })
    sent.on('error', reject)
    sent.end()
  })
}
