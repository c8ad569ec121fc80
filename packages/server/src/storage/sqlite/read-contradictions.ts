import type { ContradictionReason } from '../../core/contradiction.js'
import type { Scope } from '../../core/scope.js'
import { type ContradictionRow, contradictionOf } from '../domain/contradiction-row.js'
import type { Contradiction, ContradictionQuery } from '../ports/contradictions.js'
import type { Database, Value } from './database.js'
import { type Condition, findUser } from './user-rows.js'

export function listContradictions(
  db: Database,
  scope: Scope,
  query: ContradictionQuery,
): { items: Contradiction[]; total: number } {
  const within = contradictionsIn(db, scope)
  if (!within) return { items: [], total: 0 }
  const where = [within.sql]
  const values: Value[] = [...within.values]
  if (query.status !== undefined) {
    where.push('c.status = ?')
    values.push(query.status)
  }
  if (!query.includeExpired) {
    where.push(bothAlive)
    values.push(query.now, query.now)
  }
  const condition = where.join(' AND ')
  const counted = db.get<{ total: number }>(`SELECT count(*) AS total ${joined} WHERE ${condition}`, ...values)
  const rows = db.all<ContradictionRow<string>>(
    `${selected} WHERE ${condition} ORDER BY c.created_at DESC, c.id DESC LIMIT ? OFFSET ?`,
    ...values,
    query.limit,
    query.offset,
  )
  return { items: rows.map(parsed), total: counted?.total ?? 0 }
}

export function findContradiction(
  db: Database,
  scope: Scope,
  contradictionId: string,
  now: number,
): Contradiction | null {
  const within = contradictionsIn(db, scope)
  if (!within) return null
  const row = db.get<ContradictionRow<string>>(
    `${selected} WHERE c.id = ? AND ${within.sql} AND ${bothAlive}`,
    contradictionId,
    ...within.values,
    now,
    now,
  )
  return row ? parsed(row) : null
}

const bothAlive = '(o.expires_at IS NULL OR o.expires_at > ?) AND (n.expires_at IS NULL OR n.expires_at > ?)'

// CROSS JOIN: the contradictions come first, in the order of their index.
const joined = `FROM contradictions c CROSS JOIN memories o ON o.key = c.old_memory
  CROSS JOIN memories n ON n.key = c.new_memory`

const selected = `SELECT c.id, (SELECT u.id FROM users u WHERE u.key = c.user) AS user_id, n.project, c.status, c.why,
    c.reason, c.created_at, c.decided_at,
    o.id AS old_id, (SELECT v.content FROM versions v WHERE v.row = c.old_version) AS old_content,
    o.created_at AS old_created_at, o.expires_at AS old_expires_at, o.superseded_at AS old_superseded_at,
    (SELECT s.id FROM memories s WHERE s.key = o.superseded_by) AS old_superseded_by,
    n.id AS new_id, (SELECT v.content FROM versions v WHERE v.row = c.new_version) AS new_content,
    n.created_at AS new_created_at, n.expires_at AS new_expires_at, n.superseded_at AS new_superseded_at,
    (SELECT s.id FROM memories s WHERE s.key = n.superseded_by) AS new_superseded_by
  ${joined}`

/** Of one user, and with a project only where both sides are in it. */
function contradictionsIn(db: Database, scope: Scope): Condition | null {
  if (scope.kind === 'nobody') return null
  const project = scope.project === undefined ? [] : [scope.project, scope.project]
  const inProject = scope.project === undefined ? '' : ' AND o.project = ? AND n.project = ?'
  if (scope.kind === 'everyone') return { sql: `TRUE${inProject}`, values: project }
  const user = findUser(db, scope.userId)
  return user ? { sql: `c.user = ?${inProject}`, values: [user.key, ...project] } : null
}

function parsed(row: ContradictionRow<string>): Contradiction {
  // Written by `commit.ts` from a reason.
  return contradictionOf({
    ...row,
    reason: row.reason === null ? null : (JSON.parse(row.reason) as ContradictionReason),
  })
}
