/** Retires a current memory that another current memory repeats, or that says nothing. */
import { type ContradictionReason, isRetiringRule } from '../../../core/contradiction.js'
import type { UserScope } from '../../../core/scope.js'
import type { KnownPair, Retirement } from '../../ports/contradictions.js'
import { type OwnMemory, supersede } from '../memories/supersede.js'
import { settleRelationshipsOf } from '../relationships/settle-relationships.js'
import type { Session } from '../session.js'
import { dataOf, type UserData } from '../user-data.js'
import { UserWrite } from '../user-write.js'
import { insertContradiction } from './insert.js'

export async function retire(session: Session, scope: UserScope, retirement: Retirement): Promise<boolean> {
  const user = await dataOf(session, scope.userId)
  const write = user && (await UserWrite.begin(user))
  if (!write) return false
  const { now } = retirement
  const old = await currentMemory(write, retirement.memory, now)
  const by = retirement.by && (await currentMemory(write, retirement.by, now))
  if (!old || by === undefined || (by && !mayReplace(by, old)) || (await wasRetired(write, old))) return false
  const successor = by ?? old
  await insertContradiction(
    write,
    { ...retirement, part: null },
    {
      old: { memory: old.key, version: old.current_row },
      new: { memory: successor.key, version: successor.current_row },
      status: 'applied',
      now,
    },
  )
  await supersede(write, old, by, { from: now, now })
  await settleRelationshipsOf(write, [old.key, successor.key])
  await write.end()
  return true
}

interface Candidate extends OwnMemory {
  readonly expires_at: number | null
}

function currentMemory(
  user: UserData,
  { id, checksum }: Retirement['memory'],
  now: number,
): Promise<Candidate | undefined> {
  return user.get<Candidate>(
    `SELECT m.key, m.id, m.project, m.current_row, m.superseded_at, m.expires_at
     FROM memories m JOIN versions v ON v.user_id = m.user_id AND v.row = m.current_row
     WHERE m.user_id = @user AND m.id = ? AND v.checksum = ? AND NOT v.flagged AND m.superseded_at IS NULL
       AND (m.expires_at IS NULL OR m.expires_at > ?)`,
    id,
    checksum,
    now,
  )
}

/** In the same project, and does not expire earlier. */
function mayReplace(by: Candidate, old: Candidate): boolean {
  const isAsLasting = by.expires_at === null || (old.expires_at !== null && by.expires_at >= old.expires_at)
  return by.key !== old.key && by.project === old.project && isAsLasting
}

async function wasRetired(user: UserData, old: Candidate): Promise<boolean> {
  const pairs = await pairsOf(user, [old.id])
  return pairs.some(({ oldId, retires }) => oldId === old.id && retires)
}

export async function knownPairs(
  session: Session,
  scope: UserScope,
  memoryIds: readonly string[],
): Promise<KnownPair[]> {
  const user = await dataOf(session, scope.userId)
  return user ? pairsOf(user, memoryIds) : []
}

async function pairsOf(user: UserData, memoryIds: readonly string[]): Promise<KnownPair[]> {
  const chosen = `(SELECT m.key FROM memories m WHERE m.user_id = @user AND ${user.dialect.among('m.id', 'text')})`
  const rows = await user.all<{ oldId: string; newId: string; reason: string | null }>(
    `SELECT o.id AS "oldId", n.id AS "newId", ${user.dialect.jsonText('c.reason')} AS reason FROM contradictions c
       JOIN memories o ON o.user_id = c.user_id AND o.key = c.old_memory
       JOIN memories n ON n.user_id = c.user_id AND n.key = c.new_memory
     WHERE c.user_id = @user AND (c.old_memory IN ${chosen} OR c.new_memory IN ${chosen}) ORDER BY c.key`,
    memoryIds,
    memoryIds,
  )
  return rows.map(({ oldId, newId, reason }) => ({
    oldId,
    newId,
    // `commit` or `retire` wrote it.
    retires: reason !== null && isRetiringRule((JSON.parse(reason) as ContradictionReason).rule),
  }))
}
