/** Makes parts of a memory outdated, or current again: each time in a new version with the same content. */
import type { Slot } from '../../../core/entity.js'
import { type OutdatedPart, withParts } from '../../../core/outdated.js'
import { type NewMemory, type PartEnding, RevisionConflict } from '../../ports/memory-writes.js'
import { type OutdatedColumn, outdatedJson, outdatedOf } from '../columns.js'
import { statement } from '../statement.js'
import type { UserData } from '../user-data.js'
import type { UserWrite } from '../user-write.js'
import { endCurrent, type OwnMemory, repeatVersion } from './supersede.js'
import { carryPartly } from './write-version.js'

export interface PartState {
  readonly content: string
  readonly checksum: string
  readonly modelId: string
  readonly outdated: readonly OutdatedPart[]
}

/** The vector of the text that remains, or the row of a version that has it. */
export interface RemainingVector {
  readonly vector: number | Float32Array
  readonly modelId: string
}

export interface PartChange extends RemainingVector {
  readonly outdated: readonly OutdatedPart[]
  readonly slots: readonly Slot[]
  /** When the new version begins, and when that became known. */
  readonly from: number
  readonly now: number
  readonly event: 'outdated' | 'restored'
  /** The memory that the part gave way to. */
  readonly by: string
}

export async function partState(user: UserData, version: number): Promise<PartState> {
  const row = await user.get<Omit<PartState, 'outdated'> & { readonly outdated: OutdatedColumn }>(
    `SELECT content, checksum, model_id AS "modelId", ${user.dialect.jsonText('outdated')} AS outdated
     FROM versions WHERE user_id = @user AND row = ?`,
    version,
  )
  if (!row) throw new Error('a memory has lost its current version')
  return { ...row, outdated: outdatedOf(row.outdated) }
}

/** `memory` must be current. */
export async function changeParts(
  write: UserWrite,
  memory: OwnMemory,
  { checksum }: Pick<PartState, 'checksum'>,
  change: PartChange,
): Promise<void> {
  const { key, id, project, current_row: from } = memory
  const row = write.nextRow()
  await repeatVersion(write, from, row, change.from)
  write.grown.add(key)
  await write.send(
    `UPDATE versions SET outdated = ${write.dialect.jsonValue}, model_id = ? WHERE user_id = @user AND row = ?`,
    outdatedJson(change.outdated),
    change.modelId,
    row,
  )
  await write.send(
    `UPDATE versions SET valid_to = (SELECT later.valid_from FROM versions later WHERE later.user_id = @user AND later.row = ?),
       revision = ? WHERE user_id = @user AND row = ?`,
    row,
    write.revision,
    from,
  )
  await endCurrent(write, from)
  await carryPartly(write, from, { row, memory: key }, change)
  await write.send('UPDATE memories SET current_row = ? WHERE user_id = @user AND key = ?', row, key)
  write.tell({
    type: change.event === 'outdated' ? 'memory.outdated' : 'memory.restored',
    action: change.event === 'outdated' ? 'OUTDATE' : 'RESTORE',
    memoryId: id,
    project,
    checksum,
    relatedIds: [change.by],
    at: change.now,
  })
}

/** Carries out the endings of a new memory, with one new version per old memory. */
export async function endParts(
  write: UserWrite,
  by: NewMemory,
  find: (memoryId: string) => Promise<OwnMemory>,
  now: number,
): Promise<void> {
  for (const [memoryId, endings] of grouped(by)) {
    const old = await find(memoryId)
    if (old.superseded_at !== null || memoryId === by.id) throw new RevisionConflict(`${memoryId} is no longer current`)
    const state = await partState(write, old.current_row)
    const ended = endings.map(({ start, end }) => ({
      start: Math.max(0, start),
      end: Math.min(end, state.content.length),
      since: by.createdAt,
      by: by.id,
    }))
    const outdated = withParts(state.outdated, ended)
    const vector = endings.at(-1)?.vector
    if (outdated === state.outdated || !vector) continue
    await changeParts(write, old, state, {
      outdated,
      vector,
      modelId: by.version.modelId,
      slots: keptByAll(endings),
      from: by.createdAt,
      now,
      event: 'outdated',
      by: by.id,
    })
  }
}

/** A memory that is superseded as a whole needs no endings. */
function grouped({ endings, supersedes }: NewMemory): Map<string, PartEnding[]> {
  const groups = new Map<string, PartEnding[]>()
  for (const ending of endings) {
    if (supersedes.includes(ending.memoryId)) continue
    groups.set(ending.memoryId, [...(groups.get(ending.memoryId) ?? []), ending])
  }
  return groups
}

function keptByAll(endings: readonly PartEnding[]): readonly Slot[] {
  const [first, ...others] = endings.map(({ slots }) => slots)
  const isKept = ({ slot, value }: Slot) =>
    others.every((slots) => slots.some((other) => other.slot === slot && other.value === value))
  return first?.filter(isKept) ?? []
}

const setOutdated = statement(
  ({ rows }) => `UPDATE versions SET outdated = x.outdated FROM ${rows('x', { row: 'bigint', outdated: 'json' })}
    WHERE versions.user_id = @user AND versions.row = x.row`,
)

/** Parts that erased memories made outdated stay outdated, but no longer name those memories. */
export async function forgetWhoEnded(user: UserData, memoryIds: readonly string[]): Promise<void> {
  const rows = await user.all<{ row: number; outdated: string }>(
    `SELECT row, ${user.dialect.jsonText('outdated')} AS outdated FROM versions
     WHERE user_id = @user AND outdated IS NOT NULL ORDER BY row`,
  )
  const erased = new Set<string | null>(memoryIds)
  const changed = rows.flatMap(({ row, outdated: column }) => {
    const parts = outdatedOf(column)
    if (!parts.some(({ by }) => erased.has(by))) return []
    return [{ row, outdated: parts.map((part) => (erased.has(part.by) ? { ...part, by: null } : part)) }]
  })
  if (changed.length > 0) await user.send(setOutdated(user), JSON.stringify(changed))
}
