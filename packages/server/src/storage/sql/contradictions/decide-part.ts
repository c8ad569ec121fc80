/** Decisions about a part of the old memory: both memories stay current, and no other fact changes. */
import type { Slot } from '../../../core/entity.js'
import {
  isWhollyOutdated,
  type OutdatedPart,
  type PartRange,
  remainingText,
  withoutPart,
  withParts,
} from '../../../core/outdated.js'
import { partOf } from '../../domain/contradiction-row.js'
import type { Decided, Decision } from '../../ports/contradictions.js'
import { type OutdatedColumn, outdatedOf } from '../columns.js'
import { changeParts, type PartState, partState, type RemainingVector } from '../memories/outdate.js'
import { type OwnMemory, restore, supersede } from '../memories/supersede.js'
import type { UserData } from '../user-data.js'
import type { UserWrite } from '../user-write.js'
import type { Pair } from './pair.js'

export function whyNotRevertPart(pair: Pair): Decided['refused'] {
  const isReplacedByAnother = pair.old.superseded_at !== null && pair.old.superseded_by !== pair.new.key
  if (pair.new.superseded_at !== null || isReplacedByAnother) return 'superseded'
  return pair.old.same && pair.new.same ? null : 'changed'
}

export async function acceptPart(write: UserWrite, pair: Pair, part: PartRange, decision: Decision): Promise<void> {
  const { now } = decision
  const { old } = pair
  const state = await partState(write, old.current_row)
  const outdated = withParts(state.outdated, [{ ...part, since: now, by: pair.new.id }])
  if (outdated === state.outdated) return
  if (isWhollyOutdated(state.content, outdated)) return supersede(write, old, pair.new, { from: now, now })
  const slots = await slotsOf(write, old.current_row)
  await changeParts(write, old, state, {
    ...(await vectorOf(write, old, state, outdated, decision)),
    outdated,
    slots: slots.filter((slot) => !isOfReason(pair, slot)),
    from: now,
    now,
    event: 'outdated',
    by: pair.new.id,
  })
}

export async function revertPart(write: UserWrite, pair: Pair, decision: Decision): Promise<void> {
  const { now } = decision
  const { old } = pair
  // Nothing else was left of it, so that it was superseded as a whole.
  if (old.superseded_at !== null) return restore(write, old, now)
  const state = await partState(write, old.current_row)
  // Data of earlier versions may have several parts per contradiction.
  const without = withoutPart(state.outdated, { start: 0, end: state.content.length }, pair.new.id)
  if (without === state.outdated) return
  const outdated = withParts(without, await endedByOthers(write, pair))
  await changeParts(write, old, state, {
    ...(await vectorOf(write, old, state, outdated, decision)),
    outdated,
    slots: await slotsAfterRevert(write, pair, outdated),
    from: now,
    now,
    event: 'restored',
    by: pair.new.id,
  })
}

/** Withdraws only the words of the new memory that the old one speaks against. False if nothing else would be left of it. */
export async function withdrawPart(write: UserWrite, pair: Pair, decision: Decision): Promise<boolean> {
  const { now, withdrawn = [] } = decision
  const state = await partState(write, pair.new.current_row)
  const outdated = withParts(
    state.outdated,
    withdrawn.map(({ start, end }) => ({
      start,
      end: Math.min(end, state.content.length),
      since: now,
      by: pair.old.id,
    })),
  )
  if (outdated === state.outdated || isWhollyOutdated(state.content, outdated)) return false
  const slots = await slotsOf(write, pair.new.current_row)
  const { reason } = pair
  await changeParts(write, pair.new, state, {
    ...(await vectorOf(write, pair.new, state, outdated, decision)),
    outdated,
    slots: slots.filter(({ slot, value }) => reason === null || slot !== reason.slot || value !== reason.newValue),
    from: now,
    now,
    event: 'outdated',
    by: pair.old.id,
  })
  return true
}

