/**
 * Checks the `Authorization` header before the body is read. Each failure costs a bcrypt run and an audit line, so failures are
 * counted by address, and they are answered late (`failure-hold.ts`).
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/errors.js'
import { NoTurn } from '../../service/keys/fair-queue.js'
import { claimedKeyId } from '../../service/keys/key-format.js'
import type { OAuth } from '../../service/oauth/oauth.js'
import { claimedGrantId, looksLikeAccessToken } from '../../service/oauth/token-format.js'
import type { Access, Endpoint } from '../endpoint.js'
import { clientAddress } from '../limits/client-address.js'
import { clientNetwork } from '../limits/client-network.js'
import { type FailureHold, type FailureKind, failureHold } from '../limits/failure-hold.js'
import { enforce, showLimit } from '../limits/limits.js'
import { protectedResourcePath } from '../oauth/metadata.js'
import type { HttpOptions } from '../options.js'
import { challenge } from '../response/response-headers.js'
import type { Caller } from './caller-scope.js'
import { ProvenKeys } from './proven-keys.js'

type Presented =
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'token'; readonly token: string }

/** One request and the response it gets. */
interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly acceptsTokens?: boolean | undefined
}

export class Authenticator {
  readonly #options: HttpOptions
  readonly #digestKey = randomBytes(32)
  readonly #masterDigest: Buffer | undefined
  readonly #proven = new ProvenKeys()
  readonly #holdsFailures: boolean
  readonly #hold: FailureHold

  constructor(options: HttpOptions) {
    const { masterKey } = options.settings
    this.#options = options
    this.#masterDigest = masterKey === undefined ? undefined : this.#digestOf(masterKey)
    this.#holdsFailures = options.holdFailures ?? true
    this.#hold = failureHold(this.#holdsFailures ? {} : { withKeyMs: 0, repeatedMs: 0 })
  }

