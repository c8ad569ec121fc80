import type { Migration } from '../migration.js'

/**
 * Spaces and who may reach them. Both are keyed by external ids: the id of a space is the user id of its memories, and a space has
 * members before its first memory. `founded`: the member created the space.
 */
export const spaces: Migration = {
  version: 15,
  sql: `
CREATE TABLE spaces (
  user_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- Its memories are being erased.
  closing INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE memberships (
  user_id TEXT NOT NULL,
  space TEXT NOT NULL,
  role TEXT NOT NULL,
  founded INTEGER NOT NULL,
  joined_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, space)
) STRICT, WITHOUT ROWID;
CREATE INDEX memberships_by_age ON memberships (user_id, joined_at, space);
CREATE INDEX memberships_by_space ON memberships (space, joined_at, user_id);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('spaces', 'spaces', '10000 1'),
  ('memberships', 'memberships', '100000 10 1'),
  ('memberships', 'memberships_by_age', '100000 10 1 1'),
  ('memberships', 'memberships_by_space', '100000 10 1 1')`,
}
