/** Finds the rows of versions, whether or not a search may find them. */
import type { UserScope } from '../../core/scope.js'

export interface VersionLookup {
  /**
   * All versions of these memories of the user, of every project and time, oldest first; at most the latest 500 per memory.
   * Ids that the user does not have are left out.
   */
  versionsOf(scope: UserScope, memoryIds: readonly string[]): Promise<KnownVersion[]>
}

export interface KnownVersion {
  readonly memoryId: string
  readonly row: number
  readonly project: string | null
  readonly validFrom: number
  readonly validTo: number | null
  readonly expiresAt: number | null
  readonly flagged: boolean
}

/** Per memory. */
export const mostVersionsLookedUp = 500
