import type { Scope } from '../../core/scope.js'
import type { ReplacedVector } from '../ports/vector-upkeep.js'
import type { Database } from './database.js'
import { findUser, isRowOf, UserWrite } from './user-rows.js'
import { writeVectors } from './write-version.js'

export function replaceVectors(
  db: Database,
  scope: Scope,
  modelId: string,
  vectors: readonly ReplacedVector[],
): number {
  const touched = new Map<string, UserWrite>()
  let replaced = 0
  for (const { userId, row, vector, ...was } of vectors) {
    if (scope.kind === 'nobody' || (scope.kind === 'user' && scope.userId !== userId)) continue
    const user = findUser(db, userId)
    if (!user || !isRowOf(user, row)) continue
    const write = touched.get(userId) ?? UserWrite.begin(db, user.key)
    const changed = db.run(
      'UPDATE versions SET model_id = ?, revision = ? WHERE row = ? AND model_id = ? AND checksum = ?',
      modelId,
      write.revision,
      row,
      was.modelId,
      was.checksum,
    )
    if (changed === 0) continue
    writeVectors(db, row, vector)
    touched.set(userId, write)
    replaced += 1
  }
  for (const write of touched.values()) write.end()
  return replaced
}
