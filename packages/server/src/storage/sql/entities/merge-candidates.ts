/** Loads the input of `domain/merge-rule.ts` for many names at once. */
import { namesMeantBy } from '../../domain/merge-names.js'
import type { Candidates, Fit } from '../../domain/merge-rule.js'
import type { MergeRule } from '../../ports/entity-merges.js'
import { statement } from '../statement.js'
import type { UserData } from '../user-data.js'
import { rootOf } from './entity-groups.js'
import type { Named } from './named.js'

export interface StandingMerge {
  readonly key: number
  readonly entity: number
  readonly rule: MergeRule
  readonly root: number
}

export interface NameCandidates extends Candidates {
  readonly standing: StandingMerge | undefined
}

/** A few are enough to show that the name fits several entities. */
const mostFits = 20

/** By the key of the entity. */
export async function loadCandidates(user: UserData, names: readonly Named[]): Promise<Map<number, NameCandidates>> {
  const [standing, stated, full] = await Promise.all([
    loadStanding(user, names),
    loadCalledSo(user, names),
    loadMeant(user, names),
  ])
  const fits = fitsByName([...stated, ...full])
  const fitting = [...fits.keys()]
  const [parts, takenBack] = await Promise.all([loadParts(user, fitting), loadTakenBack(user, fitting)])
  return new Map(
    names.map(({ key }) => [
      key,
      {
        standing: standing.get(key),
        fits: fits.get(key) ?? [],
        parts: parts.get(key) ?? new Set(),
        takenBack: takenBack.get(key) ?? new Set(),
      },
    ]),
  )
}

/** An entity that the entity with the key `of` may stand for. */
interface FitRow extends Fit {
  readonly of: number
}

function fitsByName(rows: readonly FitRow[]): Map<number, Fit[]> {
  const fits = new Map<number, Fit[]>()
  for (const row of rows) {
    const known = fits.get(row.of)
    if (known) known.push(row)
    else fits.set(row.of, [row])
  }
  return fits
}

const standingSql = statement(
  ({ among }) => `SELECT g.key, g.entity, g.rule, ${rootOf('e')} AS root FROM entity_merges g CROSS JOIN entities e
    WHERE g.user_id = @user AND ${among('g.entity', 'bigint')} AND g.reverted_at IS NULL
      AND e.user_id = @user AND e.key = g.into_entity`,
)

async function loadStanding(user: UserData, names: readonly Named[]): Promise<Map<number, StandingMerge>> {
  const rows = await user.all<StandingMerge>(
    standingSql(user),
    names.map(({ key }) => key),
  )
  return new Map(rows.map((row) => [row.entity, row]))
}

const calledSoSql = statement(
  ({ rows }) => `SELECT DISTINCT w.entity AS "of", e.key, e.name, ${rootOf('e')} AS root, 'stated' AS rule
    FROM ${rows('w', { entity: 'bigint', type: 'text', name_key: 'text' })}
      CROSS JOIN entity_spellings s CROSS JOIN entities e
    WHERE s.user_id = @user AND s.spelling_key = w.name_key AND s.type = w.type AND s.entity <> w.entity
      AND e.user_id = @user AND e.key = s.entity AND e.name_key <> s.spelling_key
    ORDER BY 1, 2`,
)

/** Entities that a text also calls by this name. */
function loadCalledSo(user: UserData, names: readonly Named[]): Promise<FitRow[]> {
  const wanted = names.map(({ key, type, name_key }) => ({ entity: key, type, name_key }))
  return user.all<FitRow>(calledSoSql(user), JSON.stringify(wanted))
}

const meantSql = statement(({ rows }) => {
  const columns = {
    place: 'bigint',
    entity: 'bigint',
    rule: 'text',
    type: 'text',
    first: 'text',
    last: 'text',
  } as const
  return `SELECT entity AS "of", key, name, root, rule FROM (
      SELECT w.place, w.entity, e.key, e.name, ${rootOf('e')} AS root, w.rule,
        row_number() OVER (PARTITION BY w.place ORDER BY e.name_key) AS nth
      FROM ${rows('w', columns)} CROSS JOIN entities e
      WHERE e.user_id = @user AND e.type = w.type AND e.name_key >= w.first AND e.name_key <= w.last
        AND e.key <> w.entity
    ) found WHERE nth <= ? ORDER BY place, nth`
})

/** Entities that the name may stand for: people by their full name, organisations by their whole name. */
async function loadMeant(user: UserData, names: readonly Named[]): Promise<FitRow[]> {
  const wanted = names
    .flatMap((named) => namesMeantBy(named).map((range) => ({ entity: named.key, ...range })))
    .map((range, place) => ({ place, ...range }))
  return wanted.length === 0 ? [] : user.all<FitRow>(meantSql(user), JSON.stringify(wanted), mostFits)
}

/** Each entity and everything that was merged into it, directly or through others. */
async function loadParts(user: UserData, entities: readonly number[]): Promise<Map<number, Set<number>>> {
  if (entities.length === 0) return new Map()
  const rows = await user.all<{ whole: number; key: number }>(
    `WITH RECURSIVE part (whole, key) AS (
       SELECT e.key, e.key FROM entities e WHERE e.user_id = @user AND ${user.dialect.among('e.key', 'bigint')}
       UNION SELECT part.whole, g.entity FROM part CROSS JOIN entity_merges g
         WHERE g.user_id = @user AND g.into_entity = part.key AND g.reverted_at IS NULL
     ) SELECT whole, key FROM part`,
    entities,
  )
  return setsBy(rows.map(({ whole, key }) => [whole, key]))
}

async function loadTakenBack(user: UserData, entities: readonly number[]): Promise<Map<number, Set<number>>> {
  if (entities.length === 0) return new Map()
  const { among } = user.dialect
  const takenBack = (one: string, other: string) => `SELECT g.${one} AS entity, ${rootOf('e')} AS root
    FROM entity_merges g CROSS JOIN entities e
    WHERE g.user_id = @user AND ${among(`g.${one}`, 'bigint')} AND g.reverted_by = 'user'
      AND e.user_id = @user AND e.key = g.${other}`
  const rows = await user.all<{ entity: number; root: number }>(
    `${takenBack('entity', 'into_entity')} UNION ${takenBack('into_entity', 'entity')}`,
    entities,
    entities,
  )
  return setsBy(rows.map(({ entity, root }) => [entity, root]))
}

function setsBy(pairs: readonly (readonly [key: number, value: number])[]): Map<number, Set<number>> {
  const sets = new Map<number, Set<number>>()
  for (const [key, value] of pairs) {
    const known = sets.get(key)
    if (known) known.add(value)
    else sets.set(key, new Set([value]))
  }
  return sets
}
