/** Finds entities by name. */
import { statement } from '../statement.js'
import type { UserData } from '../user-data.js'

export interface Named {
  readonly key: number
  readonly type: string
  readonly name: string
  /** `nameKey(name)`: unique within a user and a type. */
  readonly name_key: string
}

export interface FoundNamed extends Named {
  /** The entity that it is shown as part of. */
  readonly merged_into: number | null
}

export interface NameToFind {
  readonly type: string
  readonly name_key: string
}

const namedSql = statement(
  ({ rows }) => `SELECT e.key, e.type, e.name, e.name_key, e.merged_into
    FROM ${rows('w', { type: 'text', name_key: 'text' })} CROSS JOIN entities e
    WHERE e.user_id = @user AND e.type = w.type AND e.name_key = w.name_key`,
)

/** The entities with these names, by `placeOf`. */
export async function findNamed(user: UserData, names: readonly NameToFind[]): Promise<Map<string, FoundNamed>> {
  if (names.length === 0) return new Map()
  const found = await user.all<FoundNamed>(namedSql(user), JSON.stringify(names))
  return new Map(found.map((entity) => [placeOf(entity), entity]))
}

export function placeOf({ type, name_key }: NameToFind): string {
  return `${type}|${name_key}`
}
