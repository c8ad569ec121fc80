/** One delivery: signed, sent to a public address, with a timeout of ten seconds, never redirected. */
import { createHmac } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { hostOf, isPublicAddress, publicLookup, type Resolve, systemResolve } from './public-address.js'

export interface Delivery {
  readonly url: string
  readonly secret: string
  /** The same for every attempt to deliver the same event. */
  readonly id: string
  readonly body: string
  readonly sentAt: number
}

export interface Delivered {
  /** Null: no response. */
  readonly status: number | null
  /** Null: delivered. Our own words, never those of the receiver. */
  readonly error: string | null
  readonly retryAfterSeconds: number | null
}

export type CallWebhook = (delivery: Delivery) => Promise<Delivered>

export interface CallSettings {
  readonly allowPrivate: boolean
  readonly version: string
  readonly timeoutMs?: number
  readonly resolve?: Resolve
}

/** The connection is closed after this much of the response. */
const mostAnswerBytes = 4096

export function webhookCall(settings: CallSettings): CallWebhook {
  const { allowPrivate, timeoutMs = 10_000, resolve = systemResolve } = settings
  const lookup = allowPrivate ? undefined : publicLookup(resolve)
  return async (delivery) => {
    const problem = urlProblem(delivery.url, allowPrivate)
    if (problem) return { status: null, error: noPublicAddress, retryAfterSeconds: null }
    try {
      return await send(delivery, `keepsake/${settings.version}`, AbortSignal.timeout(timeoutMs), lookup)
    } catch (error) {
      return { status: null, error: wordFor(error, allowPrivate), retryAfterSeconds: null }
    }
  }
}

/** Also for a name without an address. */
export const notPublic = 'must be the address of a host on the public internet'

/** Undefined: the URL is acceptable. The addresses of its host are checked for each connection. */
export function urlProblem(text: string, allowPrivate: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be an https URL'
  if (url.protocol !== 'https:' && !allowPrivate) return 'must be an https URL'
  if (url.username || url.password) return 'must not contain credentials: the signature identifies the sender'
  if (url.hash) return 'must not have a fragment'
  const host = hostOf(url)
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) return notPublic
  return undefined
}

/** `t` protects against replays of an old delivery. */
export function signatureOf(secret: string, body: string, sentAt: number): string {
  const seconds = Math.floor(sentAt / 1000)
  const digest = createHmac('sha256', secret).update(`${seconds}.${body}`, 'utf8').digest('hex')
  return `t=${seconds},v1=${digest}`
}

function send(
  { url, secret, id, body, sentAt }: Delivery,
  userAgent: string,
  signal: AbortSignal,
  lookup: LookupFunction | undefined,
): Promise<Delivered> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        // A new connection: the host of a kept-alive one was not resolved and checked for this delivery.
        agent: false,
        signal,
        ...(lookup === undefined ? {} : { lookup }),
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(body),
          'user-agent': userAgent,
          'keepsake-delivery': id,
          'keepsake-signature': signatureOf(secret, body, sentAt),
        },
      },
      (response) => {
        const status = response.statusCode ?? 0
        const retryAfter = /^\d{1,7}$/.exec(response.headers['retry-after'] ?? '')?.[0]
        const isTaken = status >= 200 && status < 300
        let read = 0
        const finish = () => {
          resolve({
            status,
            error: isTaken ? null : `status ${status}`,
            retryAfterSeconds: retryAfter === undefined ? null : Number(retryAfter),
          })
          sent.destroy()
        }
        response.on('data', (chunk: Buffer) => {
          read += chunk.length
          if (read > mostAnswerBytes) finish()
        })
        response.on('end', finish)
        // The status has arrived: the rest does not matter.
        response.on('error', finish)
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The same for a name that does not exist: see `webhooks.ts`. */
const noPublicAddress = 'no public address'

const words: Readonly<Record<string, string>> = {
  NOT_PUBLIC: noPublicAddress,
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ABORT_ERR: 'timeout',
  ETIMEDOUT: 'timeout',
}

function wordFor(error: unknown, allowPrivate: boolean): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')) return 'timeout'
  if (/CERT|TLS|SSL|SELF_SIGNED/.test(code)) return 'certificate refused'
  if (/^(?:ENOTFOUND|EAI_\w+|ENODATA)$/.test(code)) return allowPrivate ? 'name not found' : noPublicAddress
  return words[code] ?? 'no connection'
}
