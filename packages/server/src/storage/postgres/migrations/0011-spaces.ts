import { setting } from '../layout.js'
import type { Migration } from '../migration.js'

const text = 'text COLLATE "C"'

/** See the embedded engine's migration of the same name. A membership is visible to its user and to its space. */
export const spaces: Migration = {
  version: 11,
  sql: (layout) => `
${layout.table(
  'spaces',
  `
  user_id ${text} PRIMARY KEY,
  name text NOT NULL,
  created_at bigint NOT NULL,
  -- Its memories are being erased.
  closing boolean NOT NULL`,
)}
${layout.table(
  'memberships',
  `
  user_id ${text} NOT NULL,
  space ${text} NOT NULL,
  role ${text} NOT NULL,
  founded boolean NOT NULL,
  joined_at bigint NOT NULL,
  PRIMARY KEY (user_id, space)`,
  `space = ${setting('user')}`,
)}
CREATE INDEX memberships_by_age ON memberships (user_id, joined_at, space);
CREATE INDEX memberships_by_space ON memberships (space, joined_at, user_id);
`,
}
