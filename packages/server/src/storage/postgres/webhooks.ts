import { type EventMark, type EventType, endOf } from '../../core/memory-event.js'
import type { Scope, UserScope } from '../../core/scope.js'
import { isStorable, storable } from '../domain/storable-text.js'
import type {
  ClaimedWebhook,
  DeadLetter,
  NewWebhook,
  Webhook,
  WebhookClaim,
  WebhookProgress,
} from '../ports/webhook-store.js'
import type { Database } from './database.js'
import { type EventRow, eventOf } from './events.js'
import { UserData } from './user-data.js'
import { dataOf, usersIn } from './user-rows.js'

interface WebhookRow {
  readonly id: string
  readonly user_id: string
  readonly url: string
  readonly types: readonly EventType[]
  readonly project: string | null
  readonly secret: string
  readonly created_at: number
  readonly created_by: string | null
  readonly revision: number
  readonly position: number
  readonly attempts: number
  readonly next_attempt_at: number
  readonly failing: boolean
  readonly last_attempt_at: number | null
  readonly last_success_at: number | null
  readonly last_status: number | null
  readonly last_error: string | null
  readonly dead_letters: number
}

const columns = `w.*,
  (SELECT count(*) FROM dead_letters d WHERE d.user_id = w.user_id AND d.webhook = w.id) AS dead_letters`

