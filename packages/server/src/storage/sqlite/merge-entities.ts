/**
 * Which names are one entity. A name is merged by rule when exactly one entity of the same user and type fits it: one
 * that a text also calls so, or a person whose full name it begins or is short for. When a second one appears the
 * reason is gone, and so is the merge. What a person did by hand, or took back, no rule touches.
 */

import { idSource } from '../../core/ids.js'
import { fullFormsOf } from '../../core/nicknames.js'
import { callingNames, whyMerged } from '../domain/merge-names.js'
import type { MergeRule } from '../ports/entity-merges.js'
import type { Database } from './database.js'
import { groupOf, rootOf } from './entity-groups.js'
import { settleRelationships } from './settle-relationships.js'

export interface Named {
  readonly key: number
  readonly user: number
  readonly type: string
  readonly name: string
  readonly name_key: string
}

interface Fit {
  readonly entity: Named
  readonly rule: MergeRule
}

export function loadNamed(db: Database, entity: number): Named | undefined {
  return db.get<Named>('SELECT key, user, type, name, name_key FROM entities WHERE key = ?', entity)
}

/** Names whose merge may have to be thought of again when this entity is new: itself, and what it may be called. */
export function namesAffectedBy(db: Database, entity: Named): Named[] {
  const others = entity.type === 'PERSON' ? callingNames(entity.name_key) : []
  return [entity, ...others.flatMap((key) => named(db, entity, key) ?? [])]
}

export function named(db: Database, like: Pick<Named, 'user' | 'type'>, nameKey: string): Named | undefined {
  return db.get<Named>(
    'SELECT key, user, type, name, name_key FROM entities WHERE user = ? AND type = ? AND name_key = ?',
    like.user,
    like.type,
    nameKey,
  )
}

/** Merges the name, takes a merge back, or leaves all as it is. */
export function mergeByRule(db: Database, entity: Named, now: number): void {
  const standing = db.get<{ key: number; into_entity: number; rule: MergeRule }>(
    'SELECT key, into_entity, rule FROM entity_merges WHERE entity = ? AND reverted_at IS NULL',
    entity.key,
  )
  if (standing?.rule === 'manual') return
  const fits = [...calledSo(db, entity), ...(entity.type === 'PERSON' ? fullNames(db, entity) : [])]
  const own = new Set(partsOf(db, entity.key))
  const roots = new Map<number, Fit>()
  for (const fit of fits) {
    if (roots.size > 1) break
    const root = rootOf(db, fit.entity.key)
    if (!own.has(fit.entity.key) && !roots.has(root)) roots.set(root, fit)
  }
  const [only] = roots
  if (!only || roots.size > 1) {
    if (standing) endMerge(db, standing.key, entity.key, now, 'rule')
    return
  }
  const [root, { entity: into, rule }] = only
  if (standing) {
    if (rootOf(db, standing.into_entity) === root) return
    endMerge(db, standing.key, entity.key, now, 'rule')
  }
  if (wasTakenBack(db, entity.key, root)) return
  insertMerge(db, {
    id: idSource({ now: () => now }).next('mrg'),
    entity,
    into,
    rule,
    why: whyMerged(rule, entity, into),
    now,
  })
}

/** Entities that a text gives this very name as another name of theirs. */
function calledSo(db: Database, entity: Named): Fit[] {
  return db
    .all<Named>(
      `SELECT DISTINCT e.key, e.user, e.type, e.name, e.name_key FROM entity_spellings s
         JOIN entities e ON e.key = s.entity
       WHERE s.user = ? AND s.spelling_key = ? AND s.type = ? AND s.entity <> ? AND e.name_key <> s.spelling_key`,
      entity.user,
      entity.name_key,
      entity.type,
      entity.key,
    )
    .map((found) => ({ entity: found, rule: 'stated' }))
}

/** More than a few say already that the name fits many. */
const mostFits = 20

