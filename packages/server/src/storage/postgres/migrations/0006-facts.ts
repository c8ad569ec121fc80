import type { Migration } from '../migration.js'

const text = 'text COLLATE "C"'

/** See the embedded engine's migration of the same name. */
export const facts: Migration = {
  version: 6,
  sql: (layout) => `
ALTER TABLE users ADD COLUMN facts_model text;
${layout.table(
  'facts',
  `
  user_id ${text} NOT NULL,
  memory bigint NOT NULL,
  version bigint NOT NULL,
  number bigint NOT NULL,
  start bigint NOT NULL,
  stop bigint NOT NULL,
  subject text,
  about text NOT NULL,
  value text NOT NULL,
  topic ${text} NOT NULL,
  confidence double precision NOT NULL,
  current boolean NOT NULL,
  PRIMARY KEY (user_id, memory, version, number),
  FOREIGN KEY (user_id, memory) REFERENCES memories (user_id, key) ON DELETE CASCADE`,
)}
CREATE INDEX facts_by_confidence ON facts (user_id, confidence) WHERE current;
`,
}
