import type { Migration } from '../migration.js'

/** Answers to stores with an idempotency key. Their items contain text and are erased with their memories. */
export const answers: Migration = {
  version: 5,
  sql: `
CREATE TABLE answers (
  user INTEGER NOT NULL,
  key_hash TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  kept_at INTEGER NOT NULL,
  summary TEXT NOT NULL,
  relationships_created INTEGER NOT NULL,
  PRIMARY KEY (user, key_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX answers_by_age ON answers (kept_at);

CREATE TABLE answer_items (
  user INTEGER NOT NULL,
  key_hash TEXT NOT NULL,
  position INTEGER NOT NULL,
  memory INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  payload TEXT NOT NULL,
  entity_names TEXT,
  PRIMARY KEY (user, key_hash, position),
  FOREIGN KEY (user, key_hash) REFERENCES answers (user, key_hash) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX answer_items_by_memory ON answer_items (memory)`,
}
