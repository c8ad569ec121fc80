/**
 * Webhooks are keyed by the external user id: a user may have one before the first memory. Dead letters are stored with the
 * user's events.
 */
import { type EventMark, type EventType, endOf } from '../../../core/memory-event.js'
import type { Scope, UserScope } from '../../../core/scope.js'
import { isStorable, storable } from '../../domain/storable-text.js'
import type {
  ClaimedWebhook,
  DeadLetter,
  NewWebhook,
  Webhook,
  WebhookClaim,
  WebhookProgress,
} from '../../ports/webhook-store.js'
import { type FlagColumn, type TextsColumn, textsOf } from '../columns.js'
import type { Condition, Dialect } from '../dialect.js'
import { type EventRow, eventOf } from '../events/events.js'
import type { Session } from '../session.js'
import { dataOf, type UserData } from '../user-data.js'

interface WebhookRow {
  readonly id: string
  readonly user_id: string
  readonly url: string
  readonly types: TextsColumn
  readonly project: string | null
  readonly secret: string
  readonly created_at: number
  readonly created_by: string | null
  readonly revision: number
  readonly position: number
  readonly attempts: number
  readonly next_attempt_at: number
  readonly failing: FlagColumn
  readonly last_attempt_at: number | null
  readonly last_success_at: number | null
  readonly last_status: number | null
  readonly last_error: string | null
  readonly dead_letters: number
}

const columns = (dialect: Dialect) => `w.*, (SELECT count(*) FROM dead_letters d JOIN users u ON u.user_id = d.user_id
    WHERE d.webhook = w.id AND ${dialect.idOfUser('u')} = w.user_id) AS dead_letters`

