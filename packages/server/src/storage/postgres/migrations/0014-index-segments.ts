import type { Migration } from '../migration.js'

const text = 'text COLLATE "C"'

/** See the embedded engine's migration of the same name. The bytes cannot be compressed, so PostgreSQL need not try. */
export const indexSegments: Migration = {
  version: 14,
  sql: (layout) => `
${layout.table(
  'index_segments',
  `
  user_id ${text} NOT NULL,
  from_revision bigint NOT NULL,
  from_row bigint NOT NULL,
  to_revision bigint NOT NULL,
  to_row bigint NOT NULL,
  model_id ${text} NOT NULL,
  format bigint NOT NULL,
  seed bigint NOT NULL,
  versions bigint NOT NULL,
  first_row bigint NOT NULL,
  last_row bigint NOT NULL,
  rows bytea NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (user_id, from_revision, from_row)`,
)}
ALTER TABLE index_segments ALTER COLUMN bytes SET STORAGE EXTERNAL;

${layout.table(
  'active_users',
  `
  user_id ${text} NOT NULL,
  active_at bigint NOT NULL,
  PRIMARY KEY (user_id)`,
)}
CREATE INDEX active_users_by_time ON active_users (active_at);
`,
}
