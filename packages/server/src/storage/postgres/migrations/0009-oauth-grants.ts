import { grantsTable } from '../../sql/grants.js'
import { setting } from '../layout.js'
import type { Migration } from '../migration.js'

/** Queried like `keys` before a user is known, and as well hidden. */
export const oauthGrants: Migration = {
  version: 9,
  sql: ({ protect }) =>
    [grantsTable('text COLLATE "C"', 'bigint'), 'CREATE INDEX ON oauth_grants (user_id, created_at, id)']
      .concat(protect('oauth_grants', `${setting('keys')} = 'yes'`))
      .join(';\n'),
}
