import type { UserScope } from '../../core/scope.js'
import { isStorable } from '../domain/storable-text.js'
import type { Contested } from '../ports/memory-reads.js'
import { type ContestedRow, contestedOf, contestedSql } from '../sql/memories/read-memories.js'
import { postgresDialect } from './dialect.js'
import type { LookUp } from './lookups.js'

const sql = contestedSql({ dialect: postgresDialect })

/** The same read as on SQLite, in one message. */
export async function contested(lookUp: LookUp, scope: UserScope, memoryIds: readonly string[]): Promise<Contested[]> {
  if (memoryIds.length < 2 || !isStorable(scope.userId)) return []
  const ids = memoryIds.filter(isStorable)
  const [rows] = await lookUp<[ContestedRow[]]>(scope, { sql, values: [ids, ids, scope.userId] })
  return rows.map(contestedOf)
}
