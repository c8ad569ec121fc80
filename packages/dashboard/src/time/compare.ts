/** What lies between two lists of the same memories, each as it was at a moment. */
import type { Memory } from '@keepsake/client'

export interface MomentList {
  /** When, in milliseconds. */
  readonly at: number
  /** Newest first. */
  readonly memories: readonly Memory[]
  /** False: older ones were left out. */
  readonly whole: boolean
}

export interface Comparison {
  readonly added: readonly Memory[]
  readonly changed: readonly { readonly before: Memory; readonly after: Memory }[]
  readonly superseded: readonly { readonly memory: Memory; readonly by: Memory | undefined }[]
  readonly expired: readonly Memory[]
  /** Only memories created since were compared; undefined: all were. */
  readonly since: string | undefined
}

export function compare(before: MomentList, after: MomentList): Comparison {
  const since = beginningOf(before, after)
  const old = compared(before, since)
  const now = compared(after, since)
  const oldById = new Map(old.map((memory) => [memory.id, memory]))
  const nowIds = new Set(now.map(({ id }) => id))
  const gone = old.filter(({ id }) => !nowIds.has(id))
  const isExpired = ({ expiresAt }: Memory) => expiresAt !== null && Date.parse(expiresAt) <= after.at
  return {
    added: now.filter(({ id }) => !oldById.has(id)),
    changed: now.flatMap((memory) => {
      const was = oldById.get(memory.id)
      return was !== undefined && isChanged(was, memory) ? [{ before: was, after: memory }] : []
    }),
    superseded: gone
      .filter((memory) => !isExpired(memory))
      .map((memory) => ({ memory, by: now.find(({ supersedes }) => supersedes?.includes(memory.id)) })),
    expired: gone.filter(isExpired),
    since,
  }
}

/** Where a list was cut, what is older may be missing for that alone. */
function beginningOf(...lists: readonly MomentList[]): string | undefined {
  const oldest = lists.flatMap(({ whole, memories }) => (whole ? [] : [memories.at(-1)?.createdAt ?? '']))
  return oldest.sort().at(-1)
}

function compared({ memories }: MomentList, since: string | undefined): readonly Memory[] {
  // The cut may go through memories of the same moment: that moment is left out too.
  return since === undefined ? memories : memories.filter(({ createdAt }) => createdAt > since)
}

function isChanged(before: Memory, after: Memory): boolean {
  return (
    before.content !== after.content ||
    before.project !== after.project ||
    before.expiresAt !== after.expiresAt ||
    JSON.stringify(before.metadata) !== JSON.stringify(after.metadata)
  )
}