export async function createWebhook(
  session: Session,
  scope: UserScope,
  webhook: NewWebhook,
  most: number,
): Promise<boolean> {
  const userId = storable(scope.userId, 'user_id')
  // Serialized: two concurrent instances would both see the same count.
  await session.lockName(`webhooks of ${userId}`)
  const own = await session.get<{ count: number }>('SELECT count(*) AS count FROM webhooks WHERE user_id = ?', userId)
  if ((own?.count ?? 0) >= most) return false
  const user = await dataOf(session, userId)
  const known = await user?.get<{ revision: number }>('SELECT revision FROM users WHERE user_id = @user')
  const { revision, position } = endOf(known?.revision ?? 0)
  await session.run(
    `INSERT INTO webhooks (user_id, id, url, types, project, secret, created_at, created_by, revision, position)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    userId,
    webhook.id,
    storable(webhook.url, 'url'),
    webhook.types,
    webhook.project === null ? null : storable(webhook.project, 'project'),
    storable(webhook.secret, 'secret'),
    webhook.createdAt,
    webhook.createdBy,
    revision,
    position,
  )
  return true
}

export async function listWebhooks(session: Session, scope: Scope): Promise<Webhook[]> {
  const within = webhooksIn(scope)
  if (!within) return []
  const sql = `SELECT ${columns(session.dialect)} FROM webhooks w WHERE ${within.sql} ORDER BY w.id`
  return (await session.all<WebhookRow>(sql, ...within.values)).map(shown)
}

export async function findWebhook(session: Session, scope: Scope, webhookId: string): Promise<Webhook | null> {
  const row = await findRow(session, scope, webhookId)
  return row ? shown(row) : null
}

export async function deleteWebhook(session: Session, scope: Scope, webhookId: string): Promise<boolean> {
  const within = webhooksIn(scope)
  if (!within || !isStorable(webhookId)) return false
  return (
    (await session.run(`DELETE FROM webhooks AS w WHERE w.id = ? AND ${within.sql}`, webhookId, ...within.values)) > 0
  )
}

export async function claimWebhooks(
  session: Session,
  scope: Scope,
  claim: WebhookClaim,
  limit: number,
): Promise<ClaimedWebhook[]> {
  const within = webhooksIn(scope)
  if (!within) return []
  const { dialect } = session
  // One instance at a time: two would both see the same webhooks. Citus cannot lock rows of several users in one statement.
  await session.lockName('claims of webhooks')
  const due = await session.all<{ id: string }>(
    `SELECT ranked.id FROM (${waiting(dialect, within)}) ranked WHERE ranked.turn <= ?
     ORDER BY ranked.turn, ranked.served, ranked.next_attempt_at, ranked.id LIMIT ?`,
    claim.now,
    ...within.values,
    claim.now,
    claim.now,
    claim.perUser,
    limit,
  )
  if (due.length === 0) return []
  const ids = due.map(({ id }) => id)
  // Not one that was claimed, or kept by its claim, since it was read.
  await session.send(
    `UPDATE webhooks AS w SET claim = ?, claimed_until = ?
     WHERE ${dialect.among('w.id', 'text')} AND w.claimed_until <= ? AND ${within.sql}`,
    claim.token,
    claim.until,
    ids,
    claim.now,
    ...within.values,
  )
  const rows = await session.all<WebhookRow>(
    `SELECT ${columns(dialect)} FROM webhooks w
     WHERE ${dialect.among('w.id', 'text')} AND w.claim = ? AND ${within.sql}
     ORDER BY w.next_attempt_at, w.id`,
    ids,
    claim.token,
    ...within.values,
  )
  return rows.map((row) => ({
    ...shown(row),
    secret: row.secret,
    mark: { revision: row.revision, position: row.position },
  }))
}

/** Webhooks with something to deliver: which one of its user's it would be, and when the user was last served. */
function waiting(dialect: Dialect, within: Condition): string {
  const own = 'FROM webhooks own WHERE own.user_id = w.user_id'
  return `SELECT w.user_id, w.id, w.next_attempt_at,
      row_number() OVER (PARTITION BY w.user_id ORDER BY w.next_attempt_at, w.id)
        + (SELECT count(*) ${own} AND own.claimed_until > ?) AS turn,
      (SELECT coalesce(max(own.last_attempt_at), 0) ${own}) AS served
    FROM webhooks w JOIN users u ON ${dialect.idOfUser('u')} = w.user_id
    WHERE ${within.sql} AND w.next_attempt_at <= ? AND w.claimed_until <= ?
      AND (u.revision <> w.revision OR w.position < ${endOf(0).position} OR EXISTS (
        SELECT 1 FROM dead_letters d WHERE d.user_id = u.user_id AND d.webhook = w.id AND d.due))`
}

export async function settleWebhook(
  session: Session,
  scope: UserScope,
  webhookId: string,
  token: string,
  progress: WebhookProgress,
): Promise<boolean> {
  if (!isStorable(scope.userId)) return false
  const { mark, attempted, dead, revived } = progress
  const changed = await session.run(
    `UPDATE webhooks SET revision = ?, position = ?, attempts = ?, next_attempt_at = ?, failing = ?, claimed_until = ?
     WHERE id = ? AND user_id = ? AND claim = ?`,
    mark.revision,
    mark.position,
    progress.attempts,
    progress.nextAttemptAt,
    progress.isFailing,
    progress.claimedUntil,
    webhookId,
    scope.userId,
    token,
  )
  if (changed === 0) return false
  if (attempted) await recordAttempt(session, scope, webhookId, attempted)
  const user = await dataOf(session, scope.userId)
  if (revived && user) {
    await user.send(
      'DELETE FROM dead_letters WHERE user_id = @user AND revision = ? AND position = ? AND webhook = ?',
      revived.revision,
      revived.position,
      webhookId,
    )
  }
  if (dead && user) await bury(user, webhookId, dead, attempted)
  return true
}

async function recordAttempt(
  session: Session,
  { userId }: UserScope,
  webhookId: string,
  { at, status, error }: NonNullable<WebhookProgress['attempted']>,
): Promise<void> {
  const isSuccess = error === null
  await session.send(
    `UPDATE webhooks SET last_attempt_at = ?, last_status = ?, last_error = ?${isSuccess ? ', last_success_at = ?' : ''}
     WHERE id = ? AND user_id = ?`,
    at,
    status,
    error,
    ...(isSuccess ? [at] : []),
    webhookId,
    userId,
  )
}

/** Writes nothing for an event that has left the log in the meantime. */
async function bury(
  user: UserData,
  webhookId: string,
  { mark, attempts }: NonNullable<WebhookProgress['dead']>,
  attempted: WebhookProgress['attempted'],
): Promise<void> {
  await user.send(
    `INSERT INTO dead_letters (user_id, revision, position, webhook, attempts, status, error, at, due)
     SELECT user_id, revision, position, CAST(? AS text), CAST(? AS bigint), CAST(? AS bigint), CAST(? AS text),
       CAST(? AS bigint), FALSE FROM events
     WHERE user_id = @user AND revision = ? AND position = ?
     ON CONFLICT (user_id, revision, position, webhook) DO UPDATE SET attempts = dead_letters.attempts + excluded.attempts,
       status = excluded.status, error = excluded.error, at = excluded.at, due = FALSE`,
    webhookId,
    attempts,
    attempted?.status ?? null,
    attempted?.error ?? null,
    attempted?.at ?? 0,
    mark.revision,
    mark.position,
  )
}

interface DeadRow extends EventRow {
  readonly attempts: number
  readonly status: number | null
  readonly error: string | null
  readonly died_at: number
  readonly due: FlagColumn
}

export async function deadLetters(
  session: Session,
  scope: Scope,
  webhookId: string,
  limit: number,
): Promise<{ total: number; items: DeadLetter[] }> {
  const webhook = await findRow(session, scope, webhookId)
  const user = webhook && (await dataOf(session, webhook.user_id))
  if (!user) return { total: 0, items: [] }
  const rows = await user.all<DeadRow>(
    `SELECT e.*, d.attempts, d.status, d.error, d.at AS died_at, d.due FROM dead_letters d
       JOIN events e ON e.user_id = d.user_id AND e.revision = d.revision AND e.position = d.position
     WHERE d.user_id = @user AND d.webhook = ? ORDER BY d.due DESC, d.revision, d.position LIMIT ?`,
    webhookId,
    limit,
  )
  const items = rows.map((row) => ({
    event: eventOf(row, webhook.user_id),
    attempts: row.attempts,
    status: row.status,
    error: row.error,
    at: row.died_at,
    isDue: Boolean(row.due),
  }))
  return { total: webhook.dead_letters, items }
}

export async function redeliver(
  session: Session,
  scope: Scope,
  webhookId: string,
  marks: readonly EventMark[] | null,
): Promise<number> {
  const webhook = await findRow(session, scope, webhookId)
  const user = webhook && (await dataOf(session, webhook.user_id))
  if (!user) return 0
  const ofThese =
    marks === null
      ? ''
      : `AND (revision, position) IN (SELECT m.revision, m.position
           FROM ${session.dialect.rows('m', { revision: 'bigint', position: 'bigint' })})`
  const count = await user.run(
    `UPDATE dead_letters SET due = TRUE WHERE user_id = @user AND webhook = ? ${ofThese}`,
    webhookId,
    ...(marks === null ? [] : [JSON.stringify(marks)]),
  )
  if (count > 0) {
    await session.send(
      'UPDATE webhooks SET next_attempt_at = 0 WHERE user_id = ? AND id = ?',
      webhook.user_id,
      webhookId,
    )
  }
  return count
}

function webhooksIn(scope: Scope): Condition | null {
  if (scope.kind === 'nobody') return null
  if (scope.kind === 'everyone') return { sql: 'TRUE', values: [] }
  return isStorable(scope.userId) ? { sql: 'w.user_id = ?', values: [scope.userId] } : null
}

async function findRow(session: Session, scope: Scope, webhookId: string): Promise<WebhookRow | undefined> {
  const within = webhooksIn(scope)
  if (!within || !isStorable(webhookId)) return undefined
  const sql = `SELECT ${columns(session.dialect)} FROM webhooks w WHERE w.id = ? AND ${within.sql}`
  return session.get<WebhookRow>(sql, webhookId, ...within.values)
}

function shown(row: WebhookRow): Webhook {
  return {
    id: row.id,
    userId: row.user_id,
    url: row.url,
    // Only `createWebhook` writes types.
    types: [...textsOf(row.types)] as EventType[],
    project: row.project,
    createdAt: row.created_at,
    createdBy: row.created_by,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    isFailing: Boolean(row.failing),
    lastAttemptAt: row.last_attempt_at,
    lastSuccessAt: row.last_success_at,
    lastStatus: row.last_status,
    lastError: row.last_error,
    deadLetters: row.dead_letters,
  }
}
