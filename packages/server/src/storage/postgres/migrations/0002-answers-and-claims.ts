import type { Migration } from '../migration.js'

const text = 'text COLLATE "C"'

/**
 * Answers to stores with an idempotency key. Their items contain text and are erased with their memories. `claims` records which
 * instance does shared work: it contains no user data, and is looked up by name alone.
 */
export const answersAndClaims: Migration = {
  version: 2,
  sql: (layout) => `
${layout.table(
  'answers',
  `
  user_id ${text} NOT NULL,
  key_hash ${text} NOT NULL,
  fingerprint ${text} NOT NULL,
  kept_at bigint NOT NULL,
  summary text NOT NULL,
  relationships_created bigint NOT NULL,
  PRIMARY KEY (user_id, key_hash)`,
)}
CREATE INDEX answers_by_age ON answers (kept_at, user_id);

${layout.table(
  'answer_items',
  `
  user_id ${text} NOT NULL,
  key_hash ${text} NOT NULL,
  position bigint NOT NULL,
  memory bigint NOT NULL,
  payload text NOT NULL,
  entity_names text[],
  PRIMARY KEY (user_id, key_hash, position),
  FOREIGN KEY (user_id, key_hash) REFERENCES answers (user_id, key_hash) ON DELETE CASCADE,
  FOREIGN KEY (user_id, memory) REFERENCES memories (user_id, key) ON DELETE CASCADE`,
)}
CREATE INDEX answer_items_by_memory ON answer_items (user_id, memory);

CREATE TABLE claims (
  name ${text} PRIMARY KEY,
  holder ${text} NOT NULL,
  until timestamptz NOT NULL
);
`,
}
