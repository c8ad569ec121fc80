/**
 * Versions connected with names. PostgreSQL needs its own form: one statement follows the names to their entities, those to their
 * neighbours, and both to what mentions them, with a message less for each step. LATERAL reads only the newest mentions of each
 * entity, and OFFSET 0 keeps PostgreSQL from reading all of the user's entities to find a few.
 */
import type { UserScope } from '../../core/scope.js'
import { isStorable } from '../domain/storable-text.js'
import type { ConnectedVersion } from '../ports/index-feed.js'
import { mostNeighbours } from '../sql/index/match.js'
import type { LookUp } from './lookups.js'

export async function connected(
  lookUp: LookUp,
  scope: UserScope,
  nameKeys: readonly string[],
  limit: number,
): Promise<ConnectedVersion[]> {
  const { userId, project } = scope
  const wanted = nameKeys.filter(isStorable)
  if (wanted.length === 0 || !isStorable(userId) || !isStorable(project ?? '')) return []
  const [rows] =
    project === undefined
      ? await lookUp<[ConnectedVersion[]]>(scope, { sql: anywhere, values: [wanted, limit, userId] })
      : await lookUp<[ConnectedVersion[]]>(scope, { sql: inProject, values: [wanted, limit, project, userId] })
  // Those that mention a name itself come first.
  const found = new Map<number, ConnectedVersion>()
  for (const each of rows) if (found.size < limit && !found.has(each.row)) found.set(each.row, each)
  return [...found.values()]
}

const anywhere = statementFor('')
const inProject = statementFor(
  ' JOIN versions v ON v.user_id = n.user_id AND v.row = n.version AND v.project = asked.project',
)

/** At most twice the limit of the second kind: one for each that is wanted, and one for each that the first kind may contain too. */
function statementFor(onlyIn: string): string {
  const asked = `SELECT ?::text[] AS keys, ?::bigint AS most${onlyIn === '' ? '' : ', ?::text AS project'}`
  return `WITH asked AS MATERIALIZED (${asked}),
    called AS MATERIALIZED (SELECT DISTINCT s.entity AS key FROM entity_spellings s
      WHERE s.user_id = @user AND s.spelling_key = ANY ((SELECT keys FROM asked)::text[])),
    ${withMerged('named', 'called')},
    direct AS MATERIALIZED (${newestMentions('named', onlyIn, 'asked.most')}),
    ends AS MATERIALIZED (SELECT r.target AS key, r.valid_to, r.key AS relationship FROM named CROSS JOIN LATERAL
        (SELECT target, valid_to, key FROM relationships WHERE user_id = @user AND source = named.key OFFSET 0) r
      WHERE (SELECT count(*) FROM direct) < (SELECT most FROM asked)
      UNION ALL SELECT r.source, r.valid_to, r.key FROM named CROSS JOIN LATERAL
        (SELECT source, valid_to, key FROM relationships WHERE user_id = @user AND target = named.key OFFSET 0) r
      WHERE (SELECT count(*) FROM direct) < (SELECT most FROM asked)),
    near AS MATERIALIZED (SELECT key FROM ends WHERE key NOT IN (SELECT key FROM named) GROUP BY key
      ORDER BY count(*) FILTER (WHERE valid_to IS NULL) > 0 DESC, max(relationship) DESC LIMIT ${mostNeighbours}),
    ${withMerged('neighbours', 'near')},
    indirect AS MATERIALIZED (${newestMentions('neighbours', onlyIn, '2 * asked.most')})
  SELECT version AS row, 0 AS hops FROM direct UNION ALL SELECT version, 1 FROM indirect ORDER BY hops, row DESC`
}

/** Includes every other name of each. */
function withMerged(name: string, of: string): string {
  return `${name}_roots AS MATERIALIZED (SELECT DISTINCT root.key FROM ${of} CROSS JOIN LATERAL (
      SELECT coalesce(e.merged_into, e.key) AS key FROM entities e WHERE e.user_id = @user AND e.key = ${of}.key OFFSET 0) root),
    ${name} AS MATERIALIZED (SELECT key FROM ${name}_roots UNION SELECT part.key FROM ${name}_roots root CROSS JOIN LATERAL (
      SELECT e.key FROM entities e WHERE e.user_id = @user AND e.merged_into = root.key OFFSET 0) part)`
}

function newestMentions(entities: string, onlyIn: string, most: string): string {
  return `SELECT DISTINCT newest.version FROM asked CROSS JOIN ${entities} CROSS JOIN LATERAL (
      SELECT n.version FROM mentions n${onlyIn} WHERE n.user_id = @user AND n.entity = ${entities}.key
      ORDER BY n.version DESC LIMIT ${most}) newest
    ORDER BY newest.version DESC LIMIT (SELECT ${most} FROM asked)`
}
