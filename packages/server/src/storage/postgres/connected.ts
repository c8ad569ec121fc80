/** Versions connected with names. PostgreSQL needs its own form: LATERAL reads only the newest mentions of each entity. */
import type { ConnectedVersion } from '../ports/index-feed.js'
import type { ReadConnected } from '../sql/index/forms.js'
import { connectedVersions, type NewestMentions } from '../sql/index/match.js'
import type { Session } from '../sql/session.js'

export const connected: ReadConnected<Session, ConnectedVersion[]> = (session, ...asked) =>
  connectedVersions(session, ...asked, newestMentions)

const newestMentions: NewestMentions = async (user, entities, project, limit) => {
  const inProject =
    project === undefined ? '' : ' JOIN versions v ON v.user_id = n.user_id AND v.row = n.version AND v.project = ?'
  const rows = await user.all<{ version: number }>(
    `SELECT DISTINCT newest.version FROM unnest(?::bigint[]) wanted (entity) CROSS JOIN LATERAL (
       SELECT n.version FROM mentions n${inProject} WHERE n.user_id = @user AND n.entity = wanted.entity
       ORDER BY n.version DESC LIMIT ?) newest
     ORDER BY newest.version DESC LIMIT ?`,
    entities,
    ...(project === undefined ? [] : [project]),
    limit,
    limit,
  )
  return rows.map((row) => row.version)
}
