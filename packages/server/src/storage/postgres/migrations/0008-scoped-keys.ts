import type { Migration } from '../migration.js'

/** See the embedded engine's migration of the same name. */
export const scopedKeys: Migration = {
  version: 8,
  sql: () => `
ALTER TABLE keys ADD COLUMN access text COLLATE "C" NOT NULL DEFAULT 'full';
ALTER TABLE keys ADD COLUMN project text COLLATE "C";
ALTER TABLE keys ADD COLUMN expires_at bigint;
`,
}
