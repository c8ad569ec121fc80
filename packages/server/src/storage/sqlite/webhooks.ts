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
import { type Condition, findUser } from './user-rows.js'

interface WebhookRow {
  readonly id: string
  readonly user_id: string
  readonly url: string
  readonly types: string
  readonly project: string | null
  readonly secret: string
  readonly created_at: number
  readonly created_by: string | null
  readonly revision: number
  readonly position: number
  readonly attempts: number
  readonly next_attempt_at: number
  readonly failing: number
  readonly last_attempt_at: number | null
  readonly last_success_at: number | null
  readonly last_status: number | null
  readonly last_error: string | null
  readonly dead_letters: number
}

const columns = 'w.*, (SELECT count(*) FROM dead_letters d WHERE d.webhook = w.id) AS dead_letters'

export function createWebhook(db: Database, scope: UserScope, webhook: NewWebhook, most: number): boolean {
  const userId = storable(scope.userId, 'user_id')
  const own = db.get<{ count: number }>('SELECT count(*) AS count FROM webhooks WHERE user_id = ?', userId)
  if ((own?.count ?? 0) >= most) return false
  const { revision, position } = endOf(findUser(db, userId)?.revision ?? 0)
  db.run(
    `INSERT INTO webhooks (id, user_id, url, types, project, secret, created_at, created_by, revision, position)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    webhook.id,
    userId,
    storable(webhook.url, 'url'),
    JSON.stringify(webhook.types),
    webhook.project === null ? null : storable(webhook.project, 'project'),
    storable(webhook.secret, 'secret'),
    webhook.createdAt,
    webhook.createdBy,
    revision,
    position,
  )
  return true
}

export function listWebhooks(db: Database, scope: Scope): Webhook[] {
  const within = webhooksIn(scope)
  if (!within) return []
  const sql = `SELECT ${columns} FROM webhooks w WHERE ${within.sql} ORDER BY w.id`
  return db.all<WebhookRow>(sql, ...within.values).map(shown)
}

export function findWebhook(db: Database, scope: Scope, webhookId: string): Webhook | null {
  const row = findRow(db, scope, webhookId)
  return row ? shown(row) : null
}

export function deleteWebhook(db: Database, scope: Scope, webhookId: string): boolean {
  return findRow(db, scope, webhookId) !== undefined && db.run('DELETE FROM webhooks WHERE id = ?', webhookId) > 0
}

export function claimWebhooks(db: Database, scope: Scope, claim: WebhookClaim, limit: number): ClaimedWebhook[] {
  const within = webhooksIn(scope)
  if (!within) return []
  const rows = db.all<WebhookRow>(
    `SELECT ${columns} FROM webhooks w LEFT JOIN users u ON u.id = w.user_id
     WHERE ${within.sql} AND w.next_attempt_at <= ? AND w.claimed_until <= ?
       AND (u.revision > w.revision OR (u.revision = w.revision AND w.position < ${endOf(0).position})
         OR u.revision < w.revision OR EXISTS (SELECT 1 FROM dead_letters d WHERE d.webhook = w.id AND d.due = 1))
     ORDER BY w.next_attempt_at, w.id LIMIT ?`,
    ...within.values,
    claim.now,
    claim.now,
    limit,
  )
  for (const { id } of rows)
    db.run('UPDATE webhooks SET claim = ?, claimed_until = ? WHERE id = ?', claim.token, claim.until, id)
  return rows.map((row) => ({
    ...shown(row),
    secret: row.secret,
    mark: { revision: row.revision, position: row.position },
  }))
}

export function settleWebhook(
  db: Database,
  scope: UserScope,
  webhookId: string,
  token: string,
  progress: WebhookProgress,
): boolean {
  const { mark, attempted, dead, revived } = progress
  const changed = db.run(
    `UPDATE webhooks SET revision = ?, position = ?, attempts = ?, next_attempt_at = ?, failing = ?, claimed_until = ?
     WHERE id = ? AND user_id = ? AND claim = ?`,
    mark.revision,
    mark.position,
    progress.attempts,
    progress.nextAttemptAt,
    progress.isFailing ? 1 : 0,
    progress.claimedUntil,
    webhookId,
    scope.userId,
    token,
  )
  const user = findUser(db, scope.userId)
  if (changed === 0) return false
  if (attempted) {
    const { at, status, error } = attempted
    db.run(
      `UPDATE webhooks SET last_attempt_at = ?, last_status = ?, last_error = ?,
         last_success_at = iif(? IS NULL, ?, last_success_at) WHERE id = ?`,
      at,
      status,
      error,
      error,
      at,
      webhookId,
    )
  }
  if (revived && user) {
    const { revision, position } = revived
    db.run(
      'DELETE FROM dead_letters WHERE user = ? AND revision = ? AND position = ? AND webhook = ?',
      user.key,
      revision,
      position,
      webhookId,
    )
  }
  if (dead && user) bury(db, user.key, webhookId, dead, attempted)
  return true
}

/** An event that has left the log meanwhile is nothing to keep. */
function bury(
  db: Database,
  user: number,
  webhookId: string,
  { mark, attempts }: NonNullable<WebhookProgress['dead']>,
  attempted: WebhookProgress['attempted'],
): void {
  db.run(
    `INSERT INTO dead_letters (user, revision, position, webhook, attempts, status, error, at, due)
     SELECT user, revision, position, ?, ?, ?, ?, ?, 0 FROM events WHERE user = ? AND revision = ? AND position = ?
     ON CONFLICT DO UPDATE SET attempts = dead_letters.attempts + excluded.attempts, status = excluded.status,
       error = excluded.error, at = excluded.at, due = 0`,
    webhookId,
    attempts,
    attempted?.status ?? null,
    attempted?.error ?? null,
    attempted?.at ?? 0,
    user,
    mark.revision,
    mark.position,
  )
}

interface DeadRow extends EventRow {
  readonly attempts: number
  readonly status: number | null
  readonly error: string | null
  readonly died_at: number
  readonly due: number
}

export function deadLetters(
  db: Database,
  scope: Scope,
  webhookId: string,
  limit: number,
): { total: number; items: DeadLetter[] } {
  const webhook = findRow(db, scope, webhookId)
  if (!webhook) return { total: 0, items: [] }
  const rows = db.all<DeadRow>(
    `SELECT e.*, d.attempts, d.status, d.error, d.at AS died_at, d.due FROM dead_letters d
       JOIN events e ON e.user = d.user AND e.revision = d.revision AND e.position = d.position
     WHERE d.webhook = ? ORDER BY d.due DESC, d.revision, d.position LIMIT ?`,
    webhookId,
    limit,
  )
  const items = rows.map((row) => ({
    event: eventOf(row, webhook.user_id),
    attempts: row.attempts,
    status: row.status,
    error: row.error,
    at: row.died_at,
    isDue: row.due === 1,
  }))
  return { total: webhook.dead_letters, items }
}

export function redeliver(db: Database, scope: Scope, webhookId: string, marks: readonly EventMark[] | null): number {
  if (!findRow(db, scope, webhookId)) return 0
  const set = 'UPDATE dead_letters SET due = 1 WHERE webhook = ?'
  let count = 0
  if (marks === null) count = db.run(set, webhookId)
  else {
    for (const { revision, position } of marks)
      count += db.run(`${set} AND revision = ? AND position = ?`, webhookId, revision, position)
  }
  if (count > 0) db.run('UPDATE webhooks SET next_attempt_at = 0 WHERE id = ?', webhookId)
  return count
}

function findRow(db: Database, scope: Scope, webhookId: string): WebhookRow | undefined {
  const within = webhooksIn(scope)
  if (!within || !isStorable(webhookId)) return undefined
  const sql = `SELECT ${columns} FROM webhooks w WHERE w.id = ? AND ${within.sql}`
  return db.get<WebhookRow>(sql, webhookId, ...within.values)
}

function webhooksIn(scope: Scope): Condition | null {
  if (scope.kind === 'nobody') return null
  if (scope.kind === 'everyone') return { sql: 'TRUE', values: [] }
  return isStorable(scope.userId) ? { sql: 'w.user_id = ?', values: [scope.userId] } : null
}

function shown(row: WebhookRow): Webhook {
  return {
    id: row.id,
    userId: row.user_id,
    url: row.url,
    // A list that this engine has written itself.
    types: JSON.parse(row.types) as EventType[],
    project: row.project,
    createdAt: row.created_at,
    createdBy: row.created_by,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    isFailing: row.failing === 1,
    lastAttemptAt: row.last_attempt_at,
    lastSuccessAt: row.last_success_at,
    lastStatus: row.last_status,
    lastError: row.last_error,
    deadLetters: row.dead_letters,
  }
}
