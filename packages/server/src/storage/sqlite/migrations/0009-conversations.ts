import type { Migration } from '../migration.js'

/** The last turns of each conversation, for the turns that follow within hours. They contain text and are erased with any memory. */
export const conversations: Migration = {
  version: 9,
  sql: `
CREATE TABLE conversations (
  user_id INTEGER NOT NULL,
  project TEXT NOT NULL,
  name TEXT NOT NULL,
  stored_at INTEGER NOT NULL,
  document INTEGER,
  turns TEXT NOT NULL,
  PRIMARY KEY (user_id, project, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversations_by_age ON conversations (stored_at);
CREATE INDEX conversations_by_age_of_user ON conversations (user_id, stored_at);
-- The document with the turns before those of this one.
ALTER TABLE documents ADD COLUMN continues INTEGER;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('conversations', 'conversations', '2000 20 10 1'),
  ('conversations', 'conversations_by_age', '2000 2'),
  ('conversations', 'conversations_by_age_of_user', '2000 20 2')`,
}
