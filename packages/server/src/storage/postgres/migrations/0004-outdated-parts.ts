import type { Migration } from '../migration.js'

/** Parts of a version's content that no longer hold, and the part of the old memory that a contradiction is about. */
export const outdatedParts: Migration = {
  version: 4,
  sql: () => `
ALTER TABLE versions ADD COLUMN outdated json;
CREATE INDEX versions_with_outdated_parts ON versions (user_id) WHERE outdated IS NOT NULL;

-- Null: all of it.
ALTER TABLE contradictions ADD COLUMN part_start bigint;
ALTER TABLE contradictions ADD COLUMN part_end bigint;
`,
}
