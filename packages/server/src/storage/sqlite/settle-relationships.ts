/**
 * When relationships held, worked out anew from everything that told of them. A plain store needs less
 * (`write-relationships.ts`); this is for when something told is taken back, erased, or two names become one.
 */
import { isSymmetric, type RelationshipType } from '../../core/entity.js'
import type { Database } from './database.js'
import { groupOf, rootOf } from './entity-groups.js'
import { rivalsOf } from './write-relationships.js'

interface Stretch {
  readonly key: number
  readonly source: number
  readonly target: number
  readonly type: RelationshipType
  readonly from: number
  /** As told, or when the last that told of it ceased to be valid; null: it goes on. */
  readonly to: number | null
  readonly toldAt: number
  /** When what told of it, taken back and put back before, ceased to be valid once more. */
  readonly restoredTo: number | null
  /** A telling that still counts says that it stands alone. */
  readonly exclusive: boolean
}

/** Of everything that these memories told or ended, in any version. */
export function settleRelationshipsOf(db: Database, memories: readonly number[]): void {
  const versions = db.all<{ row: number }>(
    'SELECT row FROM versions WHERE memory IN (SELECT value FROM json_each(?))',
    JSON.stringify(memories),
  )
  settleRelationships(
    db,
    relationshipsTouchedBy(
      db,
      versions.map((version) => version.row),
    ),
  )
}

export function relationshipsTouchedBy(db: Database, versions: readonly number[]): number[] {
  const rows = db.all<{ relationship: number }>(
    `SELECT relationship FROM relationship_sources WHERE version IN (SELECT value FROM json_each(?))
     UNION SELECT relationship FROM relationship_ends WHERE version IN (SELECT value FROM json_each(?))`,
    JSON.stringify(versions),
    JSON.stringify(versions),
  )
  return rows.map((row) => row.relationship)
}

/** Those whose end depends on these versions: they ended it, or told of something that stands alone. */
export function relationshipsDecidedBy(db: Database, versions: readonly number[]): number[] {
  const rows = db.all<{ relationship: number }>(
    `SELECT relationship FROM relationship_ends WHERE version IN (SELECT value FROM json_each(?))
     UNION SELECT relationship FROM relationship_sources
     WHERE version IN (SELECT value FROM json_each(?)) AND exclusive = 1`,
    JSON.stringify(versions),
    JSON.stringify(versions),
  )
  const exclusive = rows.map((row) => row.relationship)
  const rivals = exclusive.flatMap((key) => {
    const link = db.get<Stretch>('SELECT key, source, target, type FROM relationships WHERE key = ?', key)
    return link ? rivalsOf(db, link, 'all') : []
  })
  return [...new Set([...exclusive, ...rivals])]
}

/** These, and those that they exclude or that exclude them. */
export function settleRelationships(db: Database, relationships: Iterable<number>): void {
  const stretches = new Map<number, Stretch | undefined>()
  const load = (key: number) => {
    if (!stretches.has(key)) stretches.set(key, loadStretch(db, key))
    return stretches.get(key)
  }
  const rivals = rivalsByGroup(db)
  const wanted = new Set<number>()
  for (const key of relationships) {
    const stretch = load(key)
    if (stretch) for (const each of [key, ...rivals(stretch)]) wanted.add(each)
  }
  for (const key of wanted) {
    const stretch = load(key)
    if (!stretch) continue
    const later = [...rivals(stretch), ...laterStretches(db, stretch)].map(load)
    write(db, stretch, [stretch.to, endTold(db, stretch), ...later.map((other) => cutBy(stretch, other))])
  }
}

/** Where a later one that stands alone begins; if it is said to have begun before this one, when it was told. */
function cutBy(stretch: Stretch, later: Stretch | undefined): number | null {
  if (!later?.exclusive) return null
  const isLater = later.toldAt > stretch.toldAt || (later.toldAt === stretch.toldAt && later.key > stretch.key)
  if (!isLater) return null
  return Math.max(later.from >= stretch.from ? later.from : later.toldAt, stretch.restoredTo ?? 0)
}

function write(db: Database, stretch: Stretch, ends: readonly (number | null)[]): void {
  let first: number | null = null
  for (const end of ends) if (end !== null && (first === null || end < first)) first = end
  const to = first === null ? null : Math.max(stretch.from, first)
  db.run('UPDATE relationships SET valid_from = ?, valid_to = ? WHERE key = ?', stretch.from, to, stretch.key)
}

