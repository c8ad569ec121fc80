import type { Migration } from '../migration.js'

/** Texts that are being read. Keyed by the external user id, because a user's first text arrives before the user has a row. */
export const inbox: Migration = {
  version: 4,
  sql: `
CREATE TABLE inbox (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  project TEXT,
  payload TEXT NOT NULL
) STRICT;
CREATE INDEX inbox_by_user ON inbox (user_id, id)`,
}
