/** OAuth grants. Like keys, they are keyed by the external user id, because they are read before the user is known. */
import type { Scope } from '../../core/scope.js'
import { decideOnCode, decideOnRefresh, type GrantDecision, type GrantState } from '../domain/grant-rule.js'
import { isStorable, storable } from '../domain/storable-text.js'
import type {
  Grant,
  GrantOutcome,
  GrantUse,
  IssuedTokens,
  NewGrant,
  PresentedCode,
  PresentedRefresh,
  StoredGrant,
} from '../ports/grant-store.js'
import type { Session, Value } from './session.js'

/** The statement of a released migration: never change it. */
export function grantsTable(text: string, whole: string): string {
  return `
CREATE TABLE oauth_grants (
  id ${text} PRIMARY KEY,
  user_id ${text} NOT NULL,
  client_id ${text} NOT NULL,
  client_name ${text} NOT NULL,
  audience ${text} NOT NULL,
  approved_by ${text},
  created_at ${whole} NOT NULL,
  last_used_at ${whole},
  expires_at ${whole} NOT NULL,
  revoked_at ${whole},
  code_hash ${text} NOT NULL,
  challenge ${text} NOT NULL,
  redirect_uri ${text} NOT NULL,
  family_hash ${text},
  refresh_hash ${text},
  former_refresh_hash ${text},
  refreshed_at ${whole} NOT NULL DEFAULT 0,
  salt ${text},
  access_hash ${text},
  access_expires_at ${whole} NOT NULL DEFAULT 0,
  former_access_hash ${text},
  former_access_expires_at ${whole} NOT NULL DEFAULT 0
)`
}

interface GrantRow {
  readonly id: string
  readonly user_id: string
  readonly client_id: string
  readonly client_name: string
  readonly audience: string
  readonly approved_by: string | null
  readonly created_at: number
  readonly last_used_at: number | null
  readonly expires_at: number
  readonly ended_at: number | null
  readonly code_hash: string
  readonly challenge: string
  readonly redirect_uri: string
  readonly family_hash: string | null
  readonly refresh_hash: string | null
  readonly former_refresh_hash: string | null
  readonly refreshed_at: number
  readonly salt: string | null
  readonly access_hash: string | null
  readonly access_expires_at: number
  readonly former_access_hash: string | null
  readonly former_access_expires_at: number
}

/** A grant ends with the key that approved it: whoever stole a key may have used it to approve grants. */
const endedAt = 'coalesce(g.revoked_at, k.revoked_at)'
const grantsWithKeys = `SELECT g.*, ${endedAt} AS ended_at FROM oauth_grants g LEFT JOIN keys k ON k.id = g.approved_by`

