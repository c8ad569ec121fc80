/**
 * Whose something is. A scope of one user knows; where a caller may name any id, the id is looked for in everyone's rows,
 * by an index that every partition has of its own.
 */
import type { Scope } from '../../core/scope.js'
import { isStorable } from '../domain/storable-text.js'
import type { Database } from './database.js'
import { UserData } from './user-data.js'
import { UserWrite } from './user-rows.js'

type Table = 'memories' | 'entities' | 'contradictions' | 'entity_merges'

/** Undefined: the scope has no such row. From here on the transaction sees the owner's rows alone. */
export async function findOwner(db: Database, scope: Scope, table: Table, id: string): Promise<UserData | undefined> {
  if (scope.kind === 'nobody' || !isStorable(id)) return undefined
  if (scope.kind === 'user') return isStorable(scope.userId) ? new UserData(db, scope.userId) : undefined
  const row = await db.get<{ user_id: string }>(`SELECT user_id FROM ${table} WHERE id = ? LIMIT 1`, id)
  if (!row) return undefined
  await db.actAs(row.user_id)
  return new UserData(db, row.user_id)
}

/** The same, for writing: nobody else writes for that user until the transaction ends. */
export async function lockOwner(db: Database, scope: Scope, table: Table, id: string): Promise<UserWrite | undefined> {
  const owner = await findOwner(db, scope, table, id)
  return owner && (await UserWrite.begin(db, owner.userId))
}
