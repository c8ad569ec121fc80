import { grantsTable } from '../../sql/grants.js'
import type { Migration } from '../migration.js'

/** What the owners of memories allowed other programs to do, with hashes of their tokens. */
export const oauthGrants: Migration = {
  version: 13,
  sql: `${grantsTable('TEXT', 'INTEGER')} STRICT;
CREATE INDEX oauth_grants_by_user ON oauth_grants (user_id, created_at, id);
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('oauth_grants', 'sqlite_autoindex_oauth_grants_1', '1000 1'),
  ('oauth_grants', 'oauth_grants_by_user', '1000 5 1 1')`,
}