/** The opposite: the new memory says all of its words again. */
export async function takeBackPart(write: UserWrite, pair: Pair, decision: Decision): Promise<void> {
  const { now } = decision
  const state = await partState(write, pair.new.current_row)
  const outdated = withoutPart(state.outdated, { start: 0, end: state.content.length }, pair.old.id)
  if (outdated === state.outdated) return
  const [current, before] = [await slotsOf(write, pair.new.current_row), await slotsOf(write, pair.newVersion)]
  await changeParts(write, pair.new, state, {
    ...(await vectorOf(write, pair.new, state, outdated, decision)),
    outdated,
    slots: [...current, ...before.filter((slot) => !current.some((known) => isSame(known, slot)))],
    from: now,
    now,
    event: 'restored',
    by: pair.old.id,
  })
}

/** Another contradiction that still applies may be about the same words. */
async function endedByOthers(user: UserData, pair: Pair): Promise<OutdatedPart[]> {
  const rows = await user.all<{ id: string; since: number; part_start: number; part_end: number }>(
    `SELECT n.id, n.created_at AS since, c.part_start, c.part_end
     FROM contradictions c JOIN memories n ON n.user_id = c.user_id AND n.key = c.new_memory
       JOIN versions was ON was.user_id = c.user_id AND was.row = c.old_version
       JOIN versions v ON v.user_id = c.user_id AND v.row = ? AND v.checksum = was.checksum
     WHERE c.user_id = @user AND c.old_memory = ? AND c.key <> ? AND c.status IN ('applied', 'accepted')
       AND c.part_start IS NOT NULL ORDER BY c.key`,
    pair.old.current_row,
    pair.old.key,
    pair.key,
  )
  return rows.flatMap(({ id: by, since, ...row }) => {
    const part = partOf(row)
    return part ? [{ ...part, since, by }] : []
  })
}

/** The fact that ended is stated again. If nothing is outdated any more, so is every fact that the version stated before. */
async function slotsAfterRevert(user: UserData, pair: Pair, outdated: readonly OutdatedPart[]): Promise<Slot[]> {
  const [current, before] = [await slotsOf(user, pair.old.current_row), await slotsOf(user, pair.oldVersion)]
  const isWhole = outdated.length === 0 || pair.reason === null
  const again = before.filter(
    (slot) => (isWhole || isOfReason(pair, slot)) && !current.some((known) => isSame(known, slot)),
  )
  return [...current, ...again]
}

function isOfReason({ reason }: Pair, slot: Slot): boolean {
  return reason !== null && isSame({ slot: reason.slot, value: reason.oldValue }, slot)
}

function isSame(a: Slot, b: Slot): boolean {
  return a.slot === b.slot && a.value === b.value
}

function slotsOf(user: UserData, version: number): Promise<Slot[]> {
  return user.all<Slot>(
    'SELECT slot, value FROM slots WHERE user_id = @user AND version = ? ORDER BY slot, value',
    version,
  )
}

const mostVersionsCompared = 50

/** The caller's vector of the remaining text, or that of an earlier version that said the same, or the current one. */
async function vectorOf(
  user: UserData,
  memory: OwnMemory,
  { content, modelId }: PartState,
  outdated: readonly OutdatedPart[],
  { remaining }: Decision,
): Promise<RemainingVector> {
  const text = remainingText(content, outdated)
  const given = remaining?.find((each) => each.memoryId === memory.id && each.text === text)
  if (given) return given
  const versions = await user.all<{ row: number; modelId: string; content: string; outdated: OutdatedColumn }>(
    `SELECT row, model_id AS "modelId", content, ${user.dialect.jsonText('outdated')} AS outdated FROM versions
     WHERE user_id = @user AND memory = ? ORDER BY version DESC LIMIT ?`,
    memory.key,
    mostVersionsCompared,
  )
  const same = versions.find((each) => remainingText(each.content, outdatedOf(each.outdated)) === text)
  return same ? { vector: same.row, modelId: same.modelId } : { vector: memory.current_row, modelId }
}
