import type { Migration } from '../migration.js'

const text = 'text COLLATE "C"'

/** See the embedded engine's migration of the same name. The type `json` keeps a value as it was written. */
export const items: Migration = {
  version: 13,
  sql: (layout) => `
${layout.table(
  'items',
  `
  user_id ${text} NOT NULL,
  row bigint NOT NULL,
  project ${text} NOT NULL,
  namespace ${text} NOT NULL,
  key ${text} NOT NULL,
  version bigint NOT NULL,
  value json NOT NULL,
  fields ${text},
  trust_score double precision NOT NULL,
  flagged boolean NOT NULL,
  created_at bigint NOT NULL,
  valid_from bigint NOT NULL,
  valid_to bigint,
  expires_at bigint,
  revision bigint NOT NULL,
  model_id ${text},
  vector bytea,
  PRIMARY KEY (user_id, row)`,
)}
CREATE UNIQUE INDEX items_current ON items (user_id, project, namespace, key) WHERE valid_to IS NULL;
CREATE UNIQUE INDEX items_by_version ON items (user_id, project, namespace, key, version);
CREATE INDEX items_by_revision ON items (user_id, revision, row) WHERE valid_to IS NULL;
CREATE INDEX items_by_model ON items (model_id, user_id, row) WHERE valid_to IS NULL;
CREATE INDEX items_by_expiry ON items (user_id, expires_at) WHERE expires_at IS NOT NULL;
`,
}
