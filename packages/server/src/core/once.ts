/**
 * How a request with an `Idempotency-Key` is remembered. Neither the key nor the body is stored: the key becomes a hash, the body
 * a digest that takes the key to compute, so the record reveals nothing about a text that was forgotten since.
 */
import { createHmac, hash } from 'node:crypto'
import type { Json } from './memory.js'

export interface Once {
  readonly keyHash: string
  readonly fingerprint: string
}

/** How long a response is remembered. */
export const rememberedMs = 86_400_000

/** Visible ASCII, as in the client. */
export function isIdempotencyKey(key: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(key)
}

export function onceOf(key: string, request: Json): Once {
  return {
    keyHash: hash('sha256', key, 'hex'),
    fingerprint: createHmac('sha256', key).update(canonical(request)).digest('hex'),
  }
}

/** The same text for the same values, whatever the order of their fields. */
function canonical(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isList(value)) return `[${value.map(canonical).join(',')}]`
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value)
}
