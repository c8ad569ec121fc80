/** Names that were merged are shown as one entity, the root, and each keeps its own mentions and relationships. */
import type { UserData } from './user-data.js'

export async function rootOf(user: UserData, entity: number): Promise<number> {
  const row = await user.get<{ root: number }>(
    'SELECT coalesce(merged_into, key) AS root FROM entities WHERE user_id = @user AND key = ?',
    entity,
  )
  return row?.root ?? entity
}

/** The root and all that is part of it. */
export async function groupOf(user: UserData, entity: number): Promise<number[]> {
  const members = await user.all<{ key: number; root: number }>(
    `WITH root AS (SELECT coalesce(merged_into, key) AS key FROM entities WHERE user_id = @user AND key = ?)
     SELECT e.key, root.key AS root FROM root JOIN entities e ON e.user_id = @user AND e.merged_into = root.key
     UNION ALL SELECT key, key FROM root ORDER BY key`,
    entity,
  )
  const root = members[0]?.root ?? entity
  return [root, ...members.flatMap(({ key }) => (key === root ? [] : [key]))]
}

/** Names of entities by version, as they are shown: those that were merged as one. */
export async function namesMentionedBy(user: UserData, versions: readonly number[]): Promise<Map<number, string[]>> {
  const rows = await user.all<{ version: number; name: string }>(
    `SELECT n.version, e.name
     FROM mentions n JOIN entities part ON part.user_id = n.user_id AND part.key = n.entity
       JOIN entities e ON e.user_id = n.user_id AND e.key = coalesce(part.merged_into, part.key)
     WHERE n.user_id = @user AND n.version = ANY (?::bigint[])
     GROUP BY n.version, e.key, e.name ORDER BY n.version, min(n.position)`,
    versions,
  )
  const names = new Map<number, string[]>()
  for (const { version, name } of rows) names.set(version, [...(names.get(version) ?? []), name])
  return names
}
