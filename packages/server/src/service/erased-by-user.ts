import { auditedUser, type Scope } from '../core/scope.js'
import type { Erased } from '../storage/ports/memory-writes.js'

/** Ids of erased memories by user, for the audit log; one empty entry if nothing was erased. */
export function erasedByUser(erased: readonly Erased[], scope: Scope): Map<string | null, string[]> {
  const users = new Map<string | null, string[]>()
  for (const { userId, memoryId } of erased) {
    const memoryIds = users.get(userId)
    if (memoryIds) memoryIds.push(memoryId)
    else users.set(userId, [memoryId])
  }
  return users.size === 0 ? new Map([[auditedUser(scope), []]]) : users
}
