import type { Migration } from '../migration.js'

/** Parts of a version's content that no longer hold, as JSON, and the part of the old memory that a contradiction is about. */
export const outdatedParts: Migration = {
  version: 8,
  sql: `
ALTER TABLE versions ADD COLUMN outdated TEXT;
CREATE INDEX versions_with_outdated_parts ON versions (user_id) WHERE outdated IS NOT NULL;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('versions', 'versions_with_outdated_parts', '50000 500');

-- Null: all of it.
ALTER TABLE contradictions ADD COLUMN part_start INTEGER;
ALTER TABLE contradictions ADD COLUMN part_end INTEGER;
`,
}