function fullNames(db: Database, entity: Named): Fit[] {
  const [first = '', ...rest] = entity.name_key.split(' ')
  const surname = rest.length > 0 ? ` ${rest.join(' ')}` : ''
  const fits: Fit[] = []
  const take = (rows: readonly Named[], rule: MergeRule) => {
    for (const row of rows) if (row.key !== entity.key) fits.push({ entity: row, rule })
  }
  if (surname === '') take(beginningWith(db, entity, first), 'full_name')
  for (const form of fullFormsOf(first)) {
    const exact = named(db, entity, `${form}${surname}`)
    if (exact) take([exact], 'short_form')
    if (surname === '') take(beginningWith(db, entity, form), 'short_form')
  }
  return fits
}

/** Persons of the user with this given name and more. A key has single spaces, and the sign after one is "!". */
function beginningWith(db: Database, { user }: Named, first: string): Named[] {
  return db.all<Named>(
    `SELECT key, user, type, name, name_key FROM entities
     WHERE user = ? AND type = 'PERSON' AND name_key > ? AND name_key < ? LIMIT ?`,
    user,
    `${first} `,
    `${first}!`,
    mostFits,
  )
}

/** By a person: no rule merges the two again. */
function wasTakenBack(db: Database, entity: number, root: number): boolean {
  const group = JSON.stringify(groupOf(db, root))
  return (
    db.get(
      `SELECT 1 FROM entity_merges WHERE reverted_by = 'user' AND (
         entity = ? AND into_entity IN (SELECT value FROM json_each(?))
         OR into_entity = ? AND entity IN (SELECT value FROM json_each(?)))`,
      entity,
      group,
      entity,
      group,
    ) !== undefined
  )
}

export interface NewMerge {
  readonly id: string
  readonly entity: Named
  readonly into: Named
  readonly rule: MergeRule
  readonly why: string
  readonly now: number
}

export function insertMerge(db: Database, { id, entity, into, rule, why, now }: NewMerge): void {
  db.run(
    `INSERT INTO entity_merges (id, user, entity, into_entity, rule, why, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    id,
    entity.user,
    entity.key,
    into.key,
    rule,
    why,
    now,
  )
  regroup(db, [...groupOf(db, entity.key), ...groupOf(db, into.key)])
}

export function endMerge(db: Database, merge: number, entity: number, now: number, by: 'user' | 'rule'): void {
  const before = groupOf(db, entity)
  db.run('UPDATE entity_merges SET reverted_at = ?, reverted_by = ? WHERE key = ?', now, by, merge)
  regroup(db, before)
}

/** The entity and what was merged into it, and into that. */
function partsOf(db: Database, entity: number): number[] {
  const rows = db.all<{ key: number }>(
    `WITH RECURSIVE part (key) AS (
       SELECT ? UNION SELECT g.entity FROM part CROSS JOIN entity_merges g ON g.into_entity = part.key
       WHERE g.reverted_at IS NULL
     ) SELECT key FROM part`,
    entity,
  )
  return rows.map((row) => row.key)
}

/** Finds the roots of these anew, and what that means for relationships of which there is one at a time. */
export function regroup(db: Database, entities: readonly number[]): void {
  for (const entity of entities) {
    const end = db.get<{ key: number }>(
      `WITH RECURSIVE chain (key) AS (
         SELECT ? UNION SELECT g.into_entity FROM chain CROSS JOIN entity_merges g ON g.entity = chain.key
         WHERE g.reverted_at IS NULL
       ) SELECT key FROM chain WHERE NOT EXISTS (
         SELECT 1 FROM entity_merges g WHERE g.entity = chain.key AND g.reverted_at IS NULL)`,
      entity,
    )
    const root = end === undefined || end.key === entity ? null : end.key
    db.run('UPDATE entities SET merged_into = ? WHERE key = ?', root, entity)
  }
  const entitiesJson = JSON.stringify(entities)
  const rows = db.all<{ key: number }>(
    `WITH own AS (
       SELECT key, type, exclusive FROM relationships WHERE source IN (SELECT value FROM json_each(?))
       UNION SELECT key, type, exclusive FROM relationships WHERE target IN (SELECT value FROM json_each(?)))
     SELECT key FROM own WHERE type IN (SELECT type FROM own WHERE exclusive = 1)`,
    entitiesJson,
    entitiesJson,
  )
  settleRelationships(
    db,
    rows.map((row) => row.key),
  )
}
