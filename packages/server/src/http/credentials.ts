/**
 * Checks the `Authorization` header before the body is read. Failures are counted by address, because they
 * cost a bcrypt each and a line in the audit log, and are answered late (`failure-hold.ts`).
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../core/errors.js'
import { NoTurn } from '../service/keys/fair-queue.js'
import { claimedKeyId } from '../service/keys/key-format.js'
import type { Caller } from './authenticate.js'
import type { Access } from './endpoint.js'
import { clientAddress } from './limits/client-address.js'
import { clientNetwork } from './limits/client-network.js'
import { type FailureKind, failureHold } from './limits/failure-hold.js'
import { enforce, showLimit } from './limits/limits.js'
import type { HttpOptions } from './options.js'

export type Authenticate = (access: Access, request: FastifyRequest, reply: FastifyReply) => Promise<Caller>

type Presented =
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'token'; readonly token: string }

export const challenge = 'Bearer realm="keepsake"'

export function authenticator(options: HttpOptions): Authenticate {
  const { settings, deps, metrics, limiter } = options
  const digestKey = randomBytes(32)
  const digestOf = (text: string) => createHmac('sha256', digestKey).update(text, 'utf8').digest()
  // Digests have one length, so the comparison takes the same time for every guess and never throws.
  const masterDigest = settings.masterKey === undefined ? undefined : digestOf(settings.masterKey)
  const isMaster = (digest: Buffer) => masterDigest !== undefined && timingSafeEqual(masterDigest, digest)
  const proven = provenKeys()
  const holds = options.holdFailures ?? true
  const hold = failureHold(holds ? {} : { withKeyMs: 0, repeatedMs: 0 })
  const originOf = (ip: string) => ({ source: clientNetwork(ip), isSuspect: holds && hold.isSuspect(ip) })

  async function fail(request: FastifyRequest, reply: FastifyReply, keyId: string | null, message: string) {
    metrics.authFailure()
    const state = await limiter.take('auth_failed', clientAddress(request))
    showLimit(reply, state)
    // Past the limit a flood of guesses must not become a flood of audit lines.
    enforce(options, 'auth_failed', state)
    deps.audit.record(
      { ip: clientAddress(request), requestId: request.id },
      { event: 'auth.failed', key_id: keyId },
      'failed',
    )
    reply.header('www-authenticate', challenge)
    return new ServiceError('authentication_error', message)
  }

  async function user(request: FastifyRequest, reply: FastifyReply, token: string, digest: string): Promise<Caller> {
    if (!proven.has(digest)) {
      // A key that worked before passes: an attacker behind the same address can't lock its owner out.
      const state = await limiter.peek('auth_failed', clientAddress(request))
      if (!state.allowed) showLimit(reply, state)
      enforce(options, 'auth_failed', state)
    }
    const verified = await deps.keyVerifier.verify(token, originOf(clientAddress(request)))
    if (verified.kind === 'failed') {
      proven.delete(digest)
      throw await fail(request, reply, verified.keyId, 'The API key is not valid')
    }
    proven.add(digest)
    return verified
  }

  async function required(access: Access, request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    const needsMaster = access === 'master' || access === 'metrics'
    if (needsMaster && masterDigest === undefined) {
      throw await fail(
        request,
        reply,
        null,
        'This needs the master key, and none is set: start with SERVICE_MASTER_KEY',
      )
    }
    const presented = bearerOf(request)
    if (presented.kind !== 'token') {
      const what = needsMaster ? 'the master key' : 'an API key'
      throw await fail(request, reply, null, `Send ${what} in the header "Authorization: Bearer <key>"`)
    }
    const { token } = presented
    const digest = digestOf(token)
    if (isMaster(digest)) {
      if (access !== 'user') return { kind: 'master' }
      throw await fail(request, reply, null, 'The master key does not work here; use an API key')
    }
    if (needsMaster) throw await fail(request, reply, claimedKeyId(token), 'This needs the master key')
    return user(request, reply, token, digest.toString('base64'))
  }

  return async (access, request, reply) => {
    if (access === 'open') return { kind: 'nobody' }
    if (!settings.authEnabled && access !== 'master') return { kind: 'anyone' }
    const { kind } = bearerOf(request)
    if (access === 'probe' && kind === 'none') return { kind: 'nobody' }
    const startedAt = performance.now()
    try {
      return await required(access, request, reply)
    } catch (error) {
      const failure = failureOf(error, kind === 'token')
      if (failure === undefined) throw error
      // That there was no turn for a key says nothing about who showed it.
      if (failure !== 'overloaded') hold.count(clientAddress(request))
      await hold.release(clientAddress(request), startedAt, failure)
      throw error
    }
  }
}

/** Undefined: something else went wrong, such as the store, and the caller should hear of it at once. */
function failureOf(error: unknown, hadKey: boolean): FailureKind | undefined {
  if (error instanceof NoTurn) return 'overloaded'
  const isRefusal = error instanceof ServiceError && error.code !== 'unavailable'
  return isRefusal ? (hadKey ? 'bad key' : 'no key') : undefined
}

function bearerOf(request: FastifyRequest): Presented {
  const header = request.headers.authorization
  if (header === undefined || header === '') return { kind: 'none' }
  // Any text is a token, also one that no key could be: it is refused for the same price as a wrong key.
  const token = /^Bearer +(\S.*)$/is.exec(header)?.[1]
  return token === undefined ? { kind: 'malformed' } : { kind: 'token', token }
}

/** Digests of keys that were good lately; each is still verified on every request. */
function provenKeys() {
  const maxKeys = 10_000
  const digests = new Set<string>()
  return {
    has: (digest: string) => digests.has(digest),
    add(digest: string) {
      // Again to the end: what leaves first is what was used longest ago.
      digests.delete(digest)
      digests.add(digest)
      const [oldest] = digests
      if (digests.size > maxKeys && oldest !== undefined) digests.delete(oldest)
    },
    delete: (digest: string) => digests.delete(digest),
  }
}
