/**
 * The routes of OAuth 2.1. They are not in the table of endpoints: other standards define their requests and responses, and they are
 * served only if the operator has set the public address.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ClientRefused, registeredClient } from '../../service/oauth/clients.js'
import type { OAuth } from '../../service/oauth/oauth.js'
import { giveBack, redeem, refresh, TokenRefused, type Tokens } from '../../service/oauth/tokens.js'
import type { Authenticator } from '../access/authenticate.js'
import { type Endpoint, endpoint } from '../endpoint.js'
import { clientAddress } from '../limits/client-address.js'
import type { WorkInFlight } from '../limits/work-in-flight.js'
import type { HttpOptions } from '../options.js'
import { asServiceError } from '../response/error-response.js'
import { sendPage, showConsent, takeDecision } from './consent.js'
import { acceptForms, formOf, mostFormBytes } from './form.js'
import { authorizationServer, paths, protectedResource, protectedResourcePath, scope } from './metadata.js'
import { problemPage } from './pages.js'

/** Tells the hooks what they need to know. It is never described or called as an endpoint. */
const door = (path: string): Endpoint =>
  endpoint({
    method: 'POST',
    path,
    base: 'root',
    operationId: 'oauth',
    summary: 'OAuth 2.1',
    tag: 'Operations',
    access: 'open',
    limit: 'default',
    answer: z.unknown(),
    handle: () => undefined,
  })

type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

export function registerOAuth(
  root: FastifyInstance,
  options: HttpOptions,
  oauth: OAuth,
  authenticator: Authenticator,
  inFlight: WorkInFlight,
): void {
  const parts = { options, oauth, authenticator }
  root.register(async (app) => {
    acceptForms(app)
    const serve = (method: 'GET' | 'POST', url: string, handle: Handle, fail: typeof sendOAuthError) =>
      app.route({
        method,
        url,
        bodyLimit: mostFormBytes,
        config: { endpoint: door(url) },
        handler: (request, reply) => inFlight.run(() => handle(request, reply)),
        errorHandler: (error, request, reply) => fail(options, error, request, reply),
      })
    for (const url of [protectedResourcePath, '/.well-known/oauth-protected-resource'])
      serve('GET', url, async () => protectedResource(oauth), sendOAuthError)
    const metadata = '/.well-known/oauth-authorization-server'
    serve('GET', metadata, async () => authorizationServer(oauth), sendOAuthError)
    serve('GET', paths.authorize, (request, reply) => showConsent(parts, request, reply), sendErrorPage)
    serve('POST', paths.authorize, (request, reply) => takeDecision(parts, request, reply), sendErrorPage)
    serve('POST', paths.token, (request) => answerTokens(options, oauth, request), sendOAuthError)
    serve('POST', paths.register, async (request, reply) => register(options, request, reply), sendOAuthError)
    serve('POST', paths.revoke, (request) => revoke(options, request), sendOAuthError)
  })
}

async function answerTokens({ deps }: HttpOptions, oauth: OAuth, request: FastifyRequest) {
  const form = formOf(request.body)
  const [repeated] = form.repeated
  if (repeated !== undefined) throw new TokenRefused('invalid_request', 'a parameter is given twice')
  const required = (name: string) => {
    const value = form.get(name)
    if (value === undefined) throw new TokenRefused('invalid_request', `${name} is required`)
    return value
  }
  const asker = askerOf(request)
  const resource = form.get('resource')
  switch (required('grant_type')) {
    case 'authorization_code': {
      const [code, verifier] = [required('code'), required('code_verifier')]
      const [clientId, redirectUri] = [required('client_id'), required('redirect_uri')]
      return tokensView(await redeem(deps, oauth, asker, { code, verifier, clientId, redirectUri, resource }))
    }
    case 'refresh_token': {
      const [refreshToken, clientId] = [required('refresh_token'), required('client_id')]
      return tokensView(await refresh(deps, oauth, asker, { refreshToken, clientId, resource }))
    }
    default:
      throw new TokenRefused('unsupported_grant_type', 'use authorization_code or refresh_token')
  }
}

function tokensView({ accessToken, refreshToken, expiresInSeconds }: Tokens) {
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: expiresInSeconds,
    refresh_token: refreshToken,
    scope,
  }
}

/** RFC 7591. Fields that we do not support are ignored, as it requires. */
function register({ deps }: HttpOptions, { body }: FastifyRequest, reply: FastifyReply) {
  const { id, name, redirectUris } = registeredClient(body)
  reply.code(201)
  return {
    client_id: id,
    client_id_issued_at: Math.floor(deps.clock.now() / 1000),
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope,
  }
}

async function revoke({ deps }: HttpOptions, request: FastifyRequest) {
  const token = formOf(request.body).get('token')
  if (token === undefined) throw new TokenRefused('invalid_request', 'token is required')
  await giveBack(deps, askerOf(request), token)
  return {}
}

function askerOf(request: FastifyRequest) {
  return { ip: clientAddress(request), requestId: request.id }
}

/** RFC 6749, 5.2. */
function sendOAuthError(options: HttpOptions, error: unknown, request: FastifyRequest, reply: FastifyReply) {
  if (error instanceof TokenRefused || error instanceof ClientRefused) {
    if (error.reason === 'invalid_grant') options.metrics.authFailure()
    return reply.code(400).send({ error: error.reason, error_description: error.message })
  }
  const failure = asServiceError(error, request, options.logger)
  const { status, message } = prepared(failure, reply)
  const code =
    status >= 500 && status !== 503 ? 'server_error' : status < 429 ? 'invalid_request' : 'temporarily_unavailable'
  return reply.code(status).send({ error: code, error_description: message })
}

function sendErrorPage(options: HttpOptions, error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const { status, message } = prepared(asServiceError(error, request, options.logger), reply)
  return sendPage(reply, status, problemPage(`${message}.`))
}

function prepared(failure: ReturnType<typeof asServiceError>, reply: FastifyReply) {
  const wait = failure.retryAfterSeconds ?? (failure.status === 503 ? 1 : undefined)
  if (wait !== undefined) reply.header('retry-after', wait)
  // Do not wait for the rest of a body that is not read.
  if (failure.status === 413) reply.header('connection', 'close')
  return failure
}
