import type { Migration } from '../migration.js'

/** Keys that may only read, only store, reach one project, or expire. Existing keys are not limited. */
export const scopedKeys: Migration = {
  version: 12,
  sql: `
ALTER TABLE keys ADD COLUMN access TEXT NOT NULL DEFAULT 'full';
ALTER TABLE keys ADD COLUMN project TEXT;
ALTER TABLE keys ADD COLUMN expires_at INTEGER`,
}
