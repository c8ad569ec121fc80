import type { Scope } from '../../core/scope.js'
import type { ReplacedVector } from '../ports/vector-upkeep.js'
import type { Database } from './database.js'
import { UserWrite } from './user-rows.js'
import { writeVectors } from './write-version.js'

export async function replaceVectors(
  db: Database,
  scope: Scope,
  modelId: string,
  vectors: readonly ReplacedVector[],
): Promise<number> {
  const byUser = new Map<string, ReplacedVector[]>()
  for (const vector of vectors) {
    if (scope.kind === 'nobody' || (scope.kind === 'user' && scope.userId !== vector.userId)) continue
    byUser.set(vector.userId, [...(byUser.get(vector.userId) ?? []), vector])
  }
  let replaced = 0
  // In one order everywhere: users are locked until the end.
  for (const [userId, own] of [...byUser].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await db.actAs(userId)
    const write = await UserWrite.begin(db, userId)
    const changed = write ? await replaceOwn(write, modelId, own) : 0
    if (changed > 0) await write?.end()
    replaced += changed
  }
  return replaced
}

async function replaceOwn(write: UserWrite, modelId: string, vectors: readonly ReplacedVector[]): Promise<number> {
  let replaced = 0
  for (const { row, vector, ...was } of vectors) {
    if (!Number.isSafeInteger(row)) continue
    const changed = await write.run(
      `UPDATE versions SET model_id = ?, revision = ?
       WHERE user_id = @user AND row = ? AND model_id = ? AND checksum = ?`,
      modelId,
      write.revision,
      row,
      was.modelId,
      was.checksum,
    )
    if (changed === 0) continue
    await writeVectors(write, row, vector)
    replaced += 1
  }
  return replaced
}