/** Many stretches share their rivals (all employers of one person but this one), so they are read once. */
function rivalsByGroup(db: Database): (stretch: Stretch) => readonly number[] {
  const groups = new Map<string, readonly { readonly key: number; readonly target: number }[]>()
  return (stretch) => {
    if (isSymmetric(stretch.type)) return isExclusiveAmong(db, stretch) ? rivalsOf(db, stretch, 'all') : []
    const target = rootOf(db, stretch.target)
    const name = `${stretch.type} ${rootOf(db, stretch.source)}`
    const group = groups.get(name) ?? (isExclusiveAmong(db, stretch) ? sameSource(db, stretch) : [])
    groups.set(name, group)
    return group.flatMap((other) => (other.target === target ? [] : [other.key]))
  }
}

function sameSource(db: Database, { source, type }: Stretch) {
  return db.all<{ key: number; target: number }>(
    `SELECT r.key, ifnull(t.merged_into, t.key) AS target FROM relationships r JOIN entities t ON t.key = r.target
     WHERE r.source IN (SELECT value FROM json_each(?)) AND r.type = ?`,
    JSON.stringify(groupOf(db, source)),
    type,
  )
}

/** Whether anything of this kind was told to stand alone: most kinds never are. */
function isExclusiveAmong(db: Database, { source, target, type }: Stretch): boolean {
  const ends = isSymmetric(type) ? [...groupOf(db, source), ...groupOf(db, target)] : groupOf(db, source)
  const column = (name: 'source' | 'target') =>
    db.get(
      `SELECT 1 FROM relationships r JOIN relationship_sources s ON s.relationship = r.key
       WHERE r.${name} IN (SELECT value FROM json_each(?)) AND r.type = ? AND s.exclusive = 1 LIMIT 1`,
      JSON.stringify(ends),
      type,
    ) !== undefined
  return column('source') || (isSymmetric(type) && column('target'))
}

/** Later stretches between the same two names. */
function laterStretches(db: Database, { key, source, target, type }: Stretch): number[] {
  const rows = db.all<{ key: number }>(
    'SELECT key FROM relationships WHERE source = ? AND type = ? AND target = ? AND key > ?',
    source,
    type,
    target,
    key,
  )
  return rows.map((row) => row.key)
}

/** Where a text that still counts says that it ended. */
function endTold(db: Database, { key, from }: Stretch): number | null {
  const row = db.get<{ at: number | null }>(
    `SELECT min(e.ends_at) AS at FROM relationship_ends e JOIN versions v ON v.row = e.version
       JOIN memories m ON m.key = v.memory
     WHERE e.relationship = ? AND m.withdrawn = 0 AND e.ends_at >= ?`,
    key,
    from,
  )
  return row?.at ?? null
}

function loadStretch(db: Database, key: number): Stretch | undefined {
  interface Row extends Pick<Stretch, 'key' | 'source' | 'target' | 'type'> {
    readonly standing_from: number | null
    readonly any_from: number
    readonly told_at: number | null
    readonly exclusive: number | null
    readonly goes_on: number | null
    readonly last: number | null
    readonly told_to: number | null
    readonly restored_to: number | null
  }
  const row = db.get<Row>(
    `SELECT r.key, r.source, r.target, r.type,
       min(ifnull(s.starts_at, min(v.valid_from, ifnull(s.ends_at, v.valid_from)))) FILTER (WHERE m.withdrawn = 0) AS standing_from,
       min(ifnull(s.starts_at, min(v.valid_from, ifnull(s.ends_at, v.valid_from)))) AS any_from,
       min(v.valid_from) FILTER (WHERE m.withdrawn = 0) AS told_at,
       max(s.exclusive AND m.withdrawn = 0) AS exclusive,
       max(v.valid_to IS NULL AND m.withdrawn = 0) AS goes_on,
       max(v.valid_to) AS last,
       max(v.valid_to) FILTER (WHERE EXISTS (SELECT 1 FROM versions p
         WHERE p.memory = v.memory AND p.version = v.version - 1 AND p.valid_to < v.valid_from)) AS restored_to,
       (SELECT l.ends_at FROM relationship_sources l JOIN versions lv ON lv.row = l.version
          JOIN memories lm ON lm.key = lv.memory
        WHERE l.relationship = r.key AND lm.withdrawn = 0 ORDER BY lv.valid_from DESC, lv.row DESC LIMIT 1) AS told_to
     FROM relationships r JOIN relationship_sources s ON s.relationship = r.key JOIN versions v ON v.row = s.version
       JOIN memories m ON m.key = v.memory
     WHERE r.key = ? GROUP BY r.key`,
    key,
  )
  if (!row) return undefined
  const from = row.standing_from ?? row.any_from
  return {
    key: row.key,
    source: row.source,
    target: row.target,
    type: row.type,
    from,
    to: row.told_to ?? (row.goes_on ? null : row.last),
    toldAt: row.told_at ?? from,
    restoredTo: row.restored_to,
    exclusive: row.exclusive === 1,
  }
}
