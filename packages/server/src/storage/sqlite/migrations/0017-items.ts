import type { Migration } from '../migration.js'

/**
 * Items of applications: one row per version, with a row number from the counter of the user. `project` is empty for an item outside
 * every project. `fields`: the parts of the value that a search looks at; NULL: all. `model_id` is NULL if there are none. Only the
 * current version has a vector.
 */
export const items: Migration = {
  version: 17,
  sql: `
CREATE TABLE items (
  row INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  project TEXT NOT NULL,
  namespace TEXT NOT NULL,
  key TEXT NOT NULL,
  version INTEGER NOT NULL,
  value TEXT NOT NULL,
  fields TEXT,
  trust_score REAL NOT NULL,
  flagged INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_to INTEGER,
  expires_at INTEGER,
  revision INTEGER NOT NULL,
  model_id TEXT,
  vector BLOB
) STRICT;
CREATE UNIQUE INDEX items_current ON items (user_id, project, namespace, key) WHERE valid_to IS NULL;
CREATE UNIQUE INDEX items_by_version ON items (user_id, project, namespace, key, version);
CREATE INDEX items_by_revision ON items (user_id, revision, row) WHERE valid_to IS NULL;
CREATE INDEX items_by_model ON items (model_id, user_id, row) WHERE valid_to IS NULL;
CREATE INDEX items_by_expiry ON items (user_id, expires_at) WHERE expires_at IS NOT NULL;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('items', 'items_current', '1000000 1000 500 20 1'),
  ('items', 'items_by_version', '2000000 2000 1000 40 2 1'),
  ('items', 'items_by_revision', '1000000 1000 1 1'),
  ('items', 'items_by_model', '1000000 500000 1000 1'),
  ('items', 'items_by_expiry', '100000 100 1')`,
}
