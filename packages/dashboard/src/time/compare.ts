/** The differences between two lists of the same memories at two points in time. */
import type { Memory } from '@keepsake/client'
import { outdatedWords } from '../memories/outdated-words.ts'

export interface MomentList {
  /** Time of the list, in milliseconds. */
  readonly at: number
  /** Newest first. */
  readonly memories: readonly Memory[]
  /** False if older memories were left out. */
  readonly whole: boolean
}

export interface Comparison {
  readonly added: readonly Memory[]
  readonly changed: readonly { readonly before: Memory; readonly after: Memory }[]
  readonly superseded: readonly { readonly memory: Memory; readonly by: Memory | undefined }[]
  readonly expired: readonly Memory[]
  /** Only memories created after this time were compared; undefined if all were. */
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

/** If a list was truncated, older memories may be missing only for that reason. */
function beginningOf(...lists: readonly MomentList[]): string | undefined {
  const oldest = lists.flatMap(({ whole, memories }) => (whole ? [] : [memories.at(-1)?.createdAt ?? '']))
  return oldest.sort().at(-1)
}

function compared({ memories }: MomentList, since: string | undefined): readonly Memory[] {
  // The truncation may separate memories created at the same time, so that time is excluded too.
  return since === undefined ? memories : memories.filter(({ createdAt }) => createdAt > since)
}

function isChanged(before: Memory, after: Memory): boolean {
  return (
    before.content !== after.content ||
    before.project !== after.project ||
    before.expiresAt !== after.expiresAt ||
    JSON.stringify(before.metadata) !== JSON.stringify(after.metadata) ||
    outdatedWords(before) !== outdatedWords(after)
  )
}
