/** Merges names, by the rule in `domain/merge-rule.ts` or on request, and ends merges. */
import { idSource } from '../../../core/ids.js'
import { whyMerged } from '../../domain/merge-names.js'
import { decideMerge, type Fit } from '../../domain/merge-rule.js'
import type { MergeRule } from '../../ports/entity-merges.js'
import { settleRelationships } from '../relationships/settle-relationships.js'
import type { UserData } from '../user-data.js'
import type { UserWrite } from '../user-write.js'
import { groupsOf } from './entity-groups.js'
import { loadCandidates, type StandingMerge } from './merge-candidates.js'
import type { Named } from './named.js'

/** A name that the rule may merge or separate, and the time to record for that. */
export interface NameToMerge {
  readonly entity: Named
  readonly at: number
}

/** Merges each name, ends its merge or leaves it unchanged, in the given order. Returns whether a merge was made or ended. */
export async function mergeByRule(write: UserWrite, names: readonly NameToMerge[]): Promise<boolean> {
  let hasChanged = false
  for (let left = names; left.length > 0; ) {
    const done = await mergeFirst(write, left)
    hasChanged ||= done !== null
    left = done === null ? [] : left.slice(done)
  }
  return hasChanged
}

/**
 * Most names stay unchanged, so all are examined together, up to the first for which a merge is made or ended. Returns how many
 * were examined; null: all of them, and none has changed.
 */
async function mergeFirst(write: UserWrite, names: readonly NameToMerge[]): Promise<number | null> {
  const candidates = await loadCandidates(
    write,
    names.map(({ entity }) => entity),
  )
  for (const [index, { entity, at }] of names.entries()) {
    const found = candidates.get(entity.key)
    if (!found) continue
    const { ends, into } = decideMerge(found)
    if (ends && found.standing) await endMerge(write, found.standing, at, 'rule')
    if (into) await insertByRule(write, entity, into, at)
    if (ends || into) return index + 1
  }
  return null
}

async function insertByRule(write: UserWrite, entity: Named, into: Fit, at: number): Promise<void> {
  const id = idSource({ now: () => at }).next('mrg')
  await insertMerge(write, { id, entity, into, rule: into.rule, why: whyMerged(into.rule, entity, into), at })
}

export interface NewMerge {
  readonly id: string
  readonly entity: { readonly key: number }
  readonly into: { readonly key: number }
  readonly rule: MergeRule
  readonly why: string
  readonly at: number
}

export async function insertMerge(write: UserWrite, { id, entity, into, rule, why, at }: NewMerge): Promise<void> {
  await write.send(
    `INSERT INTO entity_merges (user_id, key, id, entity, into_entity, rule, why, created_at)
     VALUES (@user, ?, ?, ?, ?, ?, ?, ?)`,
    write.nextRow(),
    id,
    entity.key,
    into.key,
    rule,
    why,
    at,
  )
  const groups = await groupsOf(write, [entity.key, into.key])
  await regroup(write, [...groups.keys()])
}

export async function endMerge(
  user: UserData,
  merge: Pick<StandingMerge, 'key' | 'entity'>,
  at: number,
  by: 'user' | 'rule',
): Promise<void> {
  const before = await groupsOf(user, [merge.entity])
  await user.send(
    'UPDATE entity_merges SET reverted_at = ?, reverted_by = ? WHERE user_id = @user AND key = ?',
    at,
    by,
    merge.key,
  )
  await regroup(user, [...before.keys()])
}

/** Finds the roots of these names again, and recomputes their relationships where one of the type is exclusive. */
export async function regroup(user: UserData, entities: readonly number[]): Promise<void> {
  const { among } = user.dialect
  await user.send(
    `WITH RECURSIVE chain (start, key) AS (
       SELECT e.key, e.key FROM entities e WHERE e.user_id = @user AND ${among('e.key', 'bigint')}
       UNION SELECT chain.start, g.into_entity FROM chain CROSS JOIN entity_merges g
         WHERE g.user_id = @user AND g.entity = chain.key AND g.reverted_at IS NULL
     ), ends AS (
       SELECT start, key FROM chain WHERE NOT EXISTS (SELECT 1 FROM entity_merges g
         WHERE g.user_id = @user AND g.entity = chain.key AND g.reverted_at IS NULL)
     ) UPDATE entities AS e SET merged_into = nullif(ends.key, e.key) FROM ends
     WHERE e.user_id = @user AND e.key = ends.start AND ${among('e.key', 'bigint')}`,
    entities,
    entities,
  )
  const rows = await user.all<{ key: number }>(
    `WITH own AS (
       SELECT key, type, exclusive FROM relationships WHERE user_id = @user AND ${among('source', 'bigint')}
       UNION SELECT key, type, exclusive FROM relationships WHERE user_id = @user AND ${among('target', 'bigint')})
     SELECT key FROM own WHERE type IN (SELECT type FROM own WHERE exclusive) ORDER BY key`,
    entities,
    entities,
  )
  await settleRelationships(
    user,
    rows.map((row) => row.key),
  )
}