export async function createWebhook(
  db: Database,
  scope: UserScope,
  webhook: NewWebhook,
  most: number,
): Promise<boolean> {
  const user = new UserData(db, storable(scope.userId, 'user_id'))
  // Two instances at once would count the same number: one after the other.
  await user.get(`SELECT pg_advisory_xact_lock(hashtextextended('webhooks of ' || @user::text, 0))`)
  const own = await user.get<{ count: number }>('SELECT count(*) AS count FROM webhooks WHERE user_id = @user')
  if ((own?.count ?? 0) >= most) return false
  const known = await user.get<{ revision: number }>('SELECT revision FROM users WHERE user_id = @user')
  const { revision, position } = endOf(known?.revision ?? 0)
  await user.run(
    `INSERT INTO webhooks (user_id, id, url, types, project, secret, created_at, created_by, revision, position)
     VALUES (@user, ?, ?, ?::text[], ?, ?, ?, ?, ?, ?)`,
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

export async function listWebhooks(db: Database, scope: Scope): Promise<Webhook[]> {
  const within = usersIn(scope, 'w')
  if (!within) return []
  const sql = `SELECT ${columns} FROM webhooks w WHERE ${within.sql} ORDER BY w.id`
  return (await db.all<WebhookRow>(sql, ...within.values)).map(shown)
}

export async function findWebhook(db: Database, scope: Scope, webhookId: string): Promise<Webhook | null> {
  const row = await findRow(db, scope, webhookId)
  return row ? shown(row) : null
}

export async function deleteWebhook(db: Database, scope: Scope, webhookId: string): Promise<boolean> {
  const within = usersIn(scope, 'w')
  if (!within || !isStorable(webhookId)) return false
  return (await db.run(`DELETE FROM webhooks w WHERE w.id = ? AND ${within.sql}`, webhookId, ...within.values)) > 0
}

export async function claimWebhooks(
  db: Database,
  scope: Scope,
  claim: WebhookClaim,
  limit: number,
): Promise<ClaimedWebhook[]> {
  const within = usersIn(scope, 'w')
  if (!within) return []
  // What another instance is taking at this moment is passed over.
  const rows = await db.all<WebhookRow>(
    `WITH due AS (
       SELECT w.user_id, w.id FROM webhooks w JOIN users u ON u.user_id = w.user_id
       WHERE ${within.sql} AND w.next_attempt_at <= ? AND w.claimed_until <= ?
         AND (u.revision <> w.revision OR w.position < ${endOf(0).position} OR EXISTS (
           SELECT 1 FROM dead_letters d WHERE d.user_id = w.user_id AND d.webhook = w.id AND d.due))
       ORDER BY w.next_attempt_at, w.id LIMIT ? FOR UPDATE OF w SKIP LOCKED
     ), claimed AS (
       UPDATE webhooks w SET claim = ?, claimed_until = ? FROM due
       WHERE w.user_id = due.user_id AND w.id = due.id RETURNING w.*
     ) SELECT ${columns} FROM claimed w ORDER BY w.next_attempt_at, w.id`,
    ...within.values,
    claim.now,
    claim.now,
    limit,
    claim.token,
    claim.until,
  )
  return rows.map((row) => ({
    ...shown(row),
    secret: row.secret,
    mark: { revision: row.revision, position: row.position },
  }))
}

export async function settleWebhook(
  db: Database,
  scope: UserScope,
  webhookId: string,
  token: string,
  progress: WebhookProgress,
): Promise<boolean> {
  const user = dataOf(db, scope)
  if (!user) return false
  const { mark, attempted, dead, revived } = progress
  const changed = await user.run(
    `UPDATE webhooks SET revision = ?, position = ?, attempts = ?, next_attempt_at = ?, failing = ?, claimed_until = ?
     WHERE id = ? AND user_id = @user AND claim = ?`,
    mark.revision,
    mark.position,
    progress.attempts,
    progress.nextAttemptAt,
    progress.isFailing,
    progress.claimedUntil,
    webhookId,
    token,
  )
  if (changed === 0) return false
  if (attempted) await recordAttempt(user, webhookId, attempted)
  if (revived) {
    await user.send(
      'DELETE FROM dead_letters WHERE user_id = @user AND revision = ? AND position = ? AND webhook = ?',
      revived.revision,
      revived.position,
      webhookId,
    )
  }
  if (dead) await bury(user, webhookId, dead, attempted)
  return true
}

async function recordAttempt(
  user: UserData,
  webhookId: string,
  { at, status, error }: NonNullable<WebhookProgress['attempted']>,
): Promise<void> {
  await user.send(
    `UPDATE webhooks SET last_attempt_at = ?, last_status = ?, last_error = ?,
       last_success_at = CASE WHEN ?::boolean THEN ? ELSE last_success_at END WHERE id = ? AND user_id = @user`,
    at,
    status,
    error,
    error === null,
    at,
    webhookId,
  )
}

/** An event that has left the log meanwhile is nothing to keep. */
async function bury(
  user: UserData,
  webhookId: string,
  { mark, attempts }: NonNullable<WebhookProgress['dead']>,
  attempted: WebhookProgress['attempted'],
): Promise<void> {
  await user.send(
    `INSERT INTO dead_letters (user_id, revision, position, webhook, attempts, status, error, at, due)
     SELECT user_id, revision, position, ?::text, ?::bigint, ?::bigint, ?::text, ?::bigint, false FROM events
     WHERE user_id = @user AND revision = ? AND position = ?
     ON CONFLICT (user_id, revision, position, webhook) DO UPDATE SET attempts = dead_letters.attempts + excluded.attempts,
       status = excluded.status, error = excluded.error, at = excluded.at, due = false`,
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
  readonly due: boolean
}

export async function deadLetters(
  db: Database,
  scope: Scope,
  webhookId: string,
  limit: number,
): Promise<{ total: number; items: DeadLetter[] }> {
  const webhook = await findRow(db, scope, webhookId)
  if (!webhook) return { total: 0, items: [] }
  const rows = await new UserData(db, webhook.user_id).all<DeadRow>(
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
    isDue: row.due,
  }))
  return { total: webhook.dead_letters, items }
}

export async function redeliver(
  db: Database,
  scope: Scope,
  webhookId: string,
  marks: readonly EventMark[] | null,
): Promise<number> {
  const webhook = await findRow(db, scope, webhookId)
  if (!webhook) return 0
  const user = new UserData(db, webhook.user_id)
  const set = 'UPDATE dead_letters SET due = true WHERE user_id = @user AND webhook = ?'
  const count =
    marks === null
      ? await user.run(set, webhookId)
      : await user.run(
          `${set} AND (revision, position) IN (SELECT * FROM unnest(?::bigint[], ?::bigint[]))`,
          webhookId,
          marks.map(({ revision }) => revision),
          marks.map(({ position }) => position),
        )
  if (count > 0) await user.send('UPDATE webhooks SET next_attempt_at = 0 WHERE user_id = @user AND id = ?', webhookId)
  return count
}

async function findRow(db: Database, scope: Scope, webhookId: string): Promise<WebhookRow | undefined> {
  const within = usersIn(scope, 'w')
  if (!within || !isStorable(webhookId)) return undefined
  const sql = `SELECT ${columns} FROM webhooks w WHERE w.id = ? AND ${within.sql}`
  return db.get<WebhookRow>(sql, webhookId, ...within.values)
}

function shown(row: WebhookRow): Webhook {
  return {
    id: row.id,
    userId: row.user_id,
    url: row.url,
    types: [...row.types],
    project: row.project,
    createdAt: row.created_at,
    createdBy: row.created_by,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    isFailing: row.failing,
    lastAttemptAt: row.last_attempt_at,
    lastSuccessAt: row.last_success_at,
    lastStatus: row.last_status,
    lastError: row.last_error,
    deadLetters: row.dead_letters,
  }
}
