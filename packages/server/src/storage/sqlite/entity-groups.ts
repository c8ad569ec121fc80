/** Names that were merged are shown as one entity, the root, and each keeps its own mentions and relationships. */
import type { Database } from './database.js'

export function rootOf(db: Database, entity: number): number {
  const row = db.get<{ root: number }>('SELECT ifnull(merged_into, key) AS root FROM entities WHERE key = ?', entity)
  return row?.root ?? entity
}

/** The root and all that is part of it. */
export function groupOf(db: Database, entity: number): number[] {
  const root = rootOf(db, entity)
  const members = db.all<{ key: number }>('SELECT key FROM entities WHERE merged_into = ? ORDER BY key', root)
  return [root, ...members.map((member) => member.key)]
}

/** Names of entities by version, as they are shown: those that were merged as one. */
export function namesMentionedBy(db: Database, versions: readonly number[]): Map<number, string[]> {
  const rows = db.all<{ version: number; name: string }>(
    `SELECT n.version, e.name
     FROM json_each(?) wanted CROSS JOIN mentions n ON n.version = wanted.value
       CROSS JOIN entities part ON part.key = n.entity CROSS JOIN entities e ON e.key = ifnull(part.merged_into, part.key)
     GROUP BY n.version, e.key ORDER BY n.version, min(n.position)`,
    JSON.stringify(versions),
  )
  const names = new Map<number, string[]>()
  for (const { version, name } of rows) names.set(version, [...(names.get(version) ?? []), name])
  return names
}
