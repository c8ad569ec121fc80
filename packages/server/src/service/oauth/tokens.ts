/** The second half of the flow: codes and refresh tokens become tokens, and tokens are given back. */
import { createHmac } from 'node:crypto'
import type { Actor } from '../../core/actor.js'
import { msPerDay } from '../../core/clock.js'
import { isSame } from '../../storage/domain/grant-rule.js'
import type { GrantOutcome, IssuedTokens } from '../../storage/ports/grant-store.js'
import type { Deps } from '../deps.js'
import type { OAuth } from './oauth.js'
import { claimedGrantId, formatToken, hashOf, newSecret, parseToken } from './token-format.js'

const accessSeconds = 15 * 60
/** A client that did not refresh for this long has to be approved again. */
const idleMs = 30 * msPerDay

/** An error of RFC 6749, 5.2. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
  constructor(
    readonly reason: 'invalid_grant' | 'invalid_target' | 'invalid_request' | 'unsupported_grant_type',
    message: string,
  ) {
    super(message)
  }
}

export interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
  readonly expiresInSeconds: number
}

type Asker = Pick<Actor, 'ip' | 'requestId'>

export interface CodeRequest {
  readonly code: string
  readonly verifier: string
  readonly clientId: string
  readonly redirectUri: string
  readonly resource: string | undefined
}

export async function redeem(deps: Deps, oauth: OAuth, asker: Asker, asked: CodeRequest): Promise<Tokens> {
  requireResource(oauth, asked.resource)
  const code = parseToken('code', asked.code)
  const isVerifier = /^[A-Za-z0-9._~-]{43,128}$/.test(asked.verifier)
  if (code === null || !isVerifier) throw refusal(deps, asker, asked.code)
  const { clientId, redirectUri } = asked
  const now = deps.clock.now()
  const [tokens, hashes] = newTokens(code.grantId, newSecret(), now, {
    salt: newSecret(),
    replaced: newSecret(),
  })
  const presented = { codeHash: hashOf(code.secret), challenge: hashOf(asked.verifier), clientId, redirectUri }
  const outcome = await deps.storage.redeemCode(code.grantId, { ...presented, audience: oauth.resource, now }, hashes)
  requireIssued(deps, asker, code.grantId, outcome)
  deps.audit.record(
    asker,
    { event: 'grant.redeemed', grant_id: code.grantId, user_id: outcome.userId, key_id: null },
    'success',
  )
  return tokens
}

export interface RefreshRequest {
  readonly refreshToken: string
  readonly clientId: string
  readonly resource: string | undefined
}

/** A refresh that a client repeats within moments returns the same tokens. */
export async function refresh(deps: Deps, oauth: OAuth, asker: Asker, asked: RefreshRequest): Promise<Tokens> {
  requireResource(oauth, asked.resource)
  const token = parseToken('refresh', asked.refreshToken)
  if (token === null) throw refusal(deps, asker, asked.refreshToken)
  const { grantId, secret: family, rotating } = token
  const now = deps.clock.now()
  const [tokens, hashes] = newTokens(grantId, family, now, { salt: newSecret(), replaced: rotating })
  const presented = {
    familyHash: hashOf(family),
    refreshHash: hashOf(rotating),
    clientId: asked.clientId,
    audience: oauth.resource,
    now,
  }
  const outcome = await deps.storage.rotateTokens(grantId, presented, hashes)
  if (outcome.kind === 'repeated') {
    const [again] = newTokens(grantId, family, now, { salt: outcome.salt, replaced: rotating })
    return { ...again, expiresInSeconds: Math.max(0, Math.floor((outcome.accessExpiresAt - now) / 1000)) }
  }
  requireIssued(deps, asker, grantId, outcome)
  return tokens
}

/** Ends the grant of an access or refresh token (RFC 7009). An unknown token is no error: it does not work anyway. */
export async function giveBack(deps: Deps, asker: Asker, token: string): Promise<void> {
  const [access, refreshed] = [parseToken('access', token), parseToken('refresh', token)]
  const { grantId, secret } = access ?? refreshed ?? {}
  const grant = grantId === undefined ? null : await deps.storage.findGrant(grantId)
  if (grant === null || secret === undefined) return
  const hash = hashOf(secret)
  const own = access === null ? [grant.familyHash] : [grant.accessHash, grant.formerAccessHash]
  if (!own.some((each) => each !== null && isSame(each, hash))) return
  const { id, userId } = grant
  const isRevoked = await deps.storage.revokeGrant({ kind: 'user', userId }, id, deps.clock.now())
  if (isRevoked) {
    deps.audit.record(asker, { event: 'grant.revoked', grant_id: id, user_id: userId, key_id: null }, 'success')
  }
}

function requireResource({ resource }: OAuth, given: string | undefined): void {
  if (given !== undefined && given !== resource) {
    throw new TokenRefused('invalid_target', `the resource must be ${resource}`)
  }
}

function requireIssued(
  deps: Deps,
  asker: Asker,
  grantId: string,
  outcome: GrantOutcome,
): asserts outcome is Extract<GrantOutcome, { readonly kind: 'issued' }> {
  if (outcome.kind === 'issued') return
  if (outcome.kind !== 'replayed') throw refusal(deps, asker, formatToken('code', grantId, ''))
  deps.audit.record(
    asker,
    { event: 'grant.replayed', grant_id: grantId, user_id: outcome.userId, key_id: null },
    'rejected',
  )
  throw notValid()
}

function refusal(deps: Deps, asker: Asker, presented: string): TokenRefused {
  deps.audit.record(asker, { event: 'auth.failed', key_id: claimedGrantId(presented) }, 'failed')
  return notValid()
}

/** One message for every reason: it must not help to guess. */
function notValid(): TokenRefused {
  return new TokenRefused('invalid_grant', 'the code or refresh token is not valid; the owner has to connect again')
}

interface Seed {
  readonly salt: string
  /** The replaced part of the refresh token, without which the stored salt is worthless. For the first tokens, a random text that is not kept. */
  readonly replaced: string
}

function newTokens(grantId: string, family: string, now: number, seed: Seed): [Tokens, IssuedTokens] {
  const [access, rotating] = [derived(seed, 'access'), derived(seed, 'refresh')]
  const tokens = {
    accessToken: formatToken('access', grantId, access),
    refreshToken: formatToken('refresh', grantId, family, rotating),
    expiresInSeconds: accessSeconds,
  }
  const hashes = {
    familyHash: hashOf(family),
    refreshHash: hashOf(rotating),
    accessHash: hashOf(access),
    accessExpiresAt: now + accessSeconds * 1000,
    expiresAt: now + idleMs,
    salt: seed.salt,
  }
  return [tokens, hashes]
}

function derived({ salt, replaced }: Seed, use: 'access' | 'refresh'): string {
  return createHmac('sha256', salt).update(`${use} ${replaced}`).digest('base64url')
}
