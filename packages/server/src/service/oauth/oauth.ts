/** The OAuth 2.1 authorization server for `/mcp`. See `docs/adr/0024-oauth-built-in.md`. */
import type { Clock } from '../../core/clock.js'
import type { Log } from '../../core/log.js'
import { isSame } from '../../storage/domain/grant-rule.js'
import type { GrantStore, StoredGrant } from '../../storage/ports/grant-store.js'
import { useRecorder } from '../keys/use-recorder.js'
import { type DocumentSettings, documentReader } from './client-document.js'
import { type ClientDirectory, clientDirectory } from './clients.js'
import { hashOf, parseToken } from './token-format.js'

export interface OAuth {
  /** The public address of this service, without a slash at its end. */
  readonly issuer: string
  /** The only audience of tokens. */
  readonly resource: string
  readonly clients: ClientDirectory
  /** Null: the access token is not valid. */
  verify(accessToken: string): Promise<{ readonly grantId: string; readonly userId: string } | null>
  /** Resolves when every use so far is in the store, so that a list of grants shows it. */
  settle(): Promise<void>
  close(): Promise<void>
}

export interface OAuthOptions extends DocumentSettings {
  readonly issuer: string
  readonly storage: Pick<GrantStore, 'findGrant' | 'touchGrants'>
  readonly clock: Clock
  readonly log: Log
}

export function openOAuth(options: OAuthOptions): OAuth {
  const { issuer, storage, clock, log, allowPrivate } = options
  const resource = `${issuer}/mcp`
  const uses = useRecorder({ write: (batch) => storage.touchGrants(batch), clock, log })
  return {
    issuer,
    resource,
    clients: clientDirectory({ readDocument: documentReader(options), clock, allowPrivate }),
    async verify(accessToken) {
      const parsed = parseToken('access', accessToken)
      // Read for each request, so a revocation takes effect at once on every instance.
      const grant = parsed === null ? null : await storage.findGrant(parsed.grantId)
      if (parsed === null || grant === null) return null
      const isValid = grant.revokedAt === null && grant.audience === resource
      if (!isValid || !hasAccess(grant, hashOf(parsed.secret), clock.now())) return null
      uses.record(grant)
      return { grantId: grant.id, userId: grant.userId }
    },
    settle: () => uses.flush(),
    close: () => uses.close(),
  }
}

/** The token before the latest one works until it expires: requests with it may be on their way. */
function hasAccess(grant: StoredGrant, hash: string, now: number): boolean {
  const { accessHash, accessExpiresAt, formerAccessHash, formerAccessExpiresAt } = grant
  return (
    (accessHash !== null && now < accessExpiresAt && isSame(accessHash, hash)) ||
    (formerAccessHash !== null && now < formerAccessExpiresAt && isSame(formerAccessHash, hash))
  )
}
