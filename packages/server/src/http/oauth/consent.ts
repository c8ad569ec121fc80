/**
 * `/oauth/authorize`: the page on which an owner approves or denies a client. There is no session: each approval needs a key, so a page
 * of another site could not approve anything even if the check of its origin failed.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/errors.js'
import {
  type AuthorizationRequest,
  approve,
  deny,
  type Owner,
  readAuthorization,
} from '../../service/oauth/authorize.js'
import type { OAuth } from '../../service/oauth/oauth.js'
import type { Authenticator } from '../access/authenticate.js'
import type { Caller } from '../access/caller-scope.js'
import { textFormats } from '../body/text-formats.js'
import { clientAddress } from '../limits/client-address.js'
import type { HttpOptions } from '../options.js'
import { formOf, queryOf } from './form.js'
import { consentPage, pageHeaders, problemPage, returnPage } from './pages.js'

export interface ConsentParts {
  readonly options: HttpOptions
  readonly oauth: OAuth
  readonly authenticator: Authenticator
}

export async function showConsent({ oauth }: ConsentParts, request: FastifyRequest, reply: FastifyReply) {
  const read = await readAuthorization(oauth, queryOf(request.url))
  if (read.kind === 'valid') return sendPage(reply, 200, consentPage(read.request, oauth.resource))
  return sendPage(reply, 400, problemPage(read.message, read.kind === 'refused' ? read.backTo : undefined))
}

export async function takeDecision(parts: ConsentParts, request: FastifyRequest, reply: FastifyReply) {
  const { options, oauth } = parts
  refuseForeignForm(oauth, request)
  const form = formOf(request.body)
  // Read again in full: the hidden fields may have been changed.
  const read = await readAuthorization(oauth, form)
  if (read.kind !== 'valid') {
    return sendPage(reply, 400, problemPage(read.message, read.kind === 'refused' ? read.backTo : undefined))
  }
  const asked = read.request
  if (form.get('decision') !== 'approve') return sendPage(reply, 200, returnPage('Not connected', deny(oauth, asked)))
  const owner = await ownerOf(parts, request, reply, { key: form.get('key') ?? '', user: form.get('user') }, asked)
  if (owner === undefined) return reply
  const asker = { ip: clientAddress(request), requestId: request.id }
  const backTo = await approve(options.deps, oauth, asker, asked, owner)
  return sendPage(reply, 200, returnPage('Connected', backTo))
}

/** Undefined: the page was sent again, with the reason. */
async function ownerOf(
  { options, oauth, authenticator }: ConsentParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { key, user }: { readonly key: string; readonly user: string | undefined },
  asked: AuthorizationRequest,
): Promise<Owner | undefined> {
  const askAgain = (status: number, problem: string) => {
    sendPage(reply, status, consentPage(asked, oauth.resource, problem))
    return undefined
  }
  try {
    const caller = await authenticator.identify(key.trim(), { request, reply })
    if (caller.kind === 'user') {
      if (await isLimited(options, caller))
        return askAgain(403, 'A limited key cannot approve a client that could do more. Use an unlimited key.')
      const isOwn = user === undefined || user === caller.userId
      if (isOwn) return { userId: caller.userId, keyId: caller.keyId }
      return askAgain(400, 'The API key belongs to another user. Leave the user empty.')
    }
    if (caller.kind === 'application')
      return askAgain(403, 'An application key cannot approve a client. Use an API key of the user.')
    if (caller.kind !== 'master') return askAgain(401, 'Enter an API key.')
    const problem = user === undefined ? 'is required' : userProblem(user)
    return problem === undefined && user !== undefined
      ? { userId: user, keyId: null }
      : askAgain(400, `With the master key, the user ${problem}.`)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds)
    return askAgain(error.status, key === '' ? 'Enter an API key.' : `${error.message}.`)
  }
}

/** A grant gives access to everything of its user, for as long as it is used. */
async function isLimited({ deps }: HttpOptions, caller: Extract<Caller, { kind: 'user' }>): Promise<boolean> {
  const key = await deps.storage.findKey(caller.keyId)
  return caller.access !== 'full' || caller.project !== null || key === null || key.expiresAt !== null
}

function userProblem(user: string): string | undefined {
  return user.length > 256 ? 'must have at most 256 characters' : textFormats.identifier(user)
}

/** Browsers send the origin with every form. */
function refuseForeignForm({ issuer }: OAuth, { headers }: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin === issuer && (site === undefined || site === 'same-origin')) return
  throw new ServiceError('validation_error', `Open this page at ${issuer} and try again`, undefined, 403)
}

export function sendPage(reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply.code(status).headers(pageHeaders).type('text/html; charset=utf-8').send(page)
}
