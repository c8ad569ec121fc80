/** Carries out what somebody decided about a contradiction. */
import type { ContradictionStatus } from '../../core/contradiction.js'
import type { Scope } from '../../core/scope.js'
import type { Decided, Decision } from '../ports/contradictions.js'
import type { Database } from './database.js'
import { findContradiction } from './read-contradictions.js'
import { settleRelationshipsOf } from './settle-relationships.js'
import { type OwnMemory, restore, supersede } from './supersede.js'
import { UserWrite } from './user-rows.js'

interface Pair {
  readonly key: number
  readonly user: number
  readonly status: ContradictionStatus
  readonly old: Side
  readonly new: Side
}

interface Side extends OwnMemory {
  readonly superseded_by: number | null
  /** Whether it still says what it said when it contradicted. */
  readonly same: number
}

export function decide(db: Database, scope: Scope, contradictionId: string, decision: Decision): Decided | null {
  const { verdict, now } = decision
  const found = findContradiction(db, scope, contradictionId, now)
  if (!found) return null
  const pair = loadPair(db, contradictionId)
  const status = verdict === 'accept' ? 'accepted' : 'reverted'
  if (pair.status === status) return { contradiction: found, refused: null }
  const refused = verdict === 'accept' ? whyNotAccept(db, pair) : whyNotRevert(pair)
  if (refused) return { contradiction: found, refused }
  const write = UserWrite.begin(db, pair.user)
  if (verdict === 'accept') accept(db, write, pair, now)
  else revert(db, write, pair, now)
  setStatus(db, pair.key, status, now)
  write.end()
  return { contradiction: findContradiction(db, scope, contradictionId, now) ?? found, refused: null }
}

function isReplaced(pair: Pair): boolean {
  return pair.status === 'applied' || pair.status === 'accepted'
}

function whyNotAccept(db: Database, pair: Pair): Decided['refused'] {
  // Nothing but a mark: what was applied stays applied.
  if (isReplaced(pair)) return null
  if (pair.old.superseded_at !== null) return 'superseded'
  if (pair.new.superseded_at !== null && !isWithdrawn(db, pair.new)) return 'superseded'
  return pair.old.same && pair.new.same ? null : 'changed'
}

function whyNotRevert(pair: Pair): Decided['refused'] {
  if (!isReplaced(pair)) return null
  if (pair.new.superseded_at !== null || pair.old.superseded_by !== pair.new.key) return 'superseded'
  return pair.new.same ? null : 'changed'
}

function isWithdrawn(db: Database, memory: OwnMemory): boolean {
  return db.get('SELECT 1 FROM memories WHERE key = ? AND withdrawn = 1', memory.key) !== undefined
}

function accept(db: Database, write: UserWrite, pair: Pair, now: number): void {
  if (isReplaced(pair)) return
  const memories = [pair.old.key, pair.new.key]
  if (pair.new.superseded_at !== null) {
    restore(db, write, pair.new, now)
    db.run('UPDATE memories SET withdrawn = 0 WHERE key = ?', pair.new.key)
  }
  supersede(db, write, pair.old, pair.new, { from: now, now })
  settleRelationshipsOf(db, memories)
}

/** The new memory is taken back with all that it replaced, or the rest would be replaced by something that is gone. */
function revert(db: Database, write: UserWrite, pair: Pair, now: number): void {
  if (!isReplaced(pair)) return
  const replaced = db.all<OwnMemory>(
    `SELECT key, id, project, current_row, superseded_at FROM memories
     WHERE superseded_by = ? AND withdrawn = 0 ORDER BY key`,
    pair.new.key,
  )
  for (const memory of replaced) restore(db, write, memory, now)
  supersede(db, write, pair.new, pair.old, { from: now, now })
  db.run('UPDATE memories SET withdrawn = 1 WHERE key = ?', pair.new.key)
  const others = db.all<{ key: number }>(
    `SELECT key FROM contradictions WHERE new_memory = ? AND status IN ('applied', 'accepted')`,
    pair.new.key,
  )
  for (const { key } of others) setStatus(db, key, 'reverted', now)
  settleRelationshipsOf(db, [pair.new.key, ...replaced.map((memory) => memory.key)])
}

function setStatus(db: Database, key: number, status: ContradictionStatus, now: number): void {
  db.run('UPDATE contradictions SET status = ?, decided_at = ? WHERE key = ?', status, now, key)
}

function loadPair(db: Database, id: string): Pair {
  const row = db.get<{ key: number; user: number; status: ContradictionStatus; old: number; new: number }>(
    'SELECT key, user, status, old_memory AS old, new_memory AS new FROM contradictions WHERE id = ?',
    id,
  )
  if (!row) throw new Error('a contradiction that was just found is gone')
  const side = (memory: number, recorded: 'old_version' | 'new_version'): Side => {
    const found = db.get<Side>(
      `SELECT m.key, m.id, m.project, m.current_row, m.superseded_at, m.superseded_by, v.checksum = was.checksum AS same
       FROM contradictions c JOIN versions was ON was.row = c.${recorded}
         JOIN memories m ON m.key = ? JOIN versions v ON v.row = m.current_row WHERE c.key = ?`,
      memory,
      row.key,
    )
    if (!found) throw new Error('a contradiction has lost a side')
    return found
  }
  return {
    key: row.key,
    user: row.user,
    status: row.status,
    old: side(row.old, 'old_version'),
    new: side(row.new, 'new_version'),
  }
}
