/** Merged names are shown as one entity, the root. Each name keeps its own mentions and relationships. */
import type { Dialect } from '../dialect.js'
import { statement } from '../statement.js'
import type { UserData } from '../user-data.js'

/** The root of the entity in the table with this alias. */
export function rootOf(alias: string): string {
  return `coalesce(${alias}.merged_into, ${alias}.key)`
}

/** Selects the keys of all names of some entities. Bind the root keys twice. */
export function namesOfRoots({ among }: Dialect): string {
  return `SELECT key FROM entities WHERE user_id = @user AND ${among('key', 'bigint')}
    UNION ALL SELECT key FROM entities WHERE user_id = @user AND ${among('merged_into', 'bigint')}`
}

export interface Group {
  readonly type: string
  /** The root first. */
  readonly members: readonly number[]
}

const groupsSql = statement(
  ({ among }) => `WITH roots AS (
      SELECT DISTINCT ${rootOf('e')} AS key FROM entities e WHERE e.user_id = @user AND ${among('e.key', 'bigint')})
    SELECT e.key AS key, e.key AS root, e.type FROM roots CROSS JOIN entities e
      WHERE e.user_id = @user AND e.key = roots.key
    UNION ALL SELECT e.key, e.merged_into, e.type FROM roots CROSS JOIN entities e
      WHERE e.user_id = @user AND e.merged_into = roots.key
    ORDER BY key`,
)

/** The group of each entity, by the entity's key. Unknown keys are omitted. */
export async function groupsOf(user: UserData, entities: readonly number[]): Promise<Map<number, Group>> {
  const rows = await user.all<{ key: number; root: number; type: string }>(groupsSql(user), entities)
  const members = new Map<number, number[]>()
  for (const { root } of rows) members.set(root, [root])
  for (const { key, root } of rows) if (key !== root) members.get(root)?.push(key)
  const groups = new Map<number, Group>()
  for (const { key, root, type } of rows) groups.set(key, { type, members: members.get(root) ?? [key] })
  return groups
}

/** The root and all names that are part of it. */
export async function groupOf(user: UserData, entity: number): Promise<readonly number[]> {
  return (await groupsOf(user, [entity])).get(entity)?.members ?? [entity]
}

const mentionedSql = statement(
  ({ among }) => `SELECT n.version, e.name FROM mentions n CROSS JOIN entities part CROSS JOIN entities e
    WHERE n.user_id = @user AND ${among('n.version', 'bigint')} AND part.user_id = @user AND part.key = n.entity
      AND e.user_id = @user AND e.key = ${rootOf('part')}
    GROUP BY n.version, e.key, e.name ORDER BY n.version, min(n.position)`,
)

/** Names of the entities of each version, as they are shown: merged names count as one. */
export async function namesMentionedBy(user: UserData, versions: readonly number[]): Promise<Map<number, string[]>> {
  const rows = await user.all<{ version: number; name: string }>(mentionedSql(user), versions)
  const names = new Map<number, string[]>()
  for (const { version, name } of rows) {
    const known = names.get(version)
    if (known) known.push(name)
    else names.set(version, [name])
  }
  return names
}
