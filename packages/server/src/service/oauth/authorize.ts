/** The first half of the flow: a client asks, the owner decides, and the client gets a code. */
import type { Actor } from '../../core/actor.js'
import { invalid } from '../../core/errors.js'
import type { Deps } from '../deps.js'
import { mayRedirectTo, type OAuthClient } from './clients.js'
import type { OAuth } from './oauth.js'
import { withParameters } from './redirect-uri.js'
import { formatToken, hashOf, newSecret } from './token-format.js'

const codeMs = 60_000
const mostGrants = 100
const longestState = 2_000

export interface AuthorizationRequest {
  readonly client: OAuthClient
  readonly redirectUri: string
  readonly state: string | undefined
  readonly challenge: string
}

/** `untrusted`: nobody is sent to the given address. `refused`: the client may learn why. */
export type ReadAuthorization =
  | { readonly kind: 'valid'; readonly request: AuthorizationRequest }
  | { readonly kind: 'untrusted'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string; readonly backTo: string; readonly client: OAuthClient }

/** The fields of an authorization request. A name that was given twice is absent here and in `repeated`. */
export interface Parameters {
  get(name: string): string | undefined
  readonly repeated: readonly string[]
}

export async function readAuthorization(oauth: OAuth, given: Parameters): Promise<ReadAuthorization> {
  const clientId = given.get('client_id') ?? ''
  const redirectUri = given.get('redirect_uri') ?? ''
  const client = await oauth.clients.find(clientId)
  if (client === null)
    return { kind: 'untrusted', message: 'The client_id is unknown, or its document cannot be read.' }
  if (!mayRedirectTo(client, redirectUri)) {
    return { kind: 'untrusted', message: 'The redirect_uri is not one that the application has registered.' }
  }
  const state = given.get('state')
  const problem = problemOf(oauth, given)
  if (problem === undefined) {
    return { kind: 'valid', request: { client, redirectUri, state, challenge: given.get('code_challenge') ?? '' } }
  }
  const [error, message] = problem
  const backTo = answerUri(oauth, { redirectUri, state: isUsable(state) ? state : undefined }, { error })
  return { kind: 'refused', message, backTo, client }
}

function problemOf(oauth: OAuth, given: Parameters): readonly [error: string, message: string] | undefined {
  const [repeated] = given.repeated
  if (repeated !== undefined) return ['invalid_request', 'A parameter is given twice.']
  if (!isUsable(given.get('state'))) return ['invalid_request', 'The state is too long.']
  if (given.get('response_type') !== 'code') return ['unsupported_response_type', 'The response_type must be code.']
  const isChallenge = /^[A-Za-z0-9_-]{43}$/.test(given.get('code_challenge') ?? '')
  if (!isChallenge || given.get('code_challenge_method') !== 'S256') {
    return ['invalid_request', 'A code_challenge with the code_challenge_method S256 is required.']
  }
  if ((given.get('resource') ?? oauth.resource) !== oauth.resource) {
    return ['invalid_target', `The resource must be ${oauth.resource}.`]
  }
  return undefined
}

function isUsable(state: string | undefined): boolean {
  return state === undefined || state.length <= longestState
}

/** Who approves: the API key's user, or a user whom the holder of the master key names. */
export interface Owner {
  readonly userId: string
  readonly keyId: string | null
}

/** Returns the address with the code, to which the owner's browser goes. */
export async function approve(
  deps: Deps,
  oauth: OAuth,
  actor: Pick<Actor, 'ip' | 'requestId'>,
  request: AuthorizationRequest,
  { userId, keyId }: Owner,
): Promise<string> {
  const id = deps.ids.next('grt')
  const secret = newSecret()
  const createdAt = deps.clock.now()
  const grant = {
    id,
    userId,
    clientId: request.client.id,
    clientName: request.client.name,
    audience: oauth.resource,
    approvedBy: keyId,
    createdAt,
    expiresAt: createdAt + codeMs,
    codeHash: hashOf(secret),
    challenge: request.challenge,
    redirectUri: request.redirectUri,
  }
  if (!(await deps.storage.createGrant(grant, mostGrants))) {
    throw invalid('', `This user has ${mostGrants} active grants; revoke one first`)
  }
  deps.audit.record(actor, { event: 'grant.approved', grant_id: id, user_id: userId, key_id: keyId }, 'success')
  return answerUri(oauth, request, { code: formatToken('code', id, secret) })
}

export function deny(oauth: OAuth, request: AuthorizationRequest): string {
  return answerUri(oauth, request, { error: 'access_denied' })
}

/** With the issuer (RFC 9207), so that a client of several servers notices a code that came from another one. */
function answerUri(
  { issuer }: OAuth,
  { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  answer: Readonly<Record<string, string>>,
): string {
  return withParameters(redirectUri, { ...answer, state, iss: issuer })
}
