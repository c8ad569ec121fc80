/** Decides whether a code or a refresh token yields tokens. */
import { timingSafeEqual } from 'node:crypto'
import type { PresentedCode, PresentedRefresh } from '../ports/grant-store.js'

export type GrantDecision = 'issue' | 'repeat' | 'refuse' | 'end'

/** Clients send a refresh twice: from two threads at once, or again if the response was lost. */
const repeatMs = 30_000

export interface GrantState {
  readonly clientId: string
  readonly audience: string
  readonly expiresAt: number
  /** Of the grant, or of the key that approved it. */
  readonly revokedAt: number | null
  readonly codeHash: string
  readonly challenge: string
  readonly redirectUri: string
  /** Null: the code is not redeemed yet. */
  readonly familyHash: string | null
  readonly refreshHash: string | null
  readonly formerRefreshHash: string | null
  readonly refreshedAt: number
}

/** A second use of a code means that someone else has it too, so the tokens of the first use are worth nothing. */
export function decideOnCode(grant: GrantState, code: PresentedCode): GrantDecision {
  if (grant.revokedAt !== null || !isSame(grant.codeHash, code.codeHash)) return 'refuse'
  if (grant.familyHash !== null) return 'end'
  const isRight =
    code.now < grant.expiresAt &&
    isSame(grant.challenge, code.challenge) &&
    grant.clientId === code.clientId &&
    grant.redirectUri === code.redirectUri &&
    grant.audience === code.audience
  return isRight ? 'issue' : 'refuse'
}

/** Whoever knows the family had a refresh token of this grant. If it is not the latest one, two parties have used the grant. */
export function decideOnRefresh(grant: GrantState, refresh: PresentedRefresh): GrantDecision {
  if (grant.revokedAt !== null || grant.familyHash === null || grant.refreshHash === null) return 'refuse'
  if (!isSame(grant.familyHash, refresh.familyHash)) return 'refuse'
  const isLatest = isSame(grant.refreshHash, refresh.refreshHash)
  const isFormer = grant.formerRefreshHash !== null && isSame(grant.formerRefreshHash, refresh.refreshHash)
  const isRepeated = isFormer && refresh.now < grant.refreshedAt + repeatMs
  if (!isLatest && !isRepeated) return 'end'
  const isRight =
    refresh.now < grant.expiresAt && grant.clientId === refresh.clientId && grant.audience === refresh.audience
  if (!isRight) return 'refuse'
  return isLatest ? 'issue' : 'repeat'
}

/** For hashes: their length is not secret. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
