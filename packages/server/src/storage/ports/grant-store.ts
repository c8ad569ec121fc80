/**
 * OAuth grants: a client may act for one user until the grant ends. Each grant has at most one code, one refresh token and two access
 * tokens (the current one, and the one before it until it expires). Only hashes are stored.
 */
import type { Scope } from '../../core/scope.js'

export interface GrantStore {
  /**
   * A grant without tokens: its code is not redeemed yet. A user who has `most` grants loses those that have ended. False: none has.
   */
  createGrant(grant: NewGrant, most: number): Promise<boolean>
  /** Redeems the code for the first tokens. A code that was redeemed before ends the grant. */
  redeemCode(grantId: string, code: PresentedCode, tokens: IssuedTokens): Promise<GrantOutcome>
  /**
   * Replaces the refresh token and the access token. The refresh token before the latest one is accepted for a moment, without effect;
   * any other that was replaced ends the grant.
   */
  rotateTokens(grantId: string, refresh: PresentedRefresh, tokens: IssuedTokens): Promise<GrantOutcome>
  /** Includes the hashes, for authentication only. A grant has ended if the key that approved it was revoked. */
  findGrant(grantId: string): Promise<StoredGrant | null>
  /** Redeemed grants, newest first. */
  listGrants(scope: Scope): Promise<Grant[]>
  /** False if the scope has no such active grant. */
  revokeGrant(scope: Scope, grantId: string, at: number): Promise<boolean>
  touchGrants(uses: readonly GrantUse[]): Promise<void>
  /** Removes grants that ended, or were never redeemed, before this time. Returns their number. */
  dropGrants(before: number): Promise<number>
}

export interface GrantUse {
  readonly id: string
  readonly at: number
}

export interface Grant {
  readonly id: string
  readonly userId: string
  readonly clientId: string
  readonly clientName: string
  /** The resource that the tokens are for. */
  readonly audience: string
  /** The API key with which the owner approved it. Null: the master key. */
  readonly approvedBy: string | null
  readonly createdAt: number
  readonly lastUsedAt: number | null
  /** When it ends unless the client refreshes its tokens. */
  readonly expiresAt: number
  readonly revokedAt: number | null
}

export interface NewGrant extends Omit<Grant, 'lastUsedAt' | 'revokedAt'> {
  readonly codeHash: string
  /** The PKCE challenge (S256). */
  readonly challenge: string
  readonly redirectUri: string
}

export interface StoredGrant extends Grant {
  readonly accessHash: string | null
  readonly accessExpiresAt: number
  readonly formerAccessHash: string | null
  readonly formerAccessExpiresAt: number
  /** The part that all refresh tokens of the grant have in common. */
  readonly familyHash: string | null
}

export interface PresentedCode {
  readonly codeHash: string
  /** The S256 challenge of the presented verifier. */
  readonly challenge: string
  readonly clientId: string
  readonly redirectUri: string
  readonly audience: string
  readonly now: number
}

export interface PresentedRefresh {
  readonly familyHash: string
  readonly refreshHash: string
  readonly clientId: string
  readonly audience: string
  readonly now: number
}

export interface IssuedTokens {
  /** Ignored by `rotateTokens`: a family keeps its hash. */
  readonly familyHash: string
  readonly refreshHash: string
  readonly accessHash: string
  readonly accessExpiresAt: number
  /** With it and the replaced refresh token, but not without that, the tokens can be computed again. */
  readonly salt: string
  /** When the grant ends unless it is refreshed. */
  readonly expiresAt: number
}

/** `replayed`: the code or refresh token was used before, and the grant has ended. */
export type GrantOutcome =
  | { readonly kind: 'issued'; readonly userId: string }
  /** The refresh token has just been replaced, by the tokens that belong to this salt. */
  | { readonly kind: 'repeated'; readonly salt: string; readonly accessExpiresAt: number }
  | { readonly kind: 'refused' }
  | { readonly kind: 'replayed'; readonly userId: string }
