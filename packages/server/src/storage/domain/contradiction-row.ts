/** A contradiction as it is read. */
import type { ContradictionReason, ContradictionStatus } from '../../core/contradiction.js'
import type { PartRange } from '../../core/outdated.js'
import type { Contradiction } from '../ports/contradictions.js'

export interface ContradictionRow {
  readonly id: string
  readonly user_id: string
  readonly project: string | null
  readonly status: ContradictionStatus
  readonly why: string
  /** JSON. */
  readonly reason: string | null
  readonly created_at: number
  readonly decided_at: number | null
  readonly part_start: number | null
  readonly part_end: number | null
  readonly old_id: string
  readonly old_content: string
  readonly old_created_at: number
  readonly old_expires_at: number | null
  readonly old_superseded_at: number | null
  readonly old_superseded_by: string | null
  readonly new_id: string
  readonly new_content: string
  readonly new_created_at: number
  readonly new_expires_at: number | null
  readonly new_superseded_at: number | null
  readonly new_superseded_by: string | null
}

export function contradictionOf(row: ContradictionRow): Contradiction {
  return {
    id: row.id,
    userId: row.user_id,
    project: row.project,
    status: row.status,
    why: row.why,
    // `commit` wrote it.
    reason: row.reason === null ? null : (JSON.parse(row.reason) as ContradictionReason),
    part: partOf(row),
    old: {
      id: row.old_id,
      content: row.old_content,
      createdAt: row.old_created_at,
      expiresAt: row.old_expires_at,
      supersededAt: row.old_superseded_at,
      supersededBy: row.old_superseded_by,
    },
    new: {
      id: row.new_id,
      content: row.new_content,
      createdAt: row.new_created_at,
      expiresAt: row.new_expires_at,
      supersededAt: row.new_superseded_at,
      supersededBy: row.new_superseded_by,
    },
    createdAt: row.created_at,
    decidedAt: row.decided_at,
  }
}

export function partOf(row: Pick<ContradictionRow, 'part_start' | 'part_end'>): PartRange | null {
  const { part_start: start, part_end: end } = row
  return start === null || end === null ? null : { start, end }
}
