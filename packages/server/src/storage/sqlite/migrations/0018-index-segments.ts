import type { Migration } from '../migration.js'

/**
 * Pieces of the search index and the users who last used theirs. See `ports/index-segments.ts` and `ports/active-users.ts`. `rows` is
 * as in `domain/row-list.ts`. The blobs come last, so that the other columns are read without them.
 */
export const indexSegments: Migration = {
  version: 18,
  sql: `
CREATE TABLE index_segments (
  user_id INTEGER NOT NULL,
  from_revision INTEGER NOT NULL,
  from_row INTEGER NOT NULL,
  to_revision INTEGER NOT NULL,
  to_row INTEGER NOT NULL,
  model_id TEXT NOT NULL,
  format INTEGER NOT NULL,
  seed INTEGER NOT NULL,
  versions INTEGER NOT NULL,
  first_row INTEGER NOT NULL,
  last_row INTEGER NOT NULL,
  rows BLOB NOT NULL,
  bytes BLOB NOT NULL,
  UNIQUE (user_id, from_revision, from_row)
) STRICT;

CREATE TABLE active_users (
  user_id INTEGER PRIMARY KEY,
  active_at INTEGER NOT NULL
) STRICT;
CREATE INDEX active_users_by_time ON active_users (active_at);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('index_segments', 'sqlite_autoindex_index_segments_1', '100000 10 1 1'),
  ('active_users', 'active_users_by_time', '10000 1')`,
}
