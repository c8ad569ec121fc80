import type { MemoryEvent } from './api-types.generated.js'
import { ValidationError } from './errors.js'
import type { MissedEvents } from './events.js'
import { fromWire } from './wire.js'

export interface VerifyOptions {
  /** Maximum difference between the delivery's timestamp and this clock, in either direction. Default: 300. */
  readonly toleranceSeconds?: number | undefined
  readonly nowMs?: number | undefined
}

export type WebhookEvent = (MemoryEvent | MissedEvents) & { readonly webhookId: string; readonly sentAt: string }

/**
 * Returns the event of a delivery if `payload` (the raw body, not parsed) was signed with the secret. Otherwise throws a
 * `ValidationError`. `header` is the value of `Keepsake-Signature`.
 */
export async function verifyWebhook(
  payload: string | Uint8Array,
  header: string | null | undefined,
  secret: string,
  { toleranceSeconds = 300, nowMs = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const [, time, signature] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header ?? '') ?? []
  if (time === undefined || signature === undefined)
    throw new ValidationError('The signature header is missing or malformed')
  const body = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload
  if (!(await isSigned(body, time, signature, secret))) throw new ValidationError('The signature does not match')
  // Checked after the signature, so that nobody without the secret learns anything about our clock.
  if (Math.abs(nowMs / 1000 - Number(time)) > toleranceSeconds)
    throw new ValidationError('The timestamp is outside the tolerance')
  // The service signed it, so it has the shape of an event.
  return fromWire(JSON.parse(new TextDecoder().decode(body)) as object) as WebhookEvent
}

/** WebCrypto compares in constant time. */
async function isSigned(body: Uint8Array, time: string, signature: string, secret: string): Promise<boolean> {
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['verify'])
  const front = encoder.encode(`${time}.`)
  const signed = new Uint8Array(front.length + body.length)
  signed.set(front)
  signed.set(body, front.length)
  const bytes = Uint8Array.from(signature.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  return crypto.subtle.verify('HMAC', key, bytes, signed)
}
