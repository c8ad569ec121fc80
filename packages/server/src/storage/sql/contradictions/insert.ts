import type { ContradictionStatus } from '../../../core/contradiction.js'
import { storable } from '../../domain/storable-text.js'
import type { NewContradiction } from '../../ports/contradictions.js'
import type { UserWrite } from '../user-write.js'

interface ContradictionSides {
  readonly old: { readonly memory: number; readonly version: number }
  readonly new: { readonly memory: number; readonly version: number }
  readonly status: ContradictionStatus
  readonly now: number
}

export async function insertContradiction(
  write: UserWrite,
  { id, part, why, reason }: Omit<NewContradiction, 'memoryId'>,
  sides: ContradictionSides,
): Promise<void> {
  await write.send(
    `INSERT INTO contradictions (user_id, key, id, old_memory, new_memory, old_version, new_version, status, why, reason,
       created_at, part_start, part_end)
     VALUES (@user, ?, ?, ?, ?, ?, ?, ?, ?, ${write.dialect.jsonValue}, ?, ?, ?)`,
    write.nextRow(),
    id,
    sides.old.memory,
    sides.new.memory,
    sides.old.version,
    sides.new.version,
    sides.status,
    storable(why, 'why'),
    reason === null ? null : storable(JSON.stringify(reason), 'reason'),
    sides.now,
    part?.start ?? null,
    part?.end ?? null,
  )
}