  /** @throws ServiceError when the key is missing, wrong, or of the wrong kind. */
  async authenticate(
    { access, acceptsTokens, tokenScheme }: Pick<Endpoint, 'access' | 'acceptsTokens' | 'tokenScheme'>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Caller> {
    if (access === 'open') return { kind: 'nobody' }
    if (!this.#options.settings.authEnabled && access !== 'master') return { kind: 'anyone' }
    const presented = keyIn(request, tokenScheme ? tokenOrBearer : bearer)
    if (access === 'probe' && presented.kind === 'none') return { kind: 'nobody' }
    const caller = await this.#requireSlowly(access, presented, { request, reply, acceptsTokens })
    // It reaches memories of users and nothing about the service.
    return access === 'probe' && caller.kind === 'application' ? { kind: 'nobody' } : caller
  }

  /** For a page on which the owner enters the master key or an API key. */
  identify(key: string, exchange: Exchange): Promise<Caller> {
    return this.#requireSlowly('cleanup', key === '' ? { kind: 'none' } : { kind: 'token', token: key }, exchange)
  }

  async #requireSlowly(access: Access, presented: Presented, exchange: Exchange): Promise<Caller> {
    const { request } = exchange
    const startedAt = performance.now()
    try {
      return await this.#requireKey(access, presented, exchange)
    } catch (error) {
      const failure = failureOf(error, presented.kind === 'token')
      if (failure === undefined) throw error
      // A full queue says nothing about who sent the key.
      if (failure !== 'overloaded') this.#hold.count(clientAddress(request))
      await this.#hold.release(clientAddress(request), startedAt, failure)
      throw error
    }
  }

  async #requireKey(access: Access, presented: Presented, exchange: Exchange): Promise<Caller> {
    const needsMaster = access === 'master' || access === 'metrics'
    if (needsMaster && this.#masterDigest === undefined) {
      throw await this.#refusal(
        exchange,
        null,
        'This needs the master key, but none is set: start the service with SERVICE_MASTER_KEY',
      )
    }
    if (presented.kind !== 'token') {
      const key = needsMaster ? 'the master key' : 'an API key'
      throw await this.#refusal(exchange, null, `Send ${key} in the header "Authorization: Bearer <key>"`)
    }
    const { token } = presented
    const digest = this.#digestOf(token)
    if (this.#isMaster(digest)) {
      if (access !== 'user') return { kind: 'master' }
      throw await this.#refusal(exchange, null, 'The master key does not work here; use an API key')
    }
    if (needsMaster) throw await this.#refusal(exchange, claimedKeyId(token), 'This needs the master key')
    if (exchange.acceptsTokens && this.#options.deps.oauth !== undefined && looksLikeAccessToken(token)) {
      return this.#verifyAccessToken(this.#options.deps.oauth, token, exchange)
    }
    return this.#verifyApiKey(token, digest.toString('base64'), exchange)
  }

  async #verifyApiKey(token: string, digest: string, exchange: Exchange): Promise<Caller> {
    const ip = clientAddress(exchange.request)
    if (!this.#proven.has(digest)) {
      // A key that worked before passes, so an attacker behind the same address cannot lock its owner out.
      const state = await this.#options.limiter.peek('auth_failed', ip)
      if (!state.allowed) showLimit(exchange.reply, state)
      enforce(this.#options, 'auth_failed', state)
    }
    const origin = { source: clientNetwork(ip), isSuspect: this.#holdsFailures && this.#hold.isSuspect(ip) }
    const verified = await this.#options.deps.keyVerifier.verify(token, origin)
    if (verified.kind !== 'user' && verified.kind !== 'application') {
      this.#proven.delete(digest)
      const problem = verified.kind === 'expired' ? 'has expired: ask for a new one' : 'is not valid'
      throw await this.#refusal(exchange, verified.keyId, `The API key ${problem}`)
    }
    this.#proven.add(digest)
    return verified
  }

  async #verifyAccessToken(oauth: OAuth, token: string, exchange: Exchange): Promise<Caller> {
    const verified = await oauth.verify(token)
    if (verified === null) throw await this.#refusal(exchange, claimedGrantId(token), 'The access token is not valid')
    // Only an unlimited key can approve a grant.
    return { kind: 'user', keyId: verified.grantId, userId: verified.userId, access: 'full', project: null }
  }

  /** Counts, limits and audits a failure. The returned error is for the caller to throw. */
  async #refusal(
    { request, reply, acceptsTokens }: Exchange,
    keyId: string | null,
    message: string,
  ): Promise<ServiceError> {
    const { metrics, limiter, deps } = this.#options
    const ip = clientAddress(request)
    metrics.authFailure()
    const state = await limiter.take('auth_failed', ip)
    showLimit(reply, state)
    // Past the limit, a flood of guesses must not become a flood of audit lines.
    enforce(this.#options, 'auth_failed', state)
    deps.audit.record({ ip, requestId: request.id }, { event: 'auth.failed', key_id: keyId }, 'failed')
    reply.header('www-authenticate', acceptsTokens ? this.#challengeWithMetadata(request) : challenge)
    return new ServiceError('authentication_error', message)
  }

  /** Tells an MCP client where to start the OAuth flow (RFC 9728, 5.1). */
  #challengeWithMetadata({ headers }: FastifyRequest): string {
    const { oauth } = this.#options.deps
    if (oauth === undefined) return challenge
    const error = headers.authorization ? ', error="invalid_token"' : ''
    return `${challenge}${error}, resource_metadata="${oauth.issuer}${protectedResourcePath}"`
  }

  #digestOf(text: string): Buffer {
    return createHmac('sha256', this.#digestKey).update(text, 'utf8').digest()
  }

  /** All digests have the same length, so the comparison takes the same time for every guess and never throws. */
  #isMaster(digest: Buffer): boolean {
    return this.#masterDigest !== undefined && timingSafeEqual(this.#masterDigest, digest)
  }
}

/** Undefined: something other than the key failed, such as the store, and the response is not delayed. */
function failureOf(error: unknown, hadKey: boolean): FailureKind | undefined {
  if (error instanceof NoTurn) return 'overloaded'
  const isRefusal = error instanceof ServiceError && error.code !== 'unavailable'
  return isRefusal ? (hadKey ? 'bad key' : 'no key') : undefined
}

const bearer = /^Bearer +(\S.*)$/is
const tokenOrBearer = /^(?:Bearer|Token) +(\S.*)$/is

function keyIn(request: FastifyRequest, scheme: RegExp): Presented {
  const header = request.headers.authorization
  if (header === undefined || header === '') return { kind: 'none' }
  // Any text counts as a token, even one that cannot be a key, so refusing it takes as long as refusing a wrong key.
  const token = scheme.exec(header)?.[1]
  return token === undefined ? { kind: 'malformed' } : { kind: 'token', token }
}
