/** Rows of the table `items`, one per version, as the code above sees them. */
import { type Item, type ItemPlace, searchedText } from '../../../core/item.js'
import type { Json } from '../../../core/memory.js'
import type { NobodyScope, UserScope } from '../../../core/scope.js'
import { isStorable } from '../../domain/storable-text.js'
import type { ItemBelow } from '../../ports/item-store.js'
import type { FlagColumn } from '../columns.js'
import type { Dialect } from '../dialect.js'
import type { BoundCondition } from '../filter.js'
import type { Session, Value } from '../session.js'
import { dataOf, type UserData } from '../user-data.js'

/** The project of a row: no project has an empty name. */
export const noProject = ''

export interface ItemRow {
  readonly row: number
  readonly project: string
  readonly namespace: string
  readonly key: string
  readonly version: number
  readonly value: string
  readonly trust_score: number
  readonly flagged: FlagColumn
  readonly created_at: number
  readonly valid_from: number
  readonly expires_at: number | null
}

export function itemColumns(dialect: Dialect): string {
  return `i.row, i.project, i.namespace, i.key, i.version, ${dialect.jsonText('i.value')} AS value, i.trust_score, i.flagged,
    i.created_at, i.valid_from, i.expires_at`
}

export function itemOf(row: ItemRow): Item {
  return {
    project: row.project === noProject ? null : row.project,
    namespace: row.namespace,
    key: row.key,
    value: parsedValue(row.value),
    version: row.version,
    trustScore: row.trust_score,
    flagged: Boolean(row.flagged),
    createdAt: row.created_at,
    updatedAt: row.valid_from,
    expiresAt: row.expires_at,
  }
}

export function parsedValue(json: string): Json {
  // `put` wrote it, or an import that checked it.
  return JSON.parse(json) as Json
}

/** The text that a search looks at. Empty: nothing finds the item. */
export function itemText(json: string, fields: string | null): string {
  // As above.
  return searchedText(parsedValue(json), fields === null ? null : (JSON.parse(fields) as string[]))
}

export const isCurrent = 'i.valid_to IS NULL'
export const isLive = '(i.expires_at IS NULL OR i.expires_at > ?)'
export const isAt = 'i.project = ? AND i.namespace = ? AND i.key = ?'

/** The user of a scope, and the project of its items. Null: nothing can be there. */
export async function ownerOf(
  session: Session,
  scope: UserScope | NobodyScope,
): Promise<{ readonly user: UserData; readonly project: string } | null> {
  if (scope.kind === 'nobody') return null
  const { project = noProject } = scope
  const user = isStorable(project) ? await dataOf(session, scope.userId) : undefined
  return user ? { user, project } : null
}

export function isPlace({ namespace, key }: ItemPlace): boolean {
  return isStorable(namespace) && isStorable(key)
}

/** A slash is the character after the dot: all namespaces that begin with a prefix and a dot are one range. */
export function itemsBelow(below: ItemBelow | undefined): BoundCondition | null {
  if (below === undefined) return { sql: 'TRUE', values: [] }
  const name = 'prefix' in below ? below.prefix : below.namespace
  if (!isStorable(name)) return null
  if ('namespace' in below) return { sql: 'i.namespace = ?', values: [name] }
  const values: readonly Value[] = [name, `${name}.`, `${name}/`]
  return { sql: '(i.namespace = ? OR i.namespace >= ? AND i.namespace < ?)', values }
}
