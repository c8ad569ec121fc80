import type { Scope } from '../../../core/scope.js'
import type { ReplacedVector } from '../../ports/vector-upkeep.js'
import { replaceItemVector } from '../items/item-feed.js'
import type { Session } from '../session.js'
import { dataOf } from '../user-data.js'
import { UserWrite } from '../user-write.js'

export async function replaceVectors(
  session: Session,
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
  // Always in the same order: users stay locked until the end.
  for (const [userId, own] of [...byUser].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const user = await dataOf(session, userId)
    if (!user) continue
    await session.actAs(user.key)
    const write = await UserWrite.begin(user)
    const changed = write ? await replaceOwn(write, modelId, own) : 0
    if (changed > 0) await write?.end()
    replaced += changed
  }
  return replaced
}

async function replaceOwn(write: UserWrite, modelId: string, vectors: readonly ReplacedVector[]): Promise<number> {
  let replaced = 0
  for (const each of vectors) {
    const { row, vector, ...was } = each
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
    // A row number belongs to one table only.
    const isItem = changed === 0 && (await replaceItemVector(write, modelId, each))
    if (changed === 0 && !isItem) continue
    if (!isItem) await write.session.vectors.write(write.key, [{ row, vector }])
    replaced += 1
  }
  return replaced
}