export async function createGrant(session: Session, grant: NewGrant, most: number): Promise<boolean> {
  storable(grant.userId, 'user_id')
  if (!(await makeRoom(session, grant, most))) return false
  await session.run(
    `INSERT INTO oauth_grants (id, user_id, client_id, client_name, audience, approved_by, created_at, expires_at, code_hash,
       challenge, redirect_uri) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    grant.id,
    grant.userId,
    storable(grant.clientId, 'client_id'),
    storable(grant.clientName, 'client_name'),
    grant.audience,
    grant.approvedBy,
    grant.createdAt,
    grant.expiresAt,
    grant.codeHash,
    storable(grant.challenge, 'code_challenge'),
    storable(grant.redirectUri, 'redirect_uri'),
  )
  return true
}

/** Approvals at the same time may exceed the limit by a few, which does no harm: it only keeps lists short. */
async function makeRoom(session: Session, { userId, createdAt }: NewGrant, most: number): Promise<boolean> {
  const count = async () =>
    (await session.get<{ count: number }>('SELECT count(*) AS count FROM oauth_grants WHERE user_id = ?', userId))
      ?.count ?? 0
  if ((await count()) < most) return true
  await session.run(
    `DELETE FROM oauth_grants WHERE user_id = ? AND (revoked_at IS NOT NULL OR expires_at <= ?
       OR approved_by IN (SELECT id FROM keys WHERE revoked_at IS NOT NULL))`,
    userId,
    createdAt,
  )
  return (await count()) < most
}

export function redeemCode(session: Session, grantId: string, code: PresentedCode, tokens: IssuedTokens) {
  return issue(session, grantId, (grant) => decideOnCode(grant, code), { ...tokens, now: code.now })
}

export function rotateTokens(session: Session, grantId: string, refresh: PresentedRefresh, tokens: IssuedTokens) {
  const { familyHash, now } = refresh
  return issue(session, grantId, (grant) => decideOnRefresh(grant, refresh), { ...tokens, familyHash, now })
}

async function issue(
  session: Session,
  grantId: string,
  decide: (grant: GrantState) => GrantDecision,
  tokens: IssuedTokens & { readonly now: number },
): Promise<GrantOutcome> {
  const row = await lockedRow(session, grantId)
  const decision = row === undefined ? 'refuse' : decide(stateOf(row))
  if (row === undefined || decision === 'refuse') return { kind: 'refused' }
  if (decision === 'end') {
    await session.run('UPDATE oauth_grants SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL', tokens.now, row.id)
    return { kind: 'replayed', userId: row.user_id }
  }
  if (decision === 'repeat') return { kind: 'repeated', salt: row.salt ?? '', accessExpiresAt: row.access_expires_at }
  await session.run(
    `UPDATE oauth_grants SET family_hash = ?, former_refresh_hash = refresh_hash, refresh_hash = ?, refreshed_at = ?, salt = ?, former_access_hash = access_hash,
       former_access_expires_at = access_expires_at, access_hash = ?, access_expires_at = ?, expires_at = ? WHERE id = ?`,
    tokens.familyHash,
    tokens.refreshHash,
    tokens.now,
    tokens.salt,
    tokens.accessHash,
    tokens.accessExpiresAt,
    tokens.expiresAt,
    row.id,
  )
  return { kind: 'issued', userId: row.user_id }
}

/** Locked first: a join with an outer side cannot be locked as a whole. */
async function lockedRow(session: Session, grantId: string): Promise<GrantRow | undefined> {
  if (!isStorable(grantId)) return undefined
  await session.get(`SELECT id FROM oauth_grants WHERE id = ? ${session.dialect.forUpdate}`, grantId)
  return session.get<GrantRow>(`${grantsWithKeys} WHERE g.id = ?`, grantId)
}

export async function findGrant(session: Session, grantId: string): Promise<StoredGrant | null> {
  if (!isStorable(grantId)) return null
  const row = await session.get<GrantRow>(`${grantsWithKeys} WHERE g.id = ?`, grantId)
  if (!row) return null
  return {
    ...shown(row),
    accessHash: row.access_hash,
    accessExpiresAt: row.access_expires_at,
    formerAccessHash: row.former_access_hash,
    formerAccessExpiresAt: row.former_access_expires_at,
    familyHash: row.family_hash,
  }
}

export async function listGrants(session: Session, scope: Scope): Promise<Grant[]> {
  const owner = ownerIn(scope)
  if (owner === null) return []
  const rows = await session.all<GrantRow>(
    `${grantsWithKeys} WHERE g.family_hash IS NOT NULL AND ${owner.sql} ORDER BY g.created_at DESC, g.id DESC`,
    ...owner.values,
  )
  return rows.map(shown)
}

export async function revokeGrant(session: Session, scope: Scope, grantId: string, at: number): Promise<boolean> {
  const owner = ownerIn(scope)
  if (owner === null || !isStorable(grantId)) return false
  const row = await session.get<GrantRow>(
    `${grantsWithKeys} WHERE g.id = ? AND g.family_hash IS NOT NULL AND ${endedAt} IS NULL AND ${owner.sql}`,
    grantId,
    ...owner.values,
  )
  if (!row) return false
  return (
    (await session.run('UPDATE oauth_grants SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL', at, row.id)) > 0
  )
}

/** Null: nobody's. A grant belongs to no project, so a scope with a project sees it like any other of the user. */
function ownerIn(scope: Scope): { readonly sql: string; readonly values: readonly Value[] } | null {
  if (scope.kind === 'everyone') return { sql: 'TRUE', values: [] }
  return scope.kind === 'user' && isStorable(scope.userId) ? { sql: 'g.user_id = ?', values: [scope.userId] } : null
}

/** In the order of their ids, so that two instances never deadlock. */
export async function touchGrants(session: Session, uses: readonly GrantUse[]): Promise<void> {
  const latestUse = `${session.dialect.greatest}(coalesce(last_used_at, 0), ?)`
  for (const { id, at } of [...uses].sort((a, b) => (a.id < b.id ? -1 : 1)))
    await session.run(`UPDATE oauth_grants SET last_used_at = ${latestUse} WHERE id = ?`, at, id)
}

export async function dropGrants(session: Session, before: number): Promise<number> {
  return session.run('DELETE FROM oauth_grants WHERE expires_at < ? OR revoked_at < ?', before, before)
}

function stateOf(row: GrantRow): GrantState {
  return {
    clientId: row.client_id,
    audience: row.audience,
    expiresAt: row.expires_at,
    revokedAt: row.ended_at,
    codeHash: row.code_hash,
    challenge: row.challenge,
    redirectUri: row.redirect_uri,
    familyHash: row.family_hash,
    refreshHash: row.refresh_hash,
    formerRefreshHash: row.former_refresh_hash,
    refreshedAt: row.refreshed_at,
  }
}

function shown(row: GrantRow): Grant {
  return {
    id: row.id,
    userId: row.user_id,
    clientId: row.client_id,
    clientName: row.client_name,
    audience: row.audience,
    approvedBy: row.approved_by,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    revokedAt: row.ended_at,
  }
}
