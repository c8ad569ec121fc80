/**
 * TypeIDs: a prefix and a UUIDv7 in Crockford base32 (26 characters, first at most '7').
 * https://github.com/jetify-com/typeid/tree/main/spec. They sort by time of creation, even within
 * one millisecond (RFC 9562, 6.2, method 1: a counter in the random bits).
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from './clock.js'

export type IdKind = 'mem' | 'ent' | 'rel' | 'key' | 'doc' | 'con' | 'mrg' | 'whk' | 'grt' | 'spc'
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

export interface IdSource {
  next(kind: IdKind): string
}

export function idSource(clock: Clock): IdSource {
  let lastMs = -1
  let counter = 0
  return {
    next(kind) {
      const ms = Math.max(clock.now(), lastMs)
      // 12 counter bits; when they run out within a millisecond, borrow the next millisecond.
      if (ms === lastMs) counter += 1
      else counter = randomBytes(2).readUInt16BE(0) & 0x7ff
      lastMs = ms
      if (counter > 0xfff) {
        lastMs = ms + 1
        counter = 0
      }
      return `${kind}_${base32(uuid7(lastMs, counter))}`
    },
  }
}

export function isId(kind: IdKind, text: string): boolean {
  return idPattern(kind).test(text)
}

const patterns = new Map<IdKind, RegExp>()
export function idPattern(kind: IdKind): RegExp {
  let pattern = patterns.get(kind)
  if (!pattern) {
    pattern = new RegExp(`^${kind}_[0-7][0-9a-hjkmnp-tv-z]{25}$`)
    patterns.set(kind, pattern)
  }
  return pattern
}

function uuid7(ms: number, counter: number): Buffer {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(ms, 0, 6)
  bytes[6] = 0x70 | (counter >> 8)
  bytes[7] = counter & 0xff
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return bytes
}

function base32(bytes: Buffer): string {
  // 26 digits hold 130 bits: the first two are zero.
  let text = ''
  let value = 0
  let bits = 2
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(value >> bits) & 31]
      value &= (1 << bits) - 1
    }
  }
  return text
}
