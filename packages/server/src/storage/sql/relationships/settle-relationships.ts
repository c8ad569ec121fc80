/**
 * Recomputes when relationships hold, from the statements about them. A store needs less (`write-relationships.ts`); this is for
 * statements that are withdrawn or erased, and for names that are merged or separated. The rules are in `domain/settle.ts`.
 */
import { isSymmetric } from '../../../core/entity.js'
import { ended, endsToSettle, Rivalry, refreshed, type Stretch, type Told } from '../../domain/settle.js'
import type { UserData } from '../user-data.js'
import { loadExclusiveRivals, loadRivals, loadStretches, loadTold } from './load-stretches.js'

/** Settles every relationship that any version of these memories stated or ended. */
export async function settleRelationshipsOf(user: UserData, memories: readonly number[]): Promise<void> {
  const versions = await user.all<{ row: number }>(
    `SELECT row FROM versions WHERE user_id = @user AND ${user.dialect.among('memory', 'bigint')}`,
    memories,
  )
  const rows = versions.map((version) => version.row)
  await settleRelationships(user, await relationshipsTouchedBy(user, rows))
}

export async function relationshipsTouchedBy(user: UserData, versions: readonly number[]): Promise<number[]> {
  const ofVersions = `user_id = @user AND ${user.dialect.among('version', 'bigint')}`
  const rows = await user.all<{ relationship: number }>(
    `SELECT relationship FROM relationship_sources WHERE ${ofVersions}
     UNION SELECT relationship FROM relationship_ends WHERE ${ofVersions} ORDER BY relationship`,
    versions,
    versions,
  )
  return rows.map((row) => row.relationship)
}

/**
 * Relationships whose end depends on these versions: a version ended it, stated it as exclusive, or stated the one that ended it.
 */
export async function relationshipsDecidedBy(user: UserData, versions: readonly number[]): Promise<number[]> {
  const ofVersions = `user_id = @user AND ${user.dialect.among('version', 'bigint')}`
  const rows = await user.all<{ relationship: number }>(
    `SELECT relationship FROM relationship_ends WHERE ${ofVersions}
     UNION SELECT relationship FROM relationship_sources WHERE ${ofVersions} AND exclusive ORDER BY relationship`,
    versions,
    versions,
  )
  const keys = rows.map((row) => row.relationship)
  const exclusive = (await loadStretches(user, keys)).filter((stretch) => stretch.exclusive)
  const rivalry = new Rivalry(await loadRivals(user, exclusive))
  return [...new Set([...keys, ...exclusive.flatMap((stretch) => rivalry.endedBy(stretch)).map(({ key }) => key)])]
}

/** First recomputes each start, then the ends that depend on rivals, including the rivals' own. */
export async function settleRelationships(user: UserData, relationships: Iterable<number>): Promise<void> {
  const keys = [...relationships]
  if (keys.length === 0) return
  const [before, told] = await Promise.all([loadStretches(user, keys), loadTold(user, keys)])
  const after = before.flatMap((stretch) => refreshed(stretch, toldOf(told, stretch)) ?? [])
  const rivals = await loadRivals(user, [...before, ...after])
  /** The new state: changed ones replace those that were loaded. */
  const stretches = byKey([...rivals, ...before, ...after])
  const ends = endsToSettle(before, after, stretches.values())
  const others = [...ends].flatMap((key) => (told.has(key) ? [] : (stretches.get(key) ?? [])))
  const [toldOfOthers, moreRivals] = await Promise.all([
    loadTold(
      user,
      others.map(({ key }) => key),
    ),
    // For a type that is not symmetric, all rivals share their source and are already loaded.
    loadExclusiveRivals(
      user,
      others.filter(({ type }) => isSymmetric(type)),
    ),
  ])
  const rivalry = new Rivalry(byKey([...moreRivals, ...stretches.values()]).values())
  const allTold = new Map([...told, ...toldOfOthers])
  const settled = [...ends].flatMap((key) => {
    const stretch = stretches.get(key)
    return stretch ? [ended(stretch, toldOf(allTold, stretch), rivalry)] : []
  })
  await writeChanged(user, byKey([...rivals, ...before]), settled)
}

function toldOf(told: ReadonlyMap<number, Told>, { key }: Stretch): Told {
  return told.get(key) ?? { tellings: [], endings: [] }
}

/** The last one with a key wins. */
function byKey(stretches: readonly Stretch[]): Map<number, Stretch> {
  return new Map(stretches.map((stretch) => [stretch.key, stretch]))
}

async function writeChanged(
  user: UserData,
  known: ReadonlyMap<number, Stretch>,
  settled: readonly Stretch[],
): Promise<void> {
  const changed = settled.filter((stretch) => {
    const before = known.get(stretch.key)
    return (
      before?.validFrom !== stretch.validFrom ||
      before.validTo !== stretch.validTo ||
      before.toldAt !== stretch.toldAt ||
      before.exclusive !== stretch.exclusive
    )
  })
  if (changed.length === 0) return
  const columns = {
    key: 'bigint',
    valid_from: 'bigint',
    valid_to: 'bigint',
    told_at: 'bigint',
    exclusive: 'boolean',
  } as const
  await user.send(
    `UPDATE relationships AS r SET valid_from = w.valid_from, valid_to = w.valid_to, told_at = w.told_at,
       exclusive = w.exclusive
     FROM ${user.dialect.rows('w', columns)} WHERE r.user_id = @user AND r.key = w.key`,
    JSON.stringify(
      changed.map(({ key, validFrom, validTo, toldAt, exclusive }) => ({
        key,
        valid_from: validFrom,
        valid_to: validTo,
        told_at: toldAt,
        exclusive,
      })),
    ),
  )
}
