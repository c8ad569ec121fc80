import type { Migration } from '../migration.js'

/**
 * The facts that a memory's content states, under the first version with that content. `users.facts_model` is the model that has read
 * all contents of the user; NULL: some are unread, as after an import or this migration.
 */
export const facts: Migration = {
  version: 10,
  sql: `
ALTER TABLE users ADD COLUMN facts_model TEXT;

CREATE TABLE facts (
  user_id INTEGER NOT NULL,
  memory INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  number INTEGER NOT NULL,
  start INTEGER NOT NULL,
  stop INTEGER NOT NULL,
  subject TEXT,
  about TEXT NOT NULL,
  value TEXT NOT NULL,
  topic TEXT NOT NULL,
  confidence REAL NOT NULL,
  current INTEGER NOT NULL,
  PRIMARY KEY (memory, version, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX facts_by_confidence ON facts (user_id, confidence, current) WHERE current;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('facts', 'facts', '1500000 2 2 1'),
  ('facts', 'facts_by_confidence', '1400000 14000 2 2')`,
}
