/**
 * A code is `ksc_<id>_<secret>`, an access token `kso_<id>_<secret>` and a refresh token `ksr_<id>_<family><secret>`, with the id of the
 * grant (`grt_<id>`) and secrets of 32 random bytes. Secrets of this length need no slow hash.
 */
import { createHash, randomBytes } from 'node:crypto'

const id = '([0-7][0-9a-hjkmnp-tv-z]{25})'
/** 32 bytes in base64url without padding. */
const secret = '([A-Za-z0-9_-]{43})'
const patterns = {
  code: new RegExp(`^ksc_${id}_${secret}$`),
  access: new RegExp(`^kso_${id}_${secret}$`),
  refresh: new RegExp(`^ksr_${id}_${secret}${secret}$`),
}
const prefixes = { code: 'ksc', access: 'kso', refresh: 'ksr' } as const

export type TokenKind = keyof typeof patterns

export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

export function formatToken(kind: TokenKind, grantId: string, ...secrets: readonly string[]): string {
  return `${prefixes[kind]}_${grantId.replace(/^grt_/, '')}_${secrets.join('')}`
}

interface ParsedToken {
  readonly grantId: string
  readonly secret: string
  /** The second secret of a refresh token. Empty otherwise. */
  readonly rotating: string
}

/** Null for anything that `formatToken` cannot have produced. */
export function parseToken(kind: TokenKind, presented: string): ParsedToken | null {
  const [, grant, first, second = ''] = patterns[kind].exec(presented) ?? []
  return grant === undefined || first === undefined
    ? null
    : { grantId: `grt_${grant}`, secret: first, rotating: second }
}

/** Whether a caller presents an access token, valid or not, instead of an API key. */
export function looksLikeAccessToken(presented: string): boolean {
  return presented.startsWith(`${prefixes.access}_`)
}

/** The id of the grant that a caller claims to have, for the audit log. */
export function claimedGrantId(presented: string): string | null {
  const grant = /^ks[cor]_([0-7][0-9a-hjkmnp-tv-z]{25})_/.exec(presented)?.[1]
  return grant === undefined ? null : `grt_${grant}`
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('base64url')
}
