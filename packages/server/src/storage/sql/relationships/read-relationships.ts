import { symmetricTypes } from '../../../core/entity.js'
import type { Scope } from '../../../core/scope.js'
import { gathered, type SupportedRow, seenFrom } from '../../domain/gather-relationships.js'
import { isStorable } from '../../domain/storable-text.js'
import type { Relationship } from '../../ports/entities.js'
import { groupOf, rootOf } from '../entities/entity-groups.js'
import { entityKey } from '../entities/read-entities.js'
import type { Session, Value } from '../session.js'
import { findOwner } from '../user-data.js'
import { holdingAt, type RelationshipQuery } from './holding-at.js'

export async function relationships(
  session: Session,
  scope: Scope,
  entityId: string,
  query: RelationshipQuery,
): Promise<Relationship[]> {
  if (scope.kind === 'nobody' || (scope.project !== undefined && !isStorable(scope.project))) return []
  const owner = await findOwner(session, scope, 'entities', entityId)
  const entity = owner && (await entityKey(owner, entityId))
  if (!owner || entity === undefined) return []
  const { among } = session.dialect
  const group = await groupOf(owner, entity)
  const [rows, root] = await Promise.all([
    told(session, scope, query, {
      sql: `SELECT r.* FROM relationships r WHERE r.user_id = ? AND ${among('r.source', 'bigint')}
            UNION SELECT r.* FROM relationships r WHERE r.user_id = ? AND ${among('r.target', 'bigint')}`,
      values: [owner.key, group, owner.key, group],
    }),
    owner.get<{ id: string }>('SELECT id FROM entities WHERE user_id = @user AND key = ?', group[0] ?? entity),
  ])
  return gathered(rows).map((relationship) => seenFrom(relationship, root?.id ?? entityId))
}

type Reached = Exclude<Scope, { kind: 'nobody' }>

/** Selects all columns of rows of `relationships`. */
export interface Selected {
  readonly sql: string
  readonly values: readonly Value[]
}

/** All statements of the relationships that `own` selects. */
export async function told(
  session: Session,
  scope: Reached,
  query: RelationshipQuery,
  own: Selected,
): Promise<SupportedRow[]> {
  const { sql, values } = tellings(scope, query, own)
  const rows = await session.all<Omit<SupportedRow, 'properties'> & { readonly properties: string }>(
    `SELECT r.id, a.name AS source, a.id AS source_id, b.name AS target, b.id AS target_id, r.type,
       r.valid_from, r.valid_to, ${session.dialect.jsonText('o.properties')} AS properties, m.id AS memory_id
     ${sql} ORDER BY r.valid_from, r.user_id, r.key, o.version`,
    ...values,
  )
  return rows.map((row) => ({ ...row, properties: JSON.parse(row.properties) as SupportedRow['properties'] }))
}

/** Number of relationships as they are shown: those between merged names count once. */
export async function countTold(
  session: Session,
  scope: Reached,
  query: RelationshipQuery,
  own: Selected,
): Promise<number> {
  const { sql, values } = tellings(scope, query, own)
  const turned = `${session.dialect.among('r.type', 'text')} AND b.key < a.key`
  const counted = await session.get<{ total: number }>(
    `SELECT count(*) AS total FROM (SELECT DISTINCT r.user_id, r.type, CASE WHEN ${turned} THEN b.key ELSE a.key END,
       CASE WHEN ${turned} THEN a.key ELSE b.key END ${sql}) told`,
    symmetricTypes,
    symmetricTypes,
    ...values,
  )
  return counted?.total ?? 0
}

/** Both ends are shown as the entities that they are part of now. CROSS JOIN makes SQLite keep this order. */
function tellings(scope: Reached, query: RelationshipQuery, own: Selected): Selected {
  const holding = holdingAt(query)
  const project = scope.project === undefined ? [] : [scope.project]
  return {
    sql: `FROM (${own.sql}) r CROSS JOIN relationship_sources o CROSS JOIN versions v CROSS JOIN memories m
       CROSS JOIN entities s CROSS JOIN entities t CROSS JOIN entities a CROSS JOIN entities b
     WHERE o.user_id = r.user_id AND o.relationship = r.key AND v.user_id = r.user_id AND v.row = o.version
       AND m.user_id = r.user_id AND m.key = v.memory
       AND s.user_id = r.user_id AND s.key = r.source AND t.user_id = r.user_id AND t.key = r.target
       AND a.user_id = r.user_id AND a.key = ${rootOf('s')} AND b.user_id = r.user_id AND b.key = ${rootOf('t')}
       AND ${holding.sql}${project.length === 0 ? '' : ' AND v.project = ?'} AND a.key <> b.key`,
    values: [...own.values, ...holding.values, ...project],
  }
}
